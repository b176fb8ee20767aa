"""An EditPlan: everything decided before rendering. Frames are those of `a3t.grid`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from a3t.audio.reading.recording import Recording
from a3t.grid import seconds_of
from a3t.plan.edit_sites import WordFrames
from a3t.plan.phone_grid import GridPhone
from a3t.plan.planned_edit import PlannedEdit
from a3t.plan.request import EditRequest
from a3t.plan.reuse.recorded_speech import OtherRecording
from a3t.plan.revision import Revision, word_map
from a3t.source.passages import AlignedRecording
from a3t.spans import Span, SpanMap
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.confidence.doubts import Doubt, doubts_beside


@dataclass(frozen=True, slots=True)
class Window:
    """The model's input for one pass: the recording's ``source`` frames and the edits in them."""

    source: Span
    edits: tuple[int, ...]


@dataclass(frozen=True)
class EditPlan:
    """Everything decided before rendering.

    source: the recording, its text and their alignment, of a long one around the edits alone.
    request: as it was asked. revision: what changes. pronunciations: one for each new word. phones:
    the recording's, on the grid. rate: this speaker's durations relative to the predicted ones,
    divided by the requested speed. origins: of speech that is taken from elsewhere, what is changed
    there first; others: the request's other recordings. restored: whether the text's punctuation
    was. found_in: "given", "recognised", "alignment", or the name of the file that has the text;
    about: a sentence on how that was read, or "".
    """

    source: AlignedRecording
    request: EditRequest
    revision: Revision
    pronunciations: tuple[tuple[str, ...], ...]
    phones: tuple[GridPhone, ...]
    edits: tuple[PlannedEdit, ...]
    windows: tuple[Window, ...]
    rate: float
    origins: tuple[EditPlan, ...] = ()
    others: tuple[AlignedRecording, ...] = ()
    restored: bool = False
    found_in: str = "given"
    about: str = ""

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
        elsewhere = {word: way for origin in self.origins for word, way in origin.guessed.items()}
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
        return {
            "source": self.recording.to_json(),
            **self.requested,
            "rate": round(self.rate, 4),
            "edits": [edit.to_json() for edit in self.edits],
            "windows": [{"source_frames": list(w.source), "edits": w.edits} for w in self.windows],
            "pronunciations": [" ".join(phones) for phones in self.pronunciations],
            "doubts": [doubt.to_json() for doubt in self.doubts],
            "guessed": self.guessed,
            **({"origins": [each.to_json() for each in self.origins]} if self.origins else {}),
        }

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
        for origin in self.origins:
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
            path = self.origins[taken.origin].recording.path
            other = "" if path == self.recording.path else f" of {path.name}"
            sources.append(f"{first:.2f}–{last:.2f} s{other}")
        recorded = f"“{edit.new_words}”, recorded at {' and '.join(sources)}"
        if edit.op == "insert":
            return f"insert  {recorded}, {place}"
        return f"replace “{edit.old_words}” ({place}) with {recorded}"
