"""Which of a recording's words teach its voice: those of a part of it, by one speaker."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from a3t.audio.recording import Recording
from a3t.editor import Editor
from a3t.grid import seconds_of
from a3t.model.threads import one_thread
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import EditRequest
from a3t.source.passages import Passages
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.voice.material import VoicePiece, pieces_of
from a3t.voice.speaker import of_one_speaker
from alignment import Alignment, AlignmentError

PAYS_FROM = 8.0  # seconds of usable speech; by what was measured of edits, docs/log.md
PART = 300.0  # seconds of a long recording that have a voice of their own
HEARD = 75.0  # seconds in the middle of a part, from which its voice is learnt


@dataclass(frozen=True)
class OwnSpeech:
    """The words of a recording from which its voice is learnt.

    They depend on the part of the recording in which an edit lies and on who speaks there, but not
    on the edit itself, so that one voice serves all edits nearby. told: whether an edit.json has to
    tell them, because they are not just the words that it has.
    """

    recording: Recording
    alignment: Alignment
    told: bool = False

    @classmethod
    def of(cls, editor: Editor, plan: EditPlan, request: EditRequest) -> OwnSpeech:
        """What the voice of a plan's recording is learnt from; ``request`` is the one planned."""
        if not plan.edits:
            return cls(plan.recording, plan.alignment)
        speaker = _speaker_of(plan)
        text, heard = plan.text, Passages(plan.alignment, ((0, len(plan.text.words)),))
        if plan.passages:
            recording = plan.recording
            middle = _middle_of_part(seconds_of(plan.edits[0].source[0]), recording.seconds)
            asked = request if request.alignment else replace(request, text=plan.request.text)
            span = (middle - HEARD / 2, middle + HEARD / 2)
            with suppress(AlignmentError):  # the words there aren't those of the text
                pronouncer = Pronouncer(dict(asked.pronunciations))
                found = editor.find_transcript(recording, asked, pronouncer)
                heard = editor.alignments.between(recording, found, span, pronouncer)
                text = found.transcript
        alignment = _said_by(speaker, text, heard)
        return cls(plan.recording, alignment, alignment != plan.alignment)

    @cached_property
    def pieces(self) -> list[VoicePiece]:
        """The usable stretches."""
        with one_thread():
            found = pieces_of(self.recording, self.alignment)
            return [piece for piece in found if isinstance(piece, VoicePiece)]

    @cached_property
    def pays(self) -> bool:
        """Whether there is enough of it, by one person, for edits to gain by its voice."""
        if sum(piece.seconds for piece in self.pieces) < PAYS_FROM:
            return False
        with one_thread():
            return not of_one_speaker(self.pieces)[1]


def _middle_of_part(start: float, seconds: float) -> float:
    """The middle of the part of a recording in which a time lies; what would be left after the last
    whole part belongs to it."""
    parts = max(int(seconds // PART), 1)
    number = min(int(start // PART), parts - 1)
    end = seconds if number == parts - 1 else (number + 1) * PART
    return (number * PART + end) / 2


def _speaker_of(plan: EditPlan) -> str:
    """Who says the first new words, or the words that they replace; "" where nobody is named."""
    edit = plan.edits[0]
    text, (first, last) = (
        (plan.new_text, edit.new) if edit.new[0] < edit.new[1] else (plan.text, edit.old)
    )
    return text.words[first].speaker if first < last else ""


def _said_by(speaker: str, text: Transcript, heard: Passages) -> Alignment:
    """The alignment of one speaker's words; of all if no speaker is named."""
    if not speaker:
        return heard.alignment
    places = (place for words in heard.words for place in range(*words))
    words = [
        word
        for word in heard.alignment.words
        if not word.is_pause and text.words[next(places)].speaker == speaker
    ]
    return replace(heard.alignment, words=tuple(words))
