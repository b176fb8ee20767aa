"""Align clips, compute their log-mels, and keep both in a feature store for training.

python -m a3t.training.extract data features [--pitch] [--degraded N] [--aligner mfa] [--jobs N]

``data`` is a Kaldi-style data directory, or a folder with one for each split, as ``python -m
a3t.corpora.prepare`` writes them; each becomes a store of its own below ``features``. An
interrupted run continues where it stopped. Clips that can't be used are listed in left-out.tsv with
the reason.
``--alignments FILE`` uses existing alignments (see `read_alignments`); other clips are aligned.
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which take their time
    from a3t.errors import end_at_once

    end_at_once()

import argparse
import json
import lzma
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from a3t.audio.mel import log_mel
from a3t.console import run
from a3t.corpora.decoding import decode_floats
from a3t.corpora.kaldi import read_directory
from a3t.corpora.left_out import LeftOut
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE, seconds_of
from a3t.plan.phone_grid import on_grid
from a3t.text.phones import phone_ids
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.training.batches import LEAST_SCORE
from a3t.training.degrade import degraded_mels
from a3t.training.fundamental import log_pitch
from a3t.training.store import COPY, OPTIONAL, StoreWriter
from a3t.training.workers import by_workers
from alignment import Aligner, Alignment, AlignmentError, load_aligner

SECONDS = (0.1, 20.0)  # shortest and longest clip
SECONDS_APART = 0.1  # tolerated between a clip and its alignment: containers round lengths


@dataclass(frozen=True)
class Job:
    """A clip whose features are to be extracted, and how."""

    name: str
    voice: str
    sound: Path
    text: str
    aligner: str
    pitch: bool
    alignment: Alignment | None = None
    degraded: int = 0  # number of degraded copies
    others: tuple[Path, ...] = ()  # recordings for background speech in those copies


class ClipError(Exception):
    """Why a clip is left out: the kind of fault, and a sentence about it."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(kind, sentence)
        self.kind, self.sentence = kind, sentence


@cache
def _aligner(name: str) -> Aligner:
    return load_aligner(name)


@cache
def _pronouncer() -> Pronouncer:
    return Pronouncer()


def align(text: str, wave: np.ndarray, aligner: str = "pocketsphinx") -> Alignment:
    """Align a text with its recording, mono (n,) at 24 kHz; ValueError if that fails."""
    words = Transcript.from_text(text).spoken
    pronunciations = {word: _pronouncer().candidates(word) for word in words}
    # Whether the text is what is spoken is decided by the score, not here.
    more = {"check": False} if aligner == "pocketsphinx" else {}
    return _aligner(aligner).align(wave, SAMPLE_RATE, words, pronunciations, **more)


def features(wave: np.ndarray, alignment: Alignment, pitch: bool = False) -> dict[str, np.ndarray]:
    """The features of an aligned recording, mono (n,) at 24 kHz: ``mel`` (T, 80), ``phones``,
    ``durations`` and ``words`` (L,), ``score`` () and, optionally, ``pitch`` (T,).

    ValueError if there are more phones than frames.
    """
    mel = log_mel(wave).numpy()
    phones = on_grid(alignment, len(mel))
    found = {
        "mel": mel,
        "phones": np.array(phone_ids(p.symbol for p in phones), np.int64),
        "durations": np.array([p.frames for p in phones], np.int64),
        "words": np.array([p.word for p in phones], np.int64),
        "score": np.array(alignment.score),
    }
    return found | ({OPTIONAL: log_pitch(wave, len(mel))} if pitch else {})


def extract_clip(job: Job) -> dict[str, np.ndarray]:
    """The `features` of one clip; ClipError if it can't be used."""
    try:
        wave, _ = decode_floats(job.sound)
    except (OSError, RuntimeError) as error:  # soundfile's errors are RuntimeErrors
        raise ClipError("unreadable", f"{job.sound}: {error}") from None
    seconds = len(wave) / SAMPLE_RATE
    if seconds < SECONDS[0] or len(wave) < 4 * HOP:
        raise ClipError("too short", f"{seconds:.2f} s, less than {SECONDS[0]} s")
    if seconds > SECONDS[1]:
        raise ClipError("too long", f"{seconds:.1f} s, more than {SECONDS[1]:.0f} s")
    if job.alignment and abs(job.alignment.duration - seconds) > SECONDS_APART:
        raise ClipError("not aligned", "the alignment is that of another recording")
    try:
        alignment = job.alignment or align(job.text, wave, job.aligner)
        found = features(wave, alignment, job.pitch)
    except ValueError as error:
        raise ClipError("not aligned", str(error)) from None
    if alignment.score < LEAST_SCORE:
        raise ClipError("not aligned", f"sound and text hardly match (score {alignment.score:.2f})")
    copies = degraded_mels(job.name, wave, job.degraded, job.others)
    return found | {f"{COPY}{number}": mel for number, mel in enumerate(copies, 1)}


def make(job: Job) -> dict[str, np.ndarray] | ClipError:
    """Worker: a clip's features, or the reason why it can't be used."""
    torch.set_num_threads(1)  # one process a core
    try:
        return extract_clip(job)
    except ClipError as failure:
        return failure
    except Exception as error:  # one clip that breaks a library must not stop the others
        return ClipError("failed", f"{type(error).__name__}: {error}")


def extract(
    data: Path,
    out: Path,
    aligner: str = "pocketsphinx",
    pitch: bool = False,
    jobs: int = 1,
    alignments: Mapping[str, Alignment] | None = None,
    degraded: int = 0,
    part: tuple[int, int] = (1, 1),
) -> str:
    """Extract all clips of a data directory into the store ``out``; returns a one-line summary.

    ``alignments`` maps the last parts of a recording's path to its alignment. The directory
    ``train`` gets ``degraded`` copies of each clip. ``part`` (k, n) extracts only each n-th clip,
    from the k-th on, into a shard of its own. Raises InputError if no clip can be used or the
    store can't be written; finished clips are kept.
    """
    left_out = LeftOut()
    degraded = degraded if data.name == "train" else 0
    todo: list[Job] = []
    for clip in read_directory(data):
        if clip.text is None or clip.sound is None:
            missing = "text" if clip.text is None else "sound"
            left_out.add(clip.name, f"without {missing}", str(clip.sound or ""))
        else:
            made = _alignment_of(clip.sound, alignments or {})
            todo.append(Job(clip.name, clip.speaker, clip.sound, clip.text, aligner, pitch, made))
    if aligner != "pocketsphinx":
        try:
            _aligner(aligner)  # report a missing MFA once, not for every clip
        except AlignmentError as error:
            raise InputError(str(error)) from None
    if degraded:
        todo = [replace(j, degraded=degraded, others=_others(j.name, todo)) for j in todo]
    todo = todo[part[0] - 1 :: part[1]]
    wanted = {job.name for job in todo}
    more = [*([OPTIONAL] if pitch else []), *(f"{COPY}{k}" for k in range(1, degraded + 1))]
    with StoreWriter(out, more, keep=wanted) as store:
        done = {clip.name for clip in store.clips}
        todo = [job for job in todo if job.name not in done]
        for job, found in _in_order(todo, jobs):
            if isinstance(found, ClipError):
                left_out.add(job.name, found.kind, found.sentence)
            else:
                store.add(job.name, found, job.voice, data.name)
        clips = store.clips
    left_out.save(out / "left-out.tsv")
    if not clips:
        raise InputError(f"No clip of {data} could be used: {left_out.summary()}.")
    hours = seconds_of(sum(clip.frames for clip in clips)) / 3600
    return f"{out}: {len(clips)} clips, {hours:.2f} h; left out: {left_out.summary()}"


def _in_order(
    todo: Sequence[Job], jobs: int
) -> Iterator[tuple[Job, dict[str, np.ndarray] | ClipError]]:
    with tqdm(total=len(todo), unit="clip", disable=None) as bar:
        for pair in zip(todo, by_workers(make, todo, jobs), strict=True):
            bar.update()
            yield pair


def _others(name: str, clips: Sequence[Job]) -> tuple[Path, ...]:
    """Recordings of the same split, always the same ones for a clip's name."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return tuple(clips[k].sound for k in rng.integers(len(clips), size=8))


def _alignment_of(sound: Path, alignments: Mapping[str, Alignment]) -> Alignment | None:
    """The alignment whose path is the longest ending of the recording's path."""
    if not alignments:
        return None
    ends = ("/".join(sound.parts[k:]) for k in range(len(sound.parts)))
    return next((alignments[end] for end in ends if end in alignments), None)


def read_alignments(path: Path) -> dict[str, Alignment]:
    """Read alignments, keyed by the recording's path within the folder of corpora (with "/").

    The file has one JSON object per line, with "path" and "alignment" (`Alignment.to_json`), and is
    compressed if its name ends in ``.xz``. InputError names a line that can't be used.
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


def extract_all(options: argparse.Namespace) -> None:
    """Extract one data directory, or every one in a folder."""
    alignments = read_alignments(options.alignments) if options.alignments else {}
    one = (options.data / "wav.scp").exists()
    folders = [options.data] if one else sorted(p.parent for p in options.data.glob("*/wav.scp"))
    if not folders:
        raise InputError(f"{options.data} holds no wav.scp: run the previous stage first.")
    how = (options.aligner, options.pitch, options.jobs)
    for folder in folders:
        out = options.features if one else options.features / folder.name
        if options.part != (1, 1):
            out = out / "shard-{}-of-{}".format(*options.part)
        print(extract(folder, out, *how, alignments, options.degraded, options.part))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line: returns 0 when done, 1 if the input can't be used."""
    parser = argparse.ArgumentParser(
        prog="python -m a3t.training.extract",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, help="a data directory, or a folder of them")
    parser.add_argument("features", type=Path, help="folder to write")
    parser.add_argument("--aligner", choices=["pocketsphinx", "mfa"], default="pocketsphinx")
    parser.add_argument("--pitch", action="store_true", help="for networks with a pitch input")
    parser.add_argument(
        "--degraded",
        type=int,
        default=0,
        metavar="N",
        help="noisy, reverberant, … copies of each training clip",
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--alignments", type=Path, metavar="FILE", help="existing alignments, as JSON lines (.xz)"
    )
    parser.add_argument(
        "--part", type=_part, default=(1, 1), metavar="K/N", help="a shard: the K-th of N parts"
    )
    options = parser.parse_args(arguments)
    return run(lambda: extract_all(options))


def _part(value: str) -> tuple[int, int]:
    number, _, count = value.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"{value} is not K/N, such as 3/8")
    return int(number), int(count)


if __name__ == "__main__":
    sys.exit(main())
