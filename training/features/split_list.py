"""The list of a recipe's clips by split, carried from the data to the trained model.

`training.corpora.prepare` writes ``split.tsv`` beside the data directories. It goes with the
features, every training on them and every packed model, so that an evaluation can tell what a
network was trained on. Voices are ``corpus-speaker``; no text of a corpus is in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError

SPLIT_FILE = "split.tsv"
HEAD = "name\tsplit\tvoice"
HELD_OUT = frozenset({"test", "test_unseen"})


@dataclass(frozen=True)
class ListedClip:
    """A clip's name, its split and its voice."""

    name: str
    split: str
    voice: str


@dataclass(frozen=True)
class SplitList:
    """The clips of all splits, sorted by name."""

    clips: tuple[ListedClip, ...] = field(repr=False)

    @classmethod
    def of(cls, clips: Iterable[ListedClip]) -> SplitList:
        """Return the list of these clips; InputError if one stands in two splits."""
        ordered = tuple(sorted(clips, key=lambda clip: clip.name))
        found = cls(ordered)
        if len(found.by_name) < len(ordered):
            raise InputError("A clip stands in the list of clips twice: prepare the corpus again.")
        return found

    @cached_property
    def by_name(self) -> dict[str, ListedClip]:
        """The clips by their names."""
        return {clip.name: clip for clip in self.clips}

    @property
    def text(self) -> str:
        """The file's content."""
        lines = (f"{clip.name}\t{clip.split}\t{clip.voice}" for clip in self.clips)
        return "\n".join([HEAD, *lines, ""])

    @property
    def digest(self) -> str:
        """The sha256 of the file's content."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def trained_on(self, names: Iterable[str]) -> list[str]:
        """Return those of these clips that the list doesn't hold out."""
        listed = self.by_name
        return [name for name in names if name not in listed or listed[name].split not in HELD_OUT]

    def write(self, folder: Path) -> None:
        """Write ``split.tsv`` into a folder, which is made if it isn't there."""
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_path(folder / SPLIT_FILE) as temporary:
            temporary.write_text(self.text, encoding="utf-8")


def read_split(folder: Path) -> SplitList | None:
    """Return a folder's list of clips, None without one; InputError if it can't be read."""
    path = folder / SPLIT_FILE
    try:
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        if head != HEAD:
            raise ValueError("its first line names other columns")
        return SplitList.of(ListedClip(*line.split("\t")) for line in lines)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path} can't be read ({error}): make it again by preparation.") from None


def refuse_trained_on(split: SplitList, names: Collection[str], name: str) -> None:
    """Raise InputError if a model's list doesn't hold out all of these clips."""
    if heard := split.trained_on(names):
        raise InputError(
            f"{name}: its list of clips does not hold out {len(heard)} of {len(names)}, such as "
            f"{heard[0]}: measure it on the test clips of the data that it was trained on."
        )
