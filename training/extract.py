"""Align clips, compute their log-mels, and keep both in a feature store for training.

python -m training.extract data features [--pitch] [--degraded N] [--aligner mfa] [--jobs N]

``data`` is a Kaldi-style data directory, or a folder with one for each split, as ``python -m
training.corpora.prepare`` writes them; each becomes a store of its own below ``features``, and
``features/raw`` lists the clips that are in it: wav.scp, text, utt2spk, spk2utt, utt2num_frames. An
interrupted run continues where it stopped; a clip whose text, recording or aligner has changed is
done again. Clips that can't be used are listed in left-out.tsv with the reason.
``--alignments FILE`` uses existing ones (`training.features.given_alignments`); other clips are
aligned.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, AlignmentError
from alignment.aligners.montreal import MontrealAligner
from training.corpora.decoding import SoundFile
from training.corpora.kaldi import read_directory, write_directory
from training.corpora.left_out import LeftOut
from training.corpora.prepare import SPLITS
from training.features.clip_features import ClipError, Job, make, named_aligner
from training.features.given_alignments import alignment_of, read_alignments
from training.features.split_list import read_split
from training.features.store import COPY, INDEX, OPTIONAL, Store, StoreWriter
from training.features.workers import by_workers
from training.programs import Program, option

ORIGINS = "made-of.json"  # beside a store's index: of what each clip's features were made


def extract(
    data: Path,
    out: Path,
    aligner: str = "network",
    pitch: bool = False,
    jobs: int = 1,
    alignments: Mapping[str, Alignment] | None = None,
    degraded: int = 0,
    part: tuple[int, int] = (1, 1),
    speech: bool = False,
) -> str:
    """Extract all clips of a data directory into the store ``out``; return a one-line summary.

    ``alignments`` maps the last parts of a recording's path to its alignment. The directory
    ``train`` gets ``degraded`` copies of each clip. ``part`` (k, n) extracts only each n-th clip,
    from the k-th on, into a shard of its own. ``speech``: texts are neither needed nor read.
    Raises InputError if no clip can be used or the store can't be written; finished clips are kept.
    """
    left_out = LeftOut()
    degraded = degraded if data.name == "train" else 0
    todo: list[Job] = []
    for clip in read_directory(data, texts=not speech):
        if clip.sound is None or (clip.text is None and not speech):
            missing = "sound" if clip.sound is None else "text"
            left_out.add(clip.name, f"without {missing}", str(clip.sound or ""))
        else:
            made = alignment_of(clip.sound, alignments or {})
            text = None if speech else clip.text
            todo.append(Job(clip.name, clip.speaker, clip.sound, text, aligner, pitch, made))
    try:
        named_aligner(aligner)  # report a missing MFA once, not for every clip
    except AlignmentError as error:
        raise InputError(str(error)) from None
    if degraded:
        todo = [replace(j, degraded=degraded, others=_others(j.name, todo)) for j in todo]
    todo = todo[part[0] - 1 :: part[1]]
    wanted = {job.name for job in todo}
    more = [*([OPTIONAL] if pitch else []), *(f"{COPY}{k}" for k in range(1, degraded + 1))]
    with StoreWriter(out, more, keep=wanted - _changed(todo, out)) as store:
        done = {clip.name for clip in store.clips}
        todo = [job for job in todo if job.name not in done]
        if aligner == "mfa" and not speech:
            todo = _aligned_at_once(todo, jobs, left_out)
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


def _aligned_at_once(todo: Sequence[Job], jobs: int, left_out: LeftOut) -> list[Job]:
    """Align all clips that have no alignment in one run of MFA, which takes long to start.

    What it can't align is left out. Raises InputError if MFA itself fails.
    """
    sounds = {job.name: SoundFile(job.sound) for job in todo if job.alignment is None}
    readable = {name: sound for name, sound in sounds.items() if sound.samples}
    words = {job.name: Transcript.from_text(job.text or "").spoken for job in todo}
    pronouncer = Pronouncer()
    said = {word: pronouncer.candidates(word) for name in readable for word in words[name]}
    recordings = {
        f"{job.voice}/{job.name}": (readable[job.name], words[job.name])
        for job in todo
        if job.name in readable
    }
    try:
        found = MontrealAligner().align_corpus(recordings, said, jobs) if recordings else {}
    except AlignmentError as error:
        raise InputError(str(error)) from None
    result = []
    for job in todo:
        aligned = found.get(f"{job.voice}/{job.name}")
        if isinstance(aligned, AlignmentError):
            left_out.add(job.name, "not aligned", str(aligned))
        else:  # an unreadable recording is named when its features are made
            result.append(replace(job, alignment=aligned or job.alignment))
    return result


def _changed(todo: Sequence[Job], out: Path) -> set[str]:
    """Return the clips that an earlier run in ``out`` made of something else.

    It notes what these are made of.
    """
    made_of = {job.name: _origin(job) for job in todo}
    path = out / ORIGINS
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    changed = {name for name, origin in made_of.items() if before.get(name, origin) != origin}
    out.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(made_of), encoding="utf-8")
    return changed


def _origin(job: Job) -> str:
    """Hash what a clip's features depend on.

    Of its recording that is the size alone, since corpora are copied about and large.
    """
    size = job.sound.stat().st_size if job.sound.exists() else 0
    given = json.dumps(job.alignment.to_json()) if job.alignment else job.aligner
    return hashlib.sha256(f"{size}\n{given}\n{job.text}".encode()).hexdigest()[:16]


def _in_order(
    todo: Sequence[Job], jobs: int
) -> Iterator[tuple[Job, dict[str, np.ndarray] | ClipError]]:
    with tqdm(total=len(todo), unit="clip", disable=None) as bar:
        for job, found in zip(todo, by_workers(make, todo, jobs), strict=True):
            bar.update()
            yield job, found


def _others(name: str, clips: Sequence[Job]) -> tuple[Path, ...]:
    """Return recordings of the same split, always the same ones for a clip's name."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return tuple(clips[k].sound for k in rng.integers(len(clips), size=8))


def extract_all(options: argparse.Namespace) -> None:
    """Extract one data directory, or every one in a folder."""
    alignments = read_alignments(options.alignments) if options.alignments else {}
    one = (options.data / "wav.scp").exists()
    folders = [options.data] if one else sorted(p.parent for p in options.data.glob("*/wav.scp"))
    if not folders:
        raise InputError(f"{options.data} holds no wav.scp: run the previous stage first.")
    if not one:
        for name in {*SPLITS} - {folder.name for folder in folders}:
            for old in (options.features / name, options.features / "raw" / name):
                shutil.rmtree(old, ignore_errors=True)  # of a split that is no longer there
    how = (options.aligner, options.pitch, options.jobs, alignments, options.degraded)
    if not one and (split := read_split(options.data)):
        split.write(options.features)
    for folder in folders:
        root = options.features if one else options.features / folder.name
        out = root
        if options.part != (1, 1):
            out = out / "shard-{}-of-{}".format(*options.part)
        _refuse_other_parts(root, options.part[1])
        print(extract(folder, out, *how, options.part, options.speech))
        write_raw(folder, root, root / "raw" if one else options.features / "raw" / folder.name)


def _refuse_other_parts(root: Path, parts: int) -> None:
    """Raise InputError if a store was extracted in another number of parts.

    They would be read as well.
    """
    for index in root.rglob(INDEX):
        own = index.parent == root if parts == 1 else index.parent.name.endswith(f"-of-{parts}")
        if not own:
            raise InputError(
                f"{index.parent} was extracted in another number of parts than {parts}: choose"
                " another folder, or delete this one."
            )


def write_raw(data: Path, features: Path, raw: Path) -> None:
    """List the clips of a data directory that are in a store, as ESPnet's ``dump/raw`` does.

    They name the recordings as they are: nothing is copied or converted.
    """
    frames = {clip.name: clip.frames for clip in Store(features).clips}
    kept = [clip for clip in read_directory(data, texts=False) if clip.name in frames]
    write_directory(raw, kept)
    with atomic_path(raw / "utt2num_frames") as temporary:
        lines = [f"{name} {frames[name]}\n" for name in sorted(clip.name for clip in kept)]
        temporary.write_text("".join(lines), encoding="utf-8")


def _part(value: str) -> tuple[int, int]:
    number, _, count = value.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"{value} is not K/N, such as 3/8")
    return int(number), int(count)


main = Program(
    extract_all,
    option("data", type=Path, help="a data directory, or a folder of them"),
    option("features", type=Path, help="folder to write"),
    option("--aligner", choices=["network", "mfa"], default="network"),
    option("--pitch", action="store_true", help="for networks with a pitch input"),
    option("--speech", action="store_true", help="speech alone, whatever texts there are"),
    option(
        "--degraded", type=int, default=0, metavar="N",
        help="noisy, reverberant, … copies of each training clip",
    ),
    option("--jobs", type=int, default=1, help="processes (default: 1)"),
    option(
        "--alignments", type=Path, metavar="FILE", help="existing alignments, as JSON lines (.xz)"
    ),
    option(
        "--part", type=_part, default=(1, 1), metavar="K/N", help="a shard: the K-th of N parts"
    ),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
