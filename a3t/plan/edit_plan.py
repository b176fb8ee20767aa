"""An EditPlan: everything decided before rendering. Frames are those of `a3t.grid`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from a3t.audio.recording import Recording
from a3t.audio.span_map import SpanMap
from a3t.errors import InputError
from a3t.grid import frames_of, grid_frames, seconds_of
from a3t.plan.phone_grid import GridPhone, on_grid
from a3t.plan.request import EditRequest
from a3t.plan.revision import Revision, word_map
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.confidence.doubts import Doubt, doubts_beside

Range = tuple[int, int]  # [first, last)


@dataclass(frozen=True, slots=True)
class PlannedPhone:
    """A phone of the edited speech.

    word: index of its word among the new text's spoken words, -1 for a pause. source: its first
    frame in the recording if it is kept, None if it is new.
    """

    symbol: str
    frames: int
    word: int
    source: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedWord:
    """A new word, or a new pause (text ""), and its duration.

    scale: its duration divided by the one predicted for this speaker; 1 for a pause of a requested
    length.
    """

    text: str
    frames: int
    scale: float = 1.0
    emphasis: bool = False

    @property
    def seconds(self) -> float:
        return seconds_of(self.frames)

    def to_json(self) -> dict[str, Any]:
        return {
            "word": self.text or "[pause]",
            "seconds": self.seconds,
            "scale": round(self.scale, 4),
        } | ({"emphasis": True} if self.emphasis else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlannedWord:
        text = "" if data["word"] == "[pause]" else str(data["word"])
        frames, scale = frames_of(float(data["seconds"])), float(data["scale"])
        return cls(text, frames, scale, bool(data.get("emphasis", False)))


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """One change: its words, the frames of the recording that it removes, and the phones it adds.

    old, new: its spoken words in the text and in the new text. source: the frames that are replaced
    or deleted, empty for an insertion. margin: the number of neighbouring frames before and after
    it that are regenerated with it. overlap: the number of frames beyond these in which the joint
    may lie. scale: the factor by which the new words were stretched to fit a given time, else 1.
    words: the new words and pauses that ``phones`` spell out; an edit may consist of a pause alone.
    """

    op: str  # "replace", "insert" or "delete"
    old: Range
    new: Range
    old_words: str
    new_words: str
    source: Range
    phones: tuple[PlannedPhone, ...]
    margin: Range
    overlap: Range
    scale: float = 1.0
    words: tuple[PlannedWord, ...] = ()

    @property
    def is_spoken(self) -> bool:
        """Whether it adds words, not just a pause or nothing."""
        return self.new[0] < self.new[1]

    @property
    def is_cut(self) -> bool:
        """Whether it takes out or mutes sound between words (`a3t.plan.cuts`)."""
        return self.old[0] == self.old[1] and not self.is_spoken and self.source[0] < self.source[1]

    @property
    def frames(self) -> int:
        """The number of new frames."""
        return sum(phone.frames for phone in self.phones)

    @property
    def seconds(self) -> float:
        """The duration of the new frames."""
        return seconds_of(self.frames)

    @property
    def remade(self) -> Range:
        """The recording's frames that are replaced, margins included."""
        return self.source[0] - self.margin[0], self.source[1] + self.margin[1]

    def to_json(self) -> dict[str, Any]:
        return {
            "op": self.op,
            "old_words": self.old_words,
            "new_words": self.new_words,
            "old": list(self.old),
            "new": list(self.new),
            "source_frames": list(self.source),
            "margin_frames": list(self.margin),
            "overlap_frames": list(self.overlap),
            "frames": self.frames,
            "scale": round(self.scale, 4),
            "words": [word.to_json() for word in self.words],
            "phones": [[phone.symbol, phone.frames, phone.word] for phone in self.phones],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlannedEdit:
        return cls(
            op=str(data["op"]),
            old=_range(data["old"]),
            new=_range(data["new"]),
            old_words=str(data["old_words"]),
            new_words=str(data["new_words"]),
            source=_range(data["source_frames"]),
            phones=tuple(PlannedPhone(str(s), int(n), int(w)) for s, n, w in data["phones"]),
            margin=_range(data["margin_frames"]),
            overlap=_range(data["overlap_frames"]),
            scale=float(data["scale"]),
            words=tuple(PlannedWord.from_json(word) for word in data["words"]),
        )


@dataclass(frozen=True, slots=True)
class Window:
    """The model's input for one pass: the recording's ``source`` frames and the edits in them."""

    source: Range
    edits: tuple[int, ...]


@dataclass(frozen=True)
class EditPlan:
    """Everything decided before rendering.

    request: the request, completed by the recording's text and alignment and, for a long recording,
    by the ranges of words that are aligned. revision: what changes. pronunciations: one for each
    new word. phones: the recording's, on the grid. rate: this speaker's durations relative to the
    predicted ones, divided by the requested speed. restored: whether the text's punctuation was.
    """

    recording: Recording
    request: EditRequest
    revision: Revision
    pronunciations: tuple[tuple[str, ...], ...]
    phones: tuple[GridPhone, ...]
    edits: tuple[PlannedEdit, ...]
    windows: tuple[Window, ...]
    rate: float
    restored: bool = False

    @property
    def text(self) -> Transcript:
        """The aligned words of the recording."""
        return self.revision.text

    @property
    def new_text(self) -> Transcript:
        """What these words become."""
        return self.revision.new_text

    @property
    def alignment(self) -> Alignment:
        """The alignment of these words."""
        assert isinstance(self.request.alignment, Alignment)
        return self.request.alignment

    @property
    def passages(self) -> tuple[Range, ...]:
        """The aligned ranges of a long recording's text; empty if all of it is aligned."""
        return self.revision.passages

    @cached_property
    def words(self) -> SpanMap:
        """The mapping from the text's words to the new text's."""
        return word_map(self.edits, len(self.text.spoken))

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """Doubts about the words that change and their neighbours, in order: words that are barely
        audible, and speech between them that is missing from the text."""
        words = [edit.old for edit in self.edits if not edit.is_cut]  # a cut's sound is known
        doubts = {doubt for old in words for doubt in doubts_beside(self.alignment, *old)}
        return tuple(sorted(doubts, key=lambda doubt: doubt.start))

    @cached_property
    def guessed(self) -> dict[str, str]:
        """New words that no lexicon and no recorded word has, and the phones guessed for them."""
        pronouncer = Pronouncer(dict(self.request.pronunciations))
        new = {word: self.new_text.words[word].text for e in self.edits for word in range(*e.new)}
        return {
            text: " ".join(self.pronunciations[word])
            for word, text in new.items()
            if text not in self.text.spoken and pronouncer.is_guessed(text)
        }

    def whole_words(self, count: int) -> SpanMap:
        """The mapping from the whole text's words, ``count`` of them, to the whole new text's."""
        if not self.passages:
            return self.words
        spans = (tuple(map(self._place_in_whole, edit.old)) for edit in self.edits)
        replaced = (
            ((first, last), edit.new[1] - edit.new[0])
            for (first, last), edit in zip(spans, self.edits, strict=True)
        )
        return SpanMap.replacing(replaced, count)

    def _place_in_whole(self, word: int) -> int:
        """The index in the whole text of a word of the passages, or of their end."""
        for first, last in self.passages:
            if word < last - first:
                return first + word
            word -= last - first
        return self.passages[-1][1]

    @property
    def frames(self) -> int:
        """The recording's length in frames."""
        return grid_frames(self.recording.samples, self.recording.sample_rate)

    def to_json(self) -> dict[str, Any]:
        """The whole plan, readable by `from_json`; scales and the rate are rounded."""
        return {
            "source": self.recording.to_json(),
            **self.request.to_json(),
            "rate": round(self.rate, 4),
            "edits": [edit.to_json() for edit in self.edits],
            "windows": [{"source_frames": list(w.source), "edits": w.edits} for w in self.windows],
            "pronunciations": [" ".join(phones) for phones in self.pronunciations],
            "doubts": [doubt.to_json() for doubt in self.doubts],
            "guessed": self.guessed,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], recording: Recording) -> EditPlan:
        """The plan that `to_json` wrote; it renders to the same samples.

        Raises InputError if the plan belongs to another recording, and KeyError, TypeError or
        ValueError if the data isn't a plan.
        """
        if data["source"]["sha256"] != recording.sha256:
            raise InputError(f"The plan was not made for {recording.path}: plan the edit again.")
        request = EditRequest.from_json(data)
        if request.text is None or not isinstance(request.alignment, Alignment):
            raise ValueError("a plan needs its text and its alignment")
        text = Transcript.from_text(request.text, max_words=None)
        revision = Revision.of(text, request.new_transcript)
        if request.aligned_words:
            revision = revision.within(request.aligned_words)
        windows = tuple(
            Window(_range(window["source_frames"]), tuple(map(int, window["edits"])))
            for window in data["windows"]
        )
        return cls(
            recording,
            request,
            revision,
            tuple(tuple(phones.split()) for phones in data["pronunciations"]),
            on_grid(request.alignment, grid_frames(recording.samples, recording.sample_rate)),
            tuple(PlannedEdit.from_json(edit) for edit in data["edits"]),
            windows,
            float(data["rate"]),
        )

    def describe(self) -> str:
        """The plan in readable form, one line per edit."""
        if not self.edits:
            return "Nothing to change: both texts have the same words."
        lines = []
        for edit in self.edits:
            first, last = map(seconds_of, edit.source)
            place = f"at {first:.2f} s" if first == last else f"{first:.2f}–{last:.2f} s"
            match edit.op:
                case "delete":
                    lines.append(f"delete  “{edit.old_words}” ({place})")
                case "insert":
                    lines.append(f"insert  “{edit.new_words}” {place} ({edit.seconds:.2f} s)")
                case _:
                    lines.append(
                        f"replace “{edit.old_words}” ({place}) with “{edit.new_words}” "
                        f"({edit.seconds:.2f} s)"
                    )
        for word, phones in self.guessed.items():
            lines.append(
                f"“{word}” is in no dictionary; guessed from its letters: {phones} "
                f'(--pronounce "{word}=…" says it otherwise)'
            )
        return "\n".join(lines)


def _range(pair: Sequence[int]) -> Range:
    first, last = pair
    return int(first), int(last)
