"""The feature store: the training data of many clips in a few flat, append-only arrays.

A store is a folder with ``index.jsonl`` (one line per clip) and one ``.npy`` file per array, or a
folder of such folders, one per split or shard, so that several machines can each write their own.
Clips are appended, and a clip's line in the index is written last: an interrupted run continues
after the last complete clip, and a hundred thousand clips still make a handful of files. Arrays are
memory-mapped when read, which needs NumPy alone. T frames, L phones.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from a3t.errors import InputError
from a3t.learning.batches import StoredFeatures
from training.features.split_list import ListedClip, SplitList, read_split

INDEX = "index.jsonl"
MELS = 80
# For each array: its type, the shape of a row, and whether a row is a frame or a phone.
ARRAYS: dict[str, tuple[type, tuple[int, ...], str]] = {
    "mel": (np.float16, (MELS,), "frame"),  # log10
    "phones": (np.int16, (), "phone"),  # ids
    "durations": (np.int16, (), "phone"),  # frames
    "words": (np.int16, (), "phone"),  # index of the word in its clip, -1 for a pause
    "pitch": (np.float16, (), "frame"),  # log2 F0, 0 unvoiced; optional
}
OPTIONAL = "pitch"
COPY = "mel-degraded-"  # + a number from 1: the mels of the same clips in worse conditions


@dataclass(frozen=True)
class StoredClip:
    """One clip of a store: frames and phones are [first, first + count) of its shard's arrays."""

    name: str
    voice: str
    corpus: str
    split: str
    score: float  # mean confidence of its alignment, 0 to 1
    first_frame: int
    frames: int
    first_phone: int
    phones: int
    shard: int = 0  # set when the store is opened; not in the index


class Store:
    """All the clips below a folder, memory-mapped. InputError if the folder holds no store."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        indices = sorted(Path(folder).rglob(INDEX))
        if not indices:
            raise InputError(
                f"{folder} holds no features: make them with python -m training.extract."
            )
        self.clips = tuple(
            replace(clip, shard=shard)
            for shard, index in enumerate(indices)
            for clip in read_index(index)
        )
        self.shards = [_open_arrays(index.parent) for index in indices]

    @cached_property
    def split_list(self) -> SplitList:
        """The recipe's list of clips, or the store's own clips if the folder has no list.

        Raises InputError if the list has another split for a clip than the store.
        """
        listed = read_split(self.folder)
        if listed is None:
            return SplitList.of(ListedClip(c.name, c.split, c.voice) for c in self.clips)
        for clip in self.clips:
            there = listed.by_name.get(clip.name)
            if there is None or there.split != clip.split:
                raise InputError(
                    f"{clip.name} is in {clip.split} here, but not by {self.folder}'s list of "
                    "clips: extract the features again."
                )
        return listed

    def copies(self, clips: Sequence[StoredClip]) -> int:
        """Count the degraded copies of each of these clips (`training.features.degrade`)."""
        shards = (self.shards[k] for k in {clip.shard for clip in clips})
        return min(sum(name.startswith(COPY) for name in shard) for shard in shards)

    @property
    def has_pitch(self) -> bool:
        """Whether every shard has the pitch."""
        return all(OPTIONAL in shard for shard in self.shards)

    def of_split(self, split: str) -> list[StoredClip]:
        """Return the clips of a split."""
        return [clip for clip in self.clips if clip.split == split]

    def read(self, clip: StoredClip, mel: bool = True, copy: int = 0) -> StoredFeatures:
        """Read one clip; with ``mel`` false, its phones alone.

        ``copy`` is 0 for the mel as recorded, otherwise the number of a degraded copy.
        """
        arrays = self.shards[clip.shard]
        frames = slice(clip.first_frame, clip.first_frame + clip.frames if mel else 0)
        phones = slice(clip.first_phone, clip.first_phone + clip.phones)
        pitch = arrays.get(OPTIONAL)
        return StoredFeatures(
            np.asarray(arrays[f"{COPY}{copy}" if copy else "mel"][frames], np.float32),
            np.asarray(arrays["phones"][phones], np.int64),
            np.asarray(arrays["durations"][phones], np.int64),
            np.asarray(arrays["words"][phones], np.int64),
            None if pitch is None else np.asarray(pitch[frames], np.float32),
        )

    def statistics(self, split: str = "train", clips: int = 2000) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and standard deviation of each mel bin, (80,) each, over a split's frames.

        Of a larger split they are over ``clips`` evenly spaced clips.
        """
        found = self.of_split(split)
        count, total, squares = 0, np.zeros(MELS), np.zeros(MELS)
        for clip in found[:: -(-len(found) // clips) or 1]:
            mel = self.read(clip).mel.astype(np.float64)
            count += len(mel)
            total += mel.sum(0)
            squares += np.square(mel).sum(0)
        mean = total / max(1, count)
        return mean, np.sqrt(np.maximum(squares / max(1, count) - mean**2, 1e-6))


class StoreWriter:
    """Appends clips to the store in a folder, first removing what a killed run left incomplete.

    A context manager. ``more`` names optional arrays beside those every store has. If ``keep`` is
    given, clips whose names are not in it are dropped. Raises InputError if another process is
    writing to the folder, or if the existing clips were stored with other arrays.
    """

    def __init__(
        self, folder: Path, more: Sequence[str] = (), keep: Collection[str] | None = None
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"Another process is writing to {folder}: wait until it has finished."
            ) from None
        path = folder / INDEX
        self.clips = read_index(path) if path.exists() else []
        names = [*(name for name in ARRAYS if name != OPTIONAL), *more]
        if self.clips and {file.stem for file in folder.glob("*.npy")} != set(names):
            raise InputError(
                f"The clips in {folder} were stored with other features than {', '.join(names)}: "
                "choose another folder, or delete this one."
            )
        self.clips = [clip for clip in self.clips if keep is None or clip.name in keep]
        self.rows = {
            "frame": max((clip.first_frame + clip.frames for clip in self.clips), default=0),
            "phone": max((clip.first_phone + clip.phones for clip in self.clips), default=0),
        }
        temporary = path.with_suffix(".tmp")  # the lock is ours: nobody else writes it
        temporary.write_bytes(b"".join(map(_line, self.clips)))
        temporary.replace(path)
        self.index = path.open("ab")
        self.arrays = {}
        for name in names:
            dtype, row, unit = ARRAYS["mel" if name.startswith(COPY) else name]
            file = folder / f"{name}.npy"
            self.arrays[name] = _GrowingArray(file, dtype, row, self.rows[unit])

    def __enter__(self) -> StoreWriter:
        """Return the store's writer."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files."""
        for array in self.arrays.values():
            array.file.close()
        self.index.close()
        os.close(self.lock)

    def add(
        self, name: str, arrays: Mapping[str, np.ndarray], voice: str, split: str, corpus: str = ""
    ) -> None:
        """Append a clip: this store's arrays by name, and its "score" ().

        Raises InputError if they can't be written; everything added before is kept.
        """
        frames, phones = len(arrays["mel"]), len(arrays["phones"])
        place = (self.rows["frame"], frames, self.rows["phone"], phones)
        clip = StoredClip(name, voice, corpus, split, round(float(arrays["score"]), 4), *place)
        try:
            for key, array in self.arrays.items():
                array.append(arrays[key])
            self.index.write(_line(clip))
            self.index.flush()
        except OSError as error:
            full = error.errno == errno.ENOSPC
            raise InputError(
                f"{name} can't be stored: {'the disk is full' if full else error.strerror}. Free "
                "some space and run the command again; finished clips are kept."
            ) from None
        self.rows = {"frame": place[0] + frames, "phone": place[2] + phones}
        self.clips.append(clip)


class _GrowingArray:
    """An ``.npy`` file that grows by rows; NumPy pads its header so that it can be updated."""

    def __init__(self, path: Path, dtype: type, row: tuple[int, ...], rows: int) -> None:
        self.dtype, self.row, self.rows = np.dtype(dtype), row, rows
        self.file = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115
        self._write_header()
        self.file.truncate(self.file.tell() + rows * self.dtype.itemsize * int(np.prod(row)))
        self.file.seek(0, os.SEEK_END)

    def append(self, values: np.ndarray) -> None:
        self.file.write(np.ascontiguousarray(values, self.dtype).tobytes())
        self.rows += len(values)
        self._write_header()
        self.file.seek(0, os.SEEK_END)
        self.file.flush()

    def _write_header(self) -> None:
        self.file.seek(0)
        header = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.rows, *self.row)}
        np.lib.format.write_array_header_1_0(self.file, header)


def read_index(path: Path) -> list[StoredClip]:
    """Read the clips of an index; raise InputError if a line doesn't describe one."""
    # A last line without a newline is what a killed process had begun to write.
    lines = path.read_bytes().split(b"\n")[:-1]
    try:
        return [StoredClip(**json.loads(line)) for line in lines]
    except (ValueError, TypeError):
        raise InputError(f"{path} is not the index of a feature store.") from None


def _line(clip: StoredClip) -> bytes:
    row = asdict(clip)
    del row["shard"]
    return json.dumps(row).encode() + b"\n"


def _open_arrays(folder: Path) -> dict[str, np.ndarray]:
    paths = [folder / f"{name}.npy" for name in ARRAYS]
    paths = [path for path in paths if path.stem != OPTIONAL or path.exists()]
    try:
        return {
            path.stem: np.load(path, mmap_mode="r")
            for path in [*paths, *folder.glob(f"{COPY}*.npy")]
        }
    except (OSError, ValueError) as error:
        raise InputError(f"The features in {folder} can't be read: {error}.") from None
