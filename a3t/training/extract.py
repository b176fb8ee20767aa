"""Clips as the acoustic model and the duration predictor train on them: mel, phones, frames.

``python -m a3t.training.extract WAVEFORMS FEATURES`` aligns every clip of a waveform cache
(`a3t.training.waveforms`) and packs log-mels and phone durations into flat arrays. Each clip is
written by itself first, so that an interrupted run goes on where it stopped. ``--alignments FILE``
takes the alignments that somebody has made before (`read_alignments`); what it lacks is aligned.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from a3t.audio.mel import MELS, log_mel
from a3t.corpora import Clip, corpora_root, read_corpora
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.plan.phone_grid import on_grid
from a3t.text.phones import phone_ids
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.training.features import INDEX, Item
from a3t.training.waveforms import Waveforms
from a3t.training.workers import by_workers
from alignment import Alignment
from alignment.aligners.pocketsphinx import PocketSphinxAligner

_aligner: PocketSphinxAligner | None = None
_pronouncer: Pronouncer | None = None
_waveforms: Waveforms | None = None


# A clip and its alignment may differ by this much: containers round their lengths.
SECONDS_APART = 0.1


def read_alignments(path: Path) -> dict[str, Alignment]:
    """Alignments by the sound's path within the folder of corpora, with "/" between its parts.

    ``path`` holds one JSON object a line, "path" and "alignment" (`Alignment.to_json`) in each;
    compressed if its name ends in ``.xz``. InputError says which line can't be used.
    """
    alignments: dict[str, Alignment] = {}
    opened = lzma.open if path.suffix == ".xz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                name, alignment = _read_alignment(line, f"Line {number} of {path}")
                alignments[name] = alignment
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(f"The alignments in {path} can't be read: {error}.") from None
    return alignments


def _read_alignment(line: str, place: str) -> tuple[str, Alignment]:
    try:
        row = json.loads(line)
        return str(row["path"]), Alignment.from_json(row["alignment"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f'{place} is not an alignment: each line needs the JSON of a "path" and an "alignment".'
        ) from None


def align(clip: Clip, wave: np.ndarray) -> Alignment:
    """The clip's own text in its sound; ValueError if it can't be aligned."""
    global _aligner, _pronouncer
    _aligner = _aligner or PocketSphinxAligner()
    _pronouncer = _pronouncer or Pronouncer()
    words = Transcript.from_text(clip.text).spoken
    pronunciations = {word: _pronouncer.candidates(word) for word in words}
    return _aligner.align(wave, SAMPLE_RATE, words, pronunciations, check=False)


def extract(
    clip: Clip, wave: np.ndarray, alignment: Alignment | None = None
) -> dict[str, np.ndarray]:
    """Mel, phones, durations and words of one clip, aligned here unless an alignment is given.

    ``wave`` is mono at 24 kHz. ValueError if the clip can't be aligned, or if the alignment given
    is of another length.
    """
    if alignment is None:
        alignment = align(clip, wave)
    elif abs(alignment.duration - len(wave) / SAMPLE_RATE) > SECONDS_APART:
        raise InputError(f"the alignment of {clip.name} is that of another recording")
    mel = log_mel(wave).numpy()
    phones = on_grid(alignment, len(mel))
    return {
        "mel": mel.astype(np.float16),
        "phones": np.array(phone_ids(p.symbol for p in phones), np.int16),
        "durations": np.array([p.frames for p in phones], np.int16),
        "words": np.array([p.word for p in phones], np.int16),
        "score": np.array(alignment.score, np.float32),
    }


def _extract_to(job: tuple[Clip, Path, Path, Alignment | None]) -> str | None:
    """Worker: extract one clip into a file of its own; what went wrong, if anything did."""
    clip, waveforms, target, alignment = job
    global _waveforms
    torch.set_num_threads(1)  # one process a core
    _waveforms = _waveforms or Waveforms(waveforms)
    entry = next(entry for entry in _waveforms.entries if entry.name == clip.name)
    try:
        arrays = extract(clip, _waveforms.read(entry), alignment)
    except ValueError as error:
        return f"{clip.name}: {error}"
    temporary = target.with_suffix(f".{os.getpid()}.tmp")
    with open(temporary, "wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    temporary.replace(target)
    return None


def prepare(
    clips: Iterable[Clip],
    waveforms: Path,
    folder: Path,
    jobs: int = 2,
    alignments: Mapping[Path, Alignment] | None = None,
) -> list[str]:
    """Extract and pack all clips; returns a sentence for each that failed.

    ``alignments`` are those that need not be made, by the sound's path.
    """
    alignments = alignments or {}
    clip_folder = folder / "clips"
    clip_folder.mkdir(parents=True, exist_ok=True)
    splits = {entry.name: entry.split for entry in Waveforms(waveforms).entries}
    clips = [clip for clip in clips if clip.name in splits]
    todo = [
        (clip, waveforms, target, alignments.get(clip.path))
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
    parser.add_argument(
        "--alignments", type=Path, metavar="FILE", help="alignments made before: JSON lines (.xz)"
    )
    arguments = parser.parse_args()
    root = corpora_root()
    clips = read_corpora(root)
    made = read_alignments(arguments.alignments) if arguments.alignments else {}
    alignments = {root / path: alignment for path, alignment in made.items()}
    failures = prepare(clips, arguments.waveforms, arguments.features, arguments.jobs, alignments)
    print(f"{len(clips) - len(failures)} clips, {len(failures)} failed (see failures.txt)")


if __name__ == "__main__":
    main()
