"""Proof-listening: where a reading departs from its script, and where its sound is at fault.

The recording is heard and compared with the script (a3t.source.change_detection); what is said
is then aligned, which gives the times, and finds what stands in the pauses.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.alignments import AlignmentStore
from a3t.source.change_detection import SpeechComparison
from a3t.source.places import with_words
from a3t.source.recognised_transcript import recognised
from a3t.source.records import FoundTranscript, Place
from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit, minimal_script
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.confidence.doubts import doubts

KINDS = (
    "omitted",
    "added",
    "repeated",
    "misread",
    "filler",
    "unclear",
    "pause",
    "noise",
    "clipped",
)
SOUNDS = {"<um>": "filler", "<repeat>": "repeated", "<speech>": "added", "<noise>": "noise"}
FULL = 0.9995  # of full scale: what reaches it
CLIPPED_RUN = 4  # samples in a row at one value there
APART = 0.5  # seconds between two clipped places
FASTEST = 6.0  # words a second that anybody says
ANCHOR = 3  # words in a row that tell where in a book a chapter is
FEWEST = 5  # of these that must agree
MIN_LOG_ODDS = -0.5  # from which a place is a departure (docs/log.md)
UNREAD = 25  # words at an end of the text that a reading may lack and still be meant to have


@dataclass(frozen=True)
class Remark:
    """Something to listen to: one of KINDS, its seconds, and what is written and said there.

    sure: how sure it is, 0 to 1.
    """

    kind: str
    start: float
    end: float
    written: str = ""
    said: str = ""
    sure: float = 1.0

    def __str__(self) -> str:
        """Return the departure's line in a list."""
        match self.kind:
            case "misread":
                about = f"“{self.said}” for “{self.written}”"
            case "omitted" | "unclear":
                about = f"“{self.written}”"
            case _:
                about = f"“{self.said}”" if self.said else f"{self.end - self.start:.2f} s"
        sure = "" if self.sure == 1.0 else f"  ({self.sure:.0%})"
        return f"{self.start:9.2f} – {self.end:9.2f} s  {self.kind:8}  {about}{sure}"

    def to_json(self) -> dict[str, Any]:
        """Return its fields, the seconds to a millisecond."""
        return asdict(self) | {"start": round(self.start, 3), "end": round(self.end, 3)}


def remarks(
    recording: Recording,
    script: Transcript,
    store: AlignmentStore,
    model: Path | None,
    longest: float = 2.0,
) -> list[Remark]:
    """Find all that a proof-listener would mark, in order; pauses of more than ``longest`` seconds.

    ``model``: a Whisper model's folder, None for the built-in recogniser. Raises InputError if
    nothing is heard, or nothing of the script.
    """
    pronouncer = Pronouncer()
    comparison = SpeechComparison(recording, pronouncer, model, remembers=True)
    compared = comparison.compared(script)
    odds = [compared.weights.log_odds(each) for each in compared.evidence]
    changed = [k for k, each in enumerate(odds) if each > MIN_LOG_ODDS]
    swapped = [Place(compared.places[k].new, compared.places[k].heard) for k in changed]
    read = FoundTranscript(compared.new)
    said = with_words(read, compared.heard, swapped).transcript if swapped else compared.new
    alignment = store.whole(recording, FoundTranscript(said), pronouncer)
    sure = [1 / (1 + math.exp(-odds[k])) for k in changed]
    found = [
        *_departures(compared.new, said, alignment, sure),
        *_sounds(alignment, comparison.heard_freely.transcript, longest),
        *clipped(recording),
    ]
    return sorted(found, key=lambda each: (each.start, each.end))


def as_read(recording: Recording, script: Transcript, model: Path) -> Transcript:
    """Return the script with what is read besides it, from three words on.

    Such as what is read twice. ``model``: a Whisper model's folder; the built-in recogniser hears
    too few words for this. Errors as for `remarks`.
    """
    compared = SpeechComparison(recording, Pronouncer(), model).compared(script)
    odds = [compared.weights.log_odds(each) for each in compared.evidence]
    added = [
        Place(place.new, place.heard)
        for place, each in zip(compared.places, odds, strict=True)
        if place.new[0] == place.new[1] and place.heard[1] - place.heard[0] >= 3 and each > 0.0
    ]
    return with_words(FoundTranscript(compared.new), compared.heard, added).transcript


def _departures(
    script: Transcript, said: Transcript, alignment: Alignment, sure: Sequence[float]
) -> Iterator[Remark]:
    """Yield the differences of the words, with the times of what is said."""
    spoken = alignment.spoken
    edits = minimal_script(script.spoken, said.spoken)
    for number, edit in enumerate(edits):
        first, last = edit.new
        before = spoken[first - 1].end if first else 0.0
        after = spoken[last].start if last < len(spoken) else alignment.duration
        start, end = (
            (spoken[first].start, spoken[last - 1].end) if last > first else (before, after)
        )
        own = sure[number] if len(edits) == len(sure) else min(sure, default=1.0)
        written, heard = script.said(*edit.old), said.said(first, last)
        yield Remark(_kind(edit, said), start, end, written, heard, round(own, 3))


def _kind(edit: WordEdit, said: Transcript) -> str:
    first, last = edit.new
    size, words = last - first, said.spoken
    if edit.op == "delete":
        return "omitted"
    if edit.op == "replace":
        return "misread"
    again = words[first:last] in (words[last : last + size], words[max(first - size, 0) : first])
    return "repeated" if again else "added"


def _sounds(alignment: Alignment, heard: Transcript, longest: float) -> Iterator[Remark]:
    """Yield the aligner's doubts, and the pauses that are too long, but for those at the ends.

    No word is in doubt that is ``heard`` without the text, too.
    """
    spoken = alignment.spoken
    edits = minimal_script(heard.spoken, [word.text for word in spoken])
    unheard = {spoken[k].start for edit in edits for k in range(*edit.new)}
    for doubt in doubts(alignment):
        if doubt.text and doubt.start not in unheard:
            continue
        if doubt.text:
            sure = round(1.0 - doubt.score, 3)
            yield Remark("unclear", doubt.start, doubt.end, doubt.text, "", sure)
        else:
            yield Remark(SOUNDS.get(doubt.unwritten, "noise"), doubt.start, doubt.end)
    for word in alignment.words[1:-1]:
        if word.is_pause and word.duration > longest:
            yield Remark("pause", word.start, word.end)


def clipped(recording: Recording) -> Iterator[Remark]:
    """Yield the places where samples stay at full scale, as of too loud a recording."""
    start, end, place = -1.0, -1.0, 0
    for block in recording.blocks():
        samples = to_float(block)
        loud = (np.abs(samples) >= FULL).any(axis=1)
        for offset in _runs(loud):
            time = (place + offset) / recording.sample_rate
            if start >= 0 and time - end > APART:
                yield Remark("clipped", start, end)
                start = -1.0
            start = time if start < 0 else start
            end = time + CLIPPED_RUN / recording.sample_rate
        place += len(block)
    if start >= 0:
        yield Remark("clipped", start, end)


def _runs(loud: np.ndarray) -> Iterator[int]:
    """Yield the places where CLIPPED_RUN samples in a row begin."""
    if loud.sum() < CLIPPED_RUN:
        return
    window = np.convolve(loud, np.ones(CLIPPED_RUN, int), "valid")
    starts = np.flatnonzero(window == CLIPPED_RUN)
    yield from starts[np.diff(starts, prepend=-2) > 1].tolist()


def stretch_of(recording: Recording, book: Transcript, model: Path | None) -> Transcript:
    """Return the part of a text that a recording reads, found by the words heard at its ends.

    The text's first and last words count as omitted where no more than UNREAD are missing. Raises
    InputError if nothing of a text is heard that takes longer than the recording.
    """
    heard = recognised(recording, Pronouncer(), model, remembers=True).transcript.spoken
    places: dict[tuple[str, ...], list[int]] = {}
    for k in range(len(book.words) - ANCHOR + 1):
        places.setdefault(book.spoken[k : k + ANCHOR], []).append(k)
    anchors = [
        (k, found[0])
        for k in range(len(heard) - ANCHOR + 1)
        if len(found := places.get(heard[k : k + ANCHOR], [])) == 1
    ]
    # Where most of them lie: a reading keeps the distance between its words.
    near = Counter((place - k) // 50 for k, place in anchors)
    best = max(near, key=lambda each: near[each] + near[each + 1], default=0)
    own = [(k, p) for k, p in anchors if abs((p - k) // 50 - best) <= max(2, len(heard) // 500)]
    count = len(book.words)
    if len(own) < min(FEWEST, max(1, len(heard) // 4)):
        if count <= FASTEST * recording.seconds:
            return book
        raise InputError(
            f"{recording.path.name} reads nothing of the text: give the text that it reads."
        )
    ends = [0, *(k + 1 for k, word in enumerate(book.words) if word.mark in (".", "?")), count]
    before, start = heard[: own[0][0]], own[0][1]
    after, stop = heard[own[-1][0] + ANCHOR :], own[-1][1] + ANCHOR
    back = _matched(before[::-1], book.spoken[:start][::-1])
    on = _matched(after, book.spoken[stop:])
    begin = _edge(start - back[1], back[0] - len(before), ends)
    end = _edge(stop + on[1], len(after) - on[0], ends)
    begin = 0 if begin <= UNREAD else begin
    end = count if count - end <= UNREAD else end
    return book if end - begin == count else book.part(begin, max(end, begin + 1))


def _matched(heard: Sequence[str], book: Sequence[str]) -> Span:
    """Return how many words there are of each up to the last one that is heard as it is written."""
    near = book[: len(heard) + ANCHOR]
    blocks = SequenceMatcher(None, heard, near, autojunk=False).get_matching_blocks()
    return max(((b.a + b.size, b.b + b.size) for b in blocks if b.size), default=(0, 0))


def _edge(place: int, further: int, ends: Sequence[int]) -> int:
    """Return where a reading begins or ends: so many words ``further`` than a place.

    It is at the end of a sentence if one is near, nearer where the place is at its edge.
    """
    edge = min(max(place + further, 0), ends[-1])
    nearest = min(ends, key=lambda each: abs(each - edge))
    reach = UNREAD if abs(further) > ANCHOR else ANCHOR
    return nearest if abs(nearest - edge) <= reach else edge
