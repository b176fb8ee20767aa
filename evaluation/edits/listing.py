"""The list of edits, ``edits.tsv``: clips of unseen voices, word ranges, and new words of our own.

`draw_edit` drew it once, of eight clips of a voice at most. It contains no text of a corpus. It has
two sets with different voices: "choose" for making choices, "report" for the figures that are
reported.
"""

from __future__ import annotations

import csv
import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from a3t.errors import InputError
from a3t.text.transcript import Transcript
from evaluation.clips import by_hash, in_turn
from training.corpora import Clip, is_unseen

LIST = Path(__file__).with_name("edits.tsv")
KINDS = ("replace", "replace several", "insert", "start", "end", "function word")
SECONDS = (3.0, 11.0)
LEAST_WORDS = 7

CONTENT = (
    "yellow river mountain seven garden window paper silver winter morning carefully doctor "
    "bicycle market evening music quiet children travel honest favourite danger simple pocket "
    "harbour machine question summer brother finally kitchen nobody remember village orange "
    "together station purple number almost message"
).split()
FUNCTION = "the a of to and in for with from his her our this that when but not would have".split()


@dataclass(frozen=True)
class ListedEdit:
    """Replaces spoken words [first, last) of a clip; ``last`` = ``first`` for an insertion."""

    name: str
    set: str
    kind: str
    voice: str
    clip: str
    first: int
    last: int
    new_words: str

    def texts(self, clip: Clip) -> tuple[str, str]:
        """Return the clip's text in spoken words, and the new text."""
        words = list(Transcript.from_text(clip.text).spoken)
        changed = [*words[: self.first], *self.new_words.split(), *words[self.last :]]
        return " ".join(words), " ".join(changed)


def read_list(path: Path = LIST) -> list[ListedEdit]:
    """Read the edits of a list, in order."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    return [
        ListedEdit(name, half, kind, voice, clip, int(first), int(last), new_words)
        for name, half, kind, voice, clip, first, last, new_words in rows
    ]


def set_of(voice: str) -> str:
    """Return an unseen voice's set, by a hash of its name: a third are "choose"."""
    digest = hashlib.sha256(f"half {voice}".encode()).digest()
    return "choose" if digest[0] % 3 == 0 else "report"


def clips_in_turn(clips: Iterable[Clip], half: str, most: int) -> list[Clip]:
    """Return clips of a half of the unseen voices that can be edited; the voices take turns.

    There are at most so many of a voice.
    """
    voices: dict[str, list[Clip]] = {}
    for clip in by_hash(clips):
        words = Transcript.from_text(clip.text).spoken
        usable = SECONDS[0] <= clip.seconds <= SECONDS[1] and len(words) >= LEAST_WORDS
        if usable and is_unseen(clip.voice) and set_of(clip.voice) == half:
            own = voices.setdefault(clip.voice, [])
            if len(own) < most:
                own.append(clip)
    return in_turn(voices.values())


def draw_edit(name: str, half: str, kind: str, clip: Clip) -> ListedEdit:
    """Draw an edit of this kind of a clip, always the same."""
    draw = random.Random(f"{kind} {clip.name}")
    count = len(Transcript.from_text(clip.text).spoken)
    new = draw.sample(CONTENT, 3)
    first = draw.randrange(2, count - 3)
    last = first + 1
    match kind:
        case "replace":
            new = new[:1]
        case "replace several":
            last = first + 2
        case "insert":
            last, new = first, new[:2]
        case "start":
            first, last, new = 0, 1, new[:2]
        case "end":
            first, last, new = count - 1, count, new[:2]
        case _:
            new = [draw.choice(FUNCTION)]
    return ListedEdit(name, half, kind, clip.voice, clip.name, first, last, " ".join(new))


def find_clips(edits: Sequence[ListedEdit], clips: Iterable[Clip]) -> dict[str, Clip]:
    """Find the edits' clips by name; raise InputError if one is missing."""
    names = {edit.clip for edit in edits}
    found = {clip.name: clip for clip in clips if clip.name in names}
    missing = sorted(names - found.keys())
    if missing:
        raise InputError(
            f"{len(missing)} clips of the list are not in the corpora, such as {missing[0]}: it "
            "needs LibriSpeech's train-clean-5 and Common Voice's Delta Segment 13.0."
        )
    return found
