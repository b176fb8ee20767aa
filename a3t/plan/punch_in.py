"""New words that the speaker has recorded for an edit, alone or in their sentence (a punch-in).

What a recogniser hears there is compared with the new text phone by phone, as local alignment does
(Smith and Waterman 1981, "Identification of common molecular subsequences"); the words of the new
text take the place of those heard, and the aligner says where they are, and whether they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.request import OtherRecording, ReusedWords
from a3t.plan.revision import Revision
from a3t.source.alignments import AlignmentStore
from a3t.source.recognised_transcript import recognised
from a3t.source.records import AlignedRecording, FoundTranscript
from a3t.source.transcripts import sidecar
from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.phones import strip_stress
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from alignment.recognition import whisper_model
from alignment.result import DOUBTFUL_BELOW

MAX_READING_S = 600.0
NEIGHBOURS = 12  # words on each side of an edit that are looked for with it
BESIDE = 3  # words on each side that tell which of several readings is meant
GAP_COST = 1.0  # of a phone that is missing, added or another; the same phone gains as much
ALIKE = 0.5  # of an edit's phones must be heard if others may be meant


def read_anew(
    recording: Recording,
    revision: Revision,
    alignments: AlignmentStore,
    pronouncer: Pronouncer,
    recogniser: str = "auto",
) -> AlignedRecording:
    """Recognise and align a recording of a revision's new words.

    A transcript beside it is taken as it is. Raises InputError if the recording is too long or the
    words aren't heard.
    """
    new_text = revision.new_text
    if recording.seconds > MAX_READING_S:
        raise InputError(
            f"{recording.path.name} is too long for a few new words: record them alone, or the "
            "sentence around them."
        )
    if sidecar(recording.path) is not None:
        return alignments.hear(recording, None, new_text, pronouncer)
    said: Sequence[str] = ()
    with suppress(AlignmentError):  # a short word alone may not be heard
        model = whisper_model(recogniser)
        said = recognised(recording, pronouncer, model).transcript.spoken
    spoken = [edit for edit in revision.edits if edit.new[0] < edit.new[1]]
    for edit in spoken:
        found = reading_of(edit.new, new_text.spoken, said, pronouncer)
        if len(spoken) == 1 or found.alike >= ALIKE:
            own = new_text.spoken[slice(*found.new)]
            said = (*said[: found.said[0]], *own, *said[found.said[1] :])
    text = Transcript.of_spoken(said)
    try:
        alignment = alignments.whole(recording, FoundTranscript(text, "recognised"), pronouncer)
    except AlignmentError:
        raise _not_read(spoken, new_text, recording) from None
    return AlignedRecording(recording, text, alignment)


def _not_read(script: Sequence[WordEdit], new_text: Transcript, recording: Recording) -> InputError:
    """Return the refusal of a recording in which the new words aren't heard."""
    new = [new_text.written(*edit.new) for edit in script if edit.new[0] < edit.new[1]]
    return InputError(
        f"“{new[0] if new else new_text.text}” isn't heard in {recording.path.name}: record it "
        "once more, alone or in its sentence."
    )


class Reading(NamedTuple):
    """A reading of new words among those said.

    new: the words of the new text that were read. said: the words heard. alike: the share of the
    edit's phones that agree.
    """

    new: Span
    said: Span
    alike: float


def reading_of(
    words: Span, new: Sequence[str], said: Sequence[str], pronouncer: Pronouncer
) -> Reading:
    """Return the best reading of the ``words`` of a new text among those said.

    The words beside them are looked for as well. Of several readings as good, the last counts.
    """
    first, last = max(0, words[0] - NEIGHBOURS), min(len(new), words[1] + NEIGHBOURS)
    choices = pronouncer.choices([*new[first:last], *said])
    wanted = [(strip_stress(p), k) for k in range(first, last) for p in choices[new[k]][0]]
    heard = [(strip_stress(p), k) for k in range(len(said)) for p in choices[said[k]][0]]
    core = [words[0] <= k < words[1] for _, k in wanted]
    begin, end = core.index(True), len(core) - core[::-1].index(True)
    numbers = {phone: k for k, phone in enumerate({p for p, _ in wanted + heard})}
    row = np.array([numbers[p] for p, _ in heard], int)
    step = GAP_COST * np.arange(len(heard) + 1)
    scores = np.zeros((len(wanted) + 1, len(heard) + 1))
    for i, (phone, _) in enumerate(wanted, 1):
        same = np.where(row == numbers[phone], 1.0, -1.0)
        best = scores[i - 1] - GAP_COST
        best[1:] = np.maximum(best[1:], scores[i - 1, :-1] + same)
        if i <= begin:
            best = np.maximum(best, 0.0)
        scores[i] = np.maximum.accumulate(best + step) - step
    ends = scores[end:]
    j = len(heard) - int(ends.max(axis=0)[::-1].argmax())
    i = end + int(ends[:, j].argmax())
    pairs = []
    while i > begin or (scores[i, j] > 0 and i and j):
        gain = 1.0 if i and j and wanted[i - 1][0] == heard[j - 1][0] else -1.0
        if i and j and np.isclose(scores[i, j], scores[i - 1, j - 1] + gain):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and np.isclose(scores[i, j], scores[i - 1, j] - GAP_COST):
            i -= 1
        else:
            j -= 1
    alike = sum(core[i] and wanted[i][0] == heard[j][0] for i, j in pairs) / (end - begin)
    own = [wanted[i][1] for i, _ in pairs] + [words[0], words[1] - 1]
    at = [heard[j][1] for _, j in pairs]
    return Reading(
        (min(own), max(own) + 1), (min(at), max(at) + 1) if at else (len(said),) * 2, alike
    )


def punched_in(
    script: Sequence[WordEdit],
    new_text: Transcript,
    requested: Sequence[OtherRecording],
    others: Sequence[AlignedRecording],
) -> dict[int, tuple[ReusedWords, ...]]:
    """Find the words of each edit that a ``requested`` recording was made for.

    others: these recordings with their words. Returns them by the edit's index. Raises InputError
    if a recording that is new has none of the words.
    """
    found: dict[int, tuple[ReusedWords, ...]] = {}
    for number, (request, other) in enumerate(zip(requested, others, strict=True), 1):
        if not request.punch_in:
            continue
        places = {
            k: place
            for k, edit in enumerate(script)
            if edit.new[0] < edit.new[1]
            and (place := _place_of(edit.new, new_text.spoken, other)) is not None
        }
        if not places and request.sha256 is None:
            raise _not_read(script, new_text, other.recording)
        found |= {
            k: (ReusedWords(script[k].new, place, number, punch_in=True),)
            for k, place in places.items()
        }
    return found


def _place_of(new: Span, words: Sequence[str], other: AlignedRecording) -> Span | None:
    """Return where new words are read among the same neighbours; None if they aren't.

    Of several places as good, the last counts.
    """
    spoken, size = other.text.spoken, new[1] - new[0]
    wanted, best = tuple(words[slice(*new)]), (-1, (0, 0))
    for first in range(len(spoken) - size + 1):
        if spoken[first : first + size] != wanted:
            continue
        own = other.alignment.spoken[first : first + size]
        if sum(word.score for word in own) < DOUBTFUL_BELOW * size:
            continue
        before = zip(words[: new[0]][::-1], spoken[:first][::-1], strict=False)
        after = zip(words[new[1] :], spoken[first + size :], strict=False)
        pairs = [takewhile(lambda pair: pair[0] == pair[1], each) for each in (before, after)]
        beside = sum(len(list(islice(each, BESIDE))) for each in pairs)
        best = max(best, (beside, (first, first + size)))
    return best[1] if best[0] >= 0 else None
