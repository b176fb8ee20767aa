"""Features of a Kaldi-style directory: every clip aligned, its mel computed once.

python -m a3t.training.espnet.dump data/train dump/train [--aligner mfa] [--pitch] [--jobs N]

Writes mel.scp (one .npy a clip), phones, durations and words, which `a3t.training.espnet.train`
reads, and left-out.tsv with the clips that could not be used and why. Each clip is written by
itself and completed by a rename: what was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from a3t.audio.files import atomic_path
from a3t.audio.mel import log_mel
from a3t.console import run
from a3t.corpora import Clip
from a3t.corpora.left_out import LeftOut
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.plan.phone_grid import on_grid
from a3t.text.phones import PHONES, phone_ids
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.training.data import LEAST_SCORE
from a3t.training.waveforms import decode
from a3t.training.workers import by_workers
from alignment import Aligner, AlignmentError

SECONDS = (0.1, 20.0)  # of a clip (method.md, "Training")
LARGE = {"mel", "pitch"}  # a file each; the rest of a clip is small and shares one


@dataclass(frozen=True)
class Job:
    """A clip to be made features of, and how."""

    name: str
    sound: Path
    text: str
    out: Path
    aligner: str
    pitch: bool


class ClipError(Exception):
    """Why a clip is left out: the kind of fault, and a sentence."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(kind, sentence)
        self.kind, self.sentence = kind, sentence


_tools: dict[str, Any] = {}


def make(job: Job) -> ClipError | None:
    """Worker: one clip's features into its own files; why not, if it can't be used.

    InputError where going on makes no sense: nothing can be written.
    """
    torch.set_num_threads(1)  # one process a core
    try:
        arrays = features(job)
        for key in LARGE & arrays.keys():
            path = job.out / key / f"{job.name}.npy"
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_path(path) as temporary, open(temporary, "wb") as file:
                np.save(file, arrays.pop(key))
        # This one last: it says that the clip is done.
        (job.out / "clips").mkdir(parents=True, exist_ok=True)
        path = job.out / "clips" / f"{job.name}.npz"
        with atomic_path(path) as temporary, open(temporary, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
    except ClipError as failure:
        return failure
    except InputError:
        raise
    except Exception as error:  # whatever one clip does to a library, the others go on
        return ClipError("failed", f"{type(error).__name__}: {error}")
    return None


def features(job: Job) -> dict[str, np.ndarray]:
    """``mel`` (T, 80) float16, ``phones``, ``durations``, ``words`` (L,), ``score`` () and, if
    it is asked for, ``pitch`` (T,); ClipError if the clip can't be used."""
    try:
        coded, _ = decode(Clip("", "", job.sound, job.text, 0.0))
    except (OSError, RuntimeError) as error:  # soundfile's errors are RuntimeErrors
        raise ClipError("unreadable", f"{job.sound}: {error}") from None
    wave = coded.astype(np.float32) / 32768.0
    seconds = len(wave) / SAMPLE_RATE
    if seconds < SECONDS[0] or len(wave) < 4 * HOP:
        raise ClipError("too short", f"{seconds:.2f} s, less than {SECONDS[0]} s")
    if seconds > SECONDS[1]:
        raise ClipError("too long", f"{seconds:.1f} s, more than {SECONDS[1]:.0f} s")
    aligner, pronouncer = _aligner(job.aligner), _pronouncer()
    try:
        words = Transcript.from_text(job.text).spoken
        pronunciations = {word: pronouncer.candidates(word) for word in words}
        # Whether text and sound belong together is judged below, from the score.
        more = {"check": False} if job.aligner == "pocketsphinx" else {}
        alignment = aligner.align(wave, SAMPLE_RATE, words, pronunciations, **more)
        mel = log_mel(wave).numpy()
        phones = on_grid(alignment, len(mel))
    except (ValueError, AlignmentError) as error:
        raise ClipError("not aligned", str(error)) from None
    if alignment.score < LEAST_SCORE:
        raise ClipError("not aligned", f"sound and text hardly match (score {alignment.score:.2f})")
    arrays: dict[str, np.ndarray] = {
        "mel": mel.astype(np.float16),
        "phones": np.array(phone_ids(p.symbol for p in phones), np.int16),
        "durations": np.array([p.frames for p in phones], np.int16),
        "words": np.array([p.word for p in phones], np.int16),
        "score": np.array(alignment.score, np.float32),
    }
    if job.pitch:
        from a3t.training.pitch import pitch

        arrays["pitch"] = pitch(wave, len(mel)).astype(np.float16)
    return arrays


def _aligner(name: str) -> Aligner:
    if name not in _tools:
        if name == "mfa":
            from alignment.aligners.montreal import MontrealAligner

            _tools[name] = MontrealAligner()
        else:
            from alignment.aligners.pocketsphinx import PocketSphinxAligner

            _tools[name] = PocketSphinxAligner()
    aligner: Aligner = _tools[name]
    return aligner


def _pronouncer() -> Pronouncer:
    return _tools.setdefault("pronouncer", Pronouncer())


def read_scp(path: Path) -> dict[str, str]:
    """Lines of "NAME REST" by name; InputError if the file is missing."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        raise InputError(f"There is no {path}: run the stage before this one.") from None
    return dict(line.split(" ", 1) for line in lines if " " in line)


def dump(
    data: Path, out: Path, aligner: str = "pocketsphinx", pitch: bool = False, jobs: int = 1
) -> str:
    """All clips of ``data``; a summary in one line. InputError if none can be used."""
    sounds, texts = read_scp(data / "wav.scp"), read_scp(data / "text")
    speakers = read_scp(data / "utt2spk")
    if aligner == "mfa":
        _aligner(aligner)  # a missing MFA is said once, not of every clip
    left_out = LeftOut()
    todo = []
    for name, sound in sounds.items():
        if name not in texts:
            left_out.add(name, "without text", sound)
        elif not _done(out, name, pitch):
            todo.append(Job(name, Path(sound), texts[name], out, aligner, pitch))
    for name in texts.keys() - sounds.keys():
        left_out.add(name, "without sound")
    out.mkdir(parents=True, exist_ok=True)
    for job, failure in _all(todo, jobs):
        if failure:
            left_out.add(job.name, failure.kind, failure.sentence)
    failed = {name for name, _, _ in left_out.rows}
    names = [name for name in sounds if name not in failed]
    left_out.save(out / "left-out.tsv")
    if not names:
        raise InputError(f"No clip of {data} could be used: {left_out.summary()}.")
    frames = _write_lists(out, names, speakers, pitch)
    hours = frames * HOP / SAMPLE_RATE / 3600
    return f"{out}: {len(names)} clips, {hours:.2f} h; left out: {left_out.summary()}"


def _done(out: Path, name: str, pitch: bool) -> bool:
    files = [out / "clips" / f"{name}.npz", *([out / "pitch" / f"{name}.npy"] if pitch else [])]
    return all(file.exists() for file in files)


def _all(todo: Sequence[Job], jobs: int) -> Iterator[tuple[Job, ClipError | None]]:
    with tqdm(total=len(todo), unit="clip", disable=None) as bar:
        for pair in zip(todo, by_workers(make, todo, jobs), strict=True):
            bar.update()
            yield pair


def _write_lists(out: Path, names: Sequence[str], speakers: dict[str, str], pitch: bool) -> int:
    """mel.scp, phones, durations, words, utt2spk and scores; returns the number of frames."""
    lines: dict[str, list[str]] = {}
    frames = 0
    for name in names:
        for key in ("mel", *(["pitch"] if pitch else [])):
            path = os.path.abspath(out / key / f"{name}.npy")
            lines.setdefault(f"{key}.scp", []).append(f"{name} {path}")
        with np.load(out / "clips" / f"{name}.npz") as arrays:
            for key in ("phones", "durations", "words"):
                lines.setdefault(key, []).append(f"{name} {' '.join(map(str, arrays[key]))}")
            lines.setdefault("scores", []).append(f"{name} {float(arrays['score']):.3f}")
            frames += int(arrays["durations"].sum())
        lines.setdefault("utt2spk", []).append(f"{name} {speakers.get(name, name)}")
    lines["phone_list"] = list(PHONES)
    for key, rows in lines.items():
        with atomic_path(out / key) as temporary:
            temporary.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return frames


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 something can't be used (one sentence says what)."""
    parser = argparse.ArgumentParser(prog="python -m a3t.training.espnet.dump", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--aligner", choices=["pocketsphinx", "mfa"], default="pocketsphinx")
    parser.add_argument("--pitch", action="store_true", help="for networks that are told it")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    how = (options.aligner, options.pitch, options.jobs)
    return run(lambda: print(dump(options.data, options.out, *how)))


if __name__ == "__main__":
    sys.exit(main())
