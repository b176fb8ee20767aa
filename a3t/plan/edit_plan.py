"""An EditPlan and its parts: all that is decided before rendering. Frames are `a3t.grid`'s."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.plan.edit_sites import GridPhone, WordFrames
from a3t.plan.json_values import Number, positive_number, string
from a3t.plan.request import EditRequest
from a3t.plan.reuse.recorded_speech import OtherRecording, ReusedSpeech
from a3t.plan.revision import Revision, word_map
from a3t.source.passages import AlignedRecording
from a3t.spans import Margins, Span, SpanMap
from a3t.text.pronunciation.pronouncer import Pronouncer
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
        return seconds_of(self.frames)

    def shown(self) -> dict[str, Any]:
        """It as a plan and an edit.json show it, in seconds, its scale rounded."""
        return {
            "word": self.text or "[pause]",
            "seconds": self.seconds,
            "scale": round(self.scale, 4),
        } | ({"emphasis": True} if self.emphasis else {})


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
        """True if it takes out or mutes sound between words (`a3t.plan.cleaning.cuts`)."""
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
        """The same edit where its words are others by their numbers."""
        by = new[0] - self.new[0]
        phones = tuple(
            PlannedPhone(p.symbol, p.frames, p.word + by if p.word >= 0 else -1)
            for p in self.phones
        )
        return replace(self, old=old, new=new, phones=phones)

    def shown(self) -> dict[str, Any]:
        """It as a plan shows it, its scales rounded."""
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
        """Doubts about the words that change and their neighbours, in order: words that are barely
        audible, and speech between them that is missing from the text."""
        words = [edit.old for edit in self.edits if not edit.is_cut]  # a cut's sound is known
        doubts = {doubt for old in words for doubt in doubts_beside(self.alignment, *old)}
        return tuple(sorted(doubts, key=lambda doubt: doubt.start))

    @cached_property
    def guessed(self) -> dict[str, str]:
        """New words that no lexicon and no recorded word has, and the phones guessed for them."""
        pronouncer = Pronouncer(dict(self.request.pronunciations))
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
    def requested(self) -> dict[str, Any]:
        """The entries that make an edit.json's edit again: the request and its source."""
        words = {*self.source.text.spoken, *self.request.new_transcript.spoken}
        others = tuple(map(OtherRecording.of, self.others))
        asked = replace(self.request.with_pronunciations_of(words), others=others).to_json()
        return asked | {
            "text": self.text.text,
            "new_text": self.new_text.text,
            "alignment": self.alignment.to_json(),
            "aligned_words": [list(words) for words in self.passages] or None,
        }

    def to_json(self) -> dict[str, Any]:
        """The whole plan, for people and other programs; scales and the rate are rounded."""
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
        } | ({"origins": origins} if origins else {})

    def describe(self) -> str:
        """The plan in readable form, one line per edit."""
        if not self.edits:
            same = "Nothing to change: both texts have the same words."
            marks = ({text.mark for text in texts.words} for texts in (self.text, self.new_text))
            if len({"?" in own for own in marks}) == 2:
                same += (
                    " A question mark in place of a full stop makes the last word rise, unless the "
                    "question begins with a word like “what” or offers a choice: these fall like "
                    "statements."
                )
            return same
        lines = []
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


MAX_PLAN_BYTES = 20_000_000  # bytes


def read_plan(path: Path) -> dict[str, Any]:
    """The fields of `EditRequest` that a plan file sets: its two texts, and for each edit with new
    words or pauses the seconds of each of these. InputError if it isn't a plan."""
    try:
        if path.stat().st_size > MAX_PLAN_BYTES:
            raise InputError(f"{path} is too large for a plan.")
        plan = json.loads(path.read_bytes())
        lengths = tuple(
            tuple(positive_number(word["seconds"]) for word in edit["words"])
            for edit in plan["edits"]
            if edit["words"]
        )
        text, new_text = string(plan["text"]), string(plan["new_text"])
        return {"text": text, "new_text": new_text, "lengths": lengths}
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        raise _not_a_plan(path) from None


def check_plan(path: Path, made: EditPlan) -> None:
    """InputError if a plan file doesn't fit the plan made from it: it is for another recording, or
    more than its seconds was changed."""
    try:
        plan = json.loads(path.read_bytes())
        sha256 = plan["source"]["sha256"]
        words = [word["word"] for edit in plan["edits"] for word in edit["words"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise _not_a_plan(path) from None
    if sha256 != made.recording.sha256:
        raise InputError(
            f"{path} is not a plan for {made.recording.path} (the sha256 differs): plan the edit "
            "again."
        )
    planned = [word.shown()["word"] for edit in made.edits for word in edit.words]
    for told, word in zip(words, planned, strict=False):
        if told != word:
            raise InputError(
                f"{path} has “{told}” where its new text has “{word}”: change only the seconds, "
                "and plan the edit again for other words."
            )


def _not_a_plan(path: Path) -> InputError:
    return InputError(
        f"{path} is not a plan: print one with --plan --json, and change only the seconds of its "
        "words."
    )
