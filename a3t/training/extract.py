"""Clips as the acoustic model and the duration predictor train on them: mel, phones, frames.

``python -m a3t.training.extract WAVEFORMS FEATURES`` aligns every clip of a waveform cache
(`a3t.training.waveforms`) and packs log-mels and phone durations into flat arrays. Each clip is
written by itself first, so that an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from a3t.audio.mel import MELS, log_mel
from a3t.corpora import Clip, corpora_root, read_corpora
from a3t.grid import SAMPLE_RATE
from a3t.plan.grid import on_grid
from a3t.text.phones import phone_ids
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.training.features import INDEX, Item
from a3t.training.waveforms import Waveforms
from a3t.training.workers import by_workers
from alignment.aligners.pocketsphinx import PocketSphinxAligner

_aligner: PocketSphinxAligner | None = None
_pronouncer: Pronouncer | None = None
_waveforms: Waveforms | None = None


def extract(clip: Clip, wave: np.ndarray) -> dict[str, np.ndarray]:
    """Mel, phones, durations and words of one clip; ValueError if it can't be aligned."""
    global _aligner, _pronouncer
    _aligner = _aligner or PocketSphinxAligner()
    _pronouncer = _pronouncer or Pronouncer()
    words = Transcript.from_text(clip.text).spoken
    pronunciations = {word: _pronouncer.candidates(word) for word in words}
    alignment = _aligner.align(wave, SAMPLE_RATE, words, pronunciations, check=False)
    mel = log_mel(wave).numpy()
    phones = on_grid(alignment, len(mel))
    return {
        "mel": mel.astype(np.float16),
        "phones": np.array(phone_ids(p.symbol for p in phones), np.int16),
        "durations": np.array([p.frames for p in phones], np.int16),
        "words": np.array([p.word for p in phones], np.int16),
        "score": np.array(alignment.score, np.float32),
    }


def _extract_to(job: tuple[Clip, Path, Path]) -> str | None:
    """Worker: extract one clip into a file of its own; what went wrong, if anything did."""
    clip, waveforms, target = job
    global _waveforms
    torch.set_num_threads(1)  # one process a core
    _waveforms = _waveforms or Waveforms(waveforms)
    entry = next(entry for entry in _waveforms.entries if entry.name == clip.name)
    try:
        arrays = extract(clip, _waveforms.read(entry))
    except ValueError as error:
        return f"{clip.name}: {error}"
    temporary = target.with_suffix(f".{os.getpid()}.tmp")
    with open(temporary, "wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    temporary.replace(target)
    return None


def prepare(clips: Iterable[Clip], waveforms: Path, folder: Path, jobs: int = 2) -> list[str]:
    """Extract and pack all clips; returns a sentence for each that failed."""
    clip_folder = folder / "clips"
    clip_folder.mkdir(parents=True, exist_ok=True)
    splits = {entry.name: entry.split for entry in Waveforms(waveforms).entries}
    clips = [clip for clip in clips if clip.name in splits]
    todo = [
        (clip, waveforms, target)
        for clip in clips
        if not (target := clip_folder / f"{clip.name}.npz").exists()
    ]
    results = tqdm(by_workers(_extract_to, todo, jobs), total=len(todo), unit="clip")
    failures = [failure for failure in results if failure]
    (folder / "failures.txt").write_text("".join(f"{line}\n" for line in failures))
    _pack(clips, splits, folder)
    return failures


def _pack(clips: list[Clip], splits: dict[str, str], folder: Path) -> None:
    items: list[Item] = []
    mels, rest = [], {"phones": [], "durations": [], "words": []}  # type: ignore[var-annotated]
    frame = phone = 0
    for clip, arrays in _extracted(clips, folder / "clips"):
        score = float(arrays["score"])
        frames, phones = len(arrays["mel"]), len(arrays["phones"])
        split = splits[clip.name]
        place = (frame, frames, phone, phones)
        items.append(Item(clip.name, clip.voice, clip.corpus, split, score, *place))
        mels.append(arrays["mel"])
        for name, parts in rest.items():
            parts.append(arrays[name])
        frame, phone = frame + frames, phone + phones
    np.save(folder / "mel.npy", np.concatenate(mels) if mels else np.zeros((0, MELS), np.float16))
    for name, parts in rest.items():
        np.save(folder / f"{name}.npy", np.concatenate(parts))
    # The index last: without it there is nothing to load.
    (folder / INDEX).write_text("".join(json.dumps(asdict(item)) + "\n" for item in items))


def _extracted(clips: list[Clip], folder: Path) -> Iterator[tuple[Clip, dict[str, np.ndarray]]]:
    for clip in clips:
        path = folder / f"{clip.name}.npz"
        if path.exists():
            with np.load(path) as arrays:
                yield clip, dict(arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description="Align clips and pack their features.")
    parser.add_argument("waveforms", type=Path, help="cache made by a3t.training.waveforms")
    parser.add_argument("features", type=Path, help="folder to write")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    clips = read_corpora(corpora_root())
    failures = prepare(clips, arguments.waveforms, arguments.features, arguments.jobs)
    print(f"{len(clips) - len(failures)} clips, {len(failures)} failed (see failures.txt)")


if __name__ == "__main__":
    main()
