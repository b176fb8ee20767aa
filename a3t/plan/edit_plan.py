"""An EditPlan and its parts: all that is decided before rendering. Frames are `a3t.grid`'s."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from a3t.audio.reading.recording import Recording
from a3t.grid import seconds_of
from a3t.plan.edit_limits import Count, Number, shortened
from a3t.plan.request import Decibels, EditRequest, OtherRecording
from a3t.plan.revision import Revision, word_map
from a3t.plan.word_grid import GridPhone, WordFrames
from a3t.source.differences import Difference
from a3t.source.records import AlignedRecording
from a3t.spans import Margins, Span, SpanMap
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.confidence.doubts import Doubt, doubts_beside
from alignment.serialisation import OMITTED, Record


@dataclass(frozen=True, slots=True)
class PlannedPhone(Record):
    """A new phone; word: index of its word among the new text's spoken words, -1 for a pause."""

    symbol: str
    frames: int
    word: int


@dataclass(frozen=True, slots=True)
class PlannedWord(Record):
    """A new word, or a new pause (text ""), and its duration.

    scale: its duration divided by the one predicted for this speaker; 1 for a pause of a requested
    length.
    """

    text: str
    frames: int
    scale: Number = 1.0
    emphasis: bool = field(default=False, metadata=OMITTED)

    @property
    def seconds(self) -> float:
        """The duration in seconds."""
        return seconds_of(self.frames)

    def shown(self) -> dict[str, Any]:
        """Return the word as a plan and an edit.json show it; its scale is rounded."""
        return {
            "word": self.text or "[pause]",
            "seconds": self.seconds,
            "scale": round(self.scale, 4),
        } | ({"emphasis": True} if self.emphasis else {})


@dataclass(frozen=True, slots=True)
class ReusedSpeech(Record):
    """Speech of one of `EditPlan.source_edits`, as it is after that plan's own edits.

    origin: the origin's number. new: the words of the new text that it says. words: the same words
    in the origin's new text. edits: which of the origin's edits are within it. frames: of the
    origin's recording, the silence included that goes with it. silent: how many of these frames at
    either end are silent. pauses: frames of room tone that are added before and after it.
    decibels, punch_in: as `ReusedWords` has them.
    """

    origin: Count
    new: Span
    words: Span
    edits: Span
    frames: Span
    silent: Margins = (0, 0)
    pauses: Margins = (0, 0)
    decibels: Decibels | None = field(default=None, metadata=OMITTED)
    punch_in: bool = field(default=False, metadata=OMITTED)


@dataclass(frozen=True, slots=True)
class PlannedEdit(Record):
    """One change: its words, the frames of the recording that it removes, and the phones it adds.

    old, new: its spoken words in the text and in the new text. source: the frames that are replaced
    or deleted, empty for an insertion. margin: the number of neighbouring frames before and after
    it that are regenerated with it. overlap: the number of frames beyond these in which the joint
    may lie. scale: the factor by which the new words were stretched to fit a given time, else 1.
    words: the new words and pauses that ``phones`` spell out; an edit may consist of a pause alone.
    taken: recorded speech that the edit consists of instead, in order.
    """

    op: str  # "replace", "insert" or "delete"
    old: Span
    new: Span
    old_words: str
    new_words: str
    source: Span
    phones: tuple[PlannedPhone, ...]
    margin: Margins
    overlap: Margins
    scale: Number = 1.0
    words: tuple[PlannedWord, ...] = ()
    taken: tuple[ReusedSpeech, ...] = field(default=(), metadata=OMITTED)

    @property
    def is_spoken(self) -> bool:
        """True if it adds words that are made, not just a pause, recorded speech or nothing."""
        return self.new[0] < self.new[1] and not self.taken

    @property
    def is_cut(self) -> bool:
        """True if it takes out or mutes sound between words (`a3t.plan.request`)."""
        without_words = self.old[0] == self.old[1] and self.new[0] == self.new[1]
        return without_words and self.source[0] < self.source[1]

    @property
    def frames(self) -> int:
        """The number of new frames."""
        return sum(phone.frames for phone in self.phones)

    @property
    def seconds(self) -> float:
        """The duration of the new frames."""
        return seconds_of(self.frames)

    @property
    def remade(self) -> Span:
        """The recording's frames that are replaced, margins included."""
        return self.source[0] - self.margin[0], self.source[1] + self.margin[1]

    def counted(self, old: Span, new: Span) -> PlannedEdit:
        """Return the edit with its words renumbered."""
        by = new[0] - self.new[0]
        phones = tuple(
            PlannedPhone(p.symbol, p.frames, p.word + by if p.word >= 0 else -1)
            for p in self.phones
        )
        return replace(self, old=old, new=new, phones=phones)

    def shown(self) -> dict[str, Any]:
        """Return the edit as a plan shows it; scales are rounded."""
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
            "words": [word.shown() for word in self.words],
            "phones": [[phone.symbol, phone.frames, phone.word] for phone in self.phones],
            **({"taken": [each.to_json() for each in self.taken]} if self.taken else {}),
        }


@dataclass(frozen=True, slots=True)
class Window:
    """The model's input for one pass: the recording's ``source`` frames and the edits in them."""

    source: Span
    edits: tuple[int, ...]


@dataclass(frozen=True)
class EditPlan:
    """An edit as it is planned: everything that is decided before rendering.

    Examples
    --------
    >>> plan = editor.plan("talk.wav", new_text="We met at ten.")
    >>> [(edit.op, edit.old_words, edit.new_words) for edit in plan.edits]
    [('replace', 'nine.', 'ten.')]
    """

    source: AlignedRecording
    """The recording, its text, and their alignment; of a long one around the edits alone."""
    request: EditRequest
    """The request that was planned."""
    revision: Revision
    """The two texts, of the aligned words, and what changes between them."""
    pronunciations: tuple[tuple[str, ...], ...]
    """The phones of each word of the new text."""
    phones: tuple[GridPhone, ...]
    """The recording's phones on the grid."""
    edits: tuple[PlannedEdit, ...]
    windows: tuple[Window, ...]
    rate: float
    """This speaker's durations over the predicted ones, divided by the requested speed."""
    source_edits: tuple[EditPlan, ...] = ()
    """Changes that are made first in speech that is taken from elsewhere."""
    others: tuple[AlignedRecording, ...] = ()
    """The request's other recordings."""
    differences: tuple[Difference, ...] = ()
    """What a recognised text and the new one differ in; those that are made are ticked."""
    unheard: tuple[str, ...] = ()
    """Words of the text that the new one lacks and nobody says: no sound goes with them."""

    @property
    def recording(self) -> Recording:
        """The recording that is edited."""
        return self.source.recording

    @property
    def text(self) -> Transcript:
        """The aligned words of the recording."""
        return self.revision.text

    @property
    def new_text(self) -> Transcript:
        """The text that these words become."""
        return self.revision.new_text

    @property
    def revised_text(self) -> Transcript:
        """The text that the whole recording's becomes."""
        return self.revision.whole.new_text

    @property
    def alignment(self) -> Alignment:
        """The alignment of these words."""
        return self.source.alignment

    @property
    def passages(self) -> tuple[Span, ...]:
        """The aligned ranges of a long recording's text; empty if all of it is aligned."""
        return self.source.passages

    @cached_property
    def words(self) -> SpanMap:
        """The mapping from the text's words to the new text's."""
        return word_map(self.edits, len(self.text.spoken))

    @cached_property
    def word_frames(self) -> WordFrames:
        """The frames of each of the text's words."""
        return WordFrames.of(self.phones, len(self.text.words), self.frames)

    @cached_property
    def doubts(self) -> tuple[Doubt, ...]:
        """The doubts about the words that change and their neighbours, in order.

        Words are doubtful that are barely audible; so is speech between them that the text lacks.
        """
        words = [edit.old for edit in self.edits if not edit.is_cut]  # a cut's sound is known
        doubts = {doubt for old in words for doubt in doubts_beside(self.alignment, *old)}
        return tuple(sorted(doubts, key=lambda doubt: doubt.start))

    @cached_property
    def guessed(self) -> dict[str, str]:
        """New words that no lexicon and no recorded word has, and the phones guessed for them."""
        pronouncer = self.request.pronouncer
        made = [edit for edit in self.edits if not edit.taken]
        new = {word: self.new_text.words[word].text for e in made for word in range(*e.new)}
        elsewhere = {
            word: way for origin in self.source_edits for word, way in origin.guessed.items()
        }
        return elsewhere | {
            text: " ".join(self.pronunciations[word])
            for word, text in new.items()
            if text not in self.text.spoken and pronouncer.is_guessed(text)
        }

    @property
    def frames(self) -> int:
        """The recording's length in frames."""
        return self.recording.frames

    @property
    def other_recordings(self) -> tuple[OtherRecording, ...]:
        """The request's other recordings, with what was heard in them."""
        return tuple(
            OtherRecording.of(heard, asked.punch_in)
            for heard, asked in zip(self.others, self.request.others, strict=False)
        )

    @property
    def requested(self) -> dict[str, Any]:
        """The entries that make an edit.json's edit again: the request and its source."""
        words = {*self.source.text.spoken, *self.new_text.spoken}
        own = self.request.with_pronunciations_of(words)
        asked = replace(own, others=self.other_recordings).to_json()
        return asked | {
            "text": self.text.text,
            "new_text": self.new_text.text,
            "alignment": self.alignment.to_json(),
            "aligned_words": [list(words) for words in self.passages] or None,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the whole plan for people and other programs; scales and the rate are rounded."""
        origins = [each.to_json() for each in self.source_edits]
        return {
            "source": self.recording.to_json(),
            **self.requested,
            "rate": round(self.rate, 4),
            "edits": [edit.shown() for edit in self.edits],
            "windows": [{"source_frames": list(w.source), "edits": w.edits} for w in self.windows],
            "pronunciations": [" ".join(phones) for phones in self.pronunciations],
            "doubts": [doubt.to_json() for doubt in self.doubts],
            "guessed": self.guessed,
            "differences": [each.to_json() for each in self.differences],
            "unheard": list(self.unheard),
        } | ({"origins": origins} if origins else {})

    def describe(self) -> str:
        """Describe the plan in words, one line for each edit."""
        lines = [
            f"“{shortened(words)}” was not heard in the recording: left alone"
            for words in self.unheard
        ]
        if not self.edits and not lines:
            same = "Nothing to change: both texts have the same words."
            marks = ({text.mark for text in texts.words} for texts in (self.text, self.new_text))
            if len({"?" in own for own in marks}) == 2:
                same += (
                    " A question mark in place of a full stop makes the last word rise, unless the "
                    "question begins with a word like “what” or offers a choice: these fall like "
                    "statements."
                )
            return same
        for edit in self.edits:
            first, last = map(seconds_of, edit.source)
            place = f"at {first:.2f} s" if first == last else f"{first:.2f}–{last:.2f} s"
            if edit.taken:
                lines.append(self._describe_taken(edit, place))
                continue
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
        for origin in self.source_edits:
            if origin.edits:
                lines.append(f"where that comes from ({origin.recording.path.name}):")
                lines += [f"   {line}" for line in origin.describe().splitlines()]
        for word, phones in self.guessed.items():
            lines.append(
                f"“{word}” is in no dictionary; guessed from its letters: {phones} "
                f'(--pronounce "{word}=…" says it otherwise)'
            )
        return "\n".join(lines)

    def _describe_taken(self, edit: PlannedEdit, place: str) -> str:
        sources = []
        for taken in edit.taken:
            first, last = map(seconds_of, taken.frames)
            path = self.source_edits[taken.origin].recording.path
            other = "" if path == self.recording.path else f" of {path.name}"
            sources.append(f"{first:.2f}–{last:.2f} s{other}")
        recorded = f"“{edit.new_words}”, recorded at {' and '.join(sources)}"
        if edit.op == "insert":
            return f"insert  {recorded}, {place}"
        return f"replace “{edit.old_words}” ({place}) with {recorded}"
