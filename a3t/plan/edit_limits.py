"""Limits on the size of an edit, checked before memory is allocated, and on what files may hold.

| | limit | why |
|---|---|---|
| a text | 300,000 characters, 60,000 words | comparing two such takes 0.95 GB, 1.6 s |
| one request | 2,000 changes and pauses, 5,000 new words | each is rendered by itself |
| one change | a minute of new words | attention's memory grows with the square of its frames |
| speech from a prompt | 1,500 words, ten minutes | it is all held in memory |

Durations are predicted for 6,000 phones at a time (`a3t.model.variance`), which takes 0.7 GB.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND
from a3t.text.markup import check_marks
from a3t.text.phones import PHONES
from a3t.text.transcript import Transcript
from alignment import Alignment

MAX_CHARACTERS = 300_000
MAX_SEED = 2**63 - 1
MAX_WORDS = 60_000
MAX_SPOKEN_WORDS = 1_500
MAX_EDITS = 2_000
MAX_NEW_WORDS = 5_000
MAX_EDIT_FRAMES = 60 * FRAMES_PER_SECOND  # frames; a phone takes at least one
MAX_SPEECH_FRAMES = 600 * FRAMES_PER_SECOND
MAX_RECORDING_SECONDS = 1e6
MAX_NUMBER = 1e9  # of a time in seconds, and of every rate, level or score

Number = Annotated[float, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
"""A finite number: NaN is neither above the one bound nor below the other."""
Seconds = Annotated[float, Meta(gt=0, le=MAX_NUMBER)]
"""A duration."""
Count = Annotated[int, Meta(ge=0, le=2**62)]
"""A number of samples, frames or words, or the place of one."""


def check_characters(text: str) -> None:
    """Raise InputError for a text with too many characters, or with invalid ones."""
    try:
        text.encode()
    except UnicodeEncodeError:  # surrogates, from bytes in another encoding
        raise InputError("The text is not in UTF-8: save or type it as UTF-8.") from None
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"A text of {len(text):,} characters is too long (the limit is {MAX_CHARACTERS:,}): "
            "cut the recording into parts."
        )


def check_words(*texts: Transcript) -> None:
    """Raise InputError for texts that are too long to compare."""
    most = max(len(text.words) for text in texts)
    if most > MAX_WORDS:
        raise InputError(
            f"A text of {most:,} words is too long (the limit is {MAX_WORDS:,}): "
            "cut the recording into parts."
        )


def check_spoken_words(text: Transcript) -> None:
    """Raise InputError for a text with no words, or with more than are spoken at once."""
    check_marks(text.text, "")
    if (count := len(text.words)) > MAX_SPOKEN_WORDS:
        raise InputError(
            f"The text has {count} words, and the limit is {MAX_SPOKEN_WORDS}: shorten it, or "
            "speak it in parts."
        )


def check_new_words(count: int) -> None:
    """Raise InputError for more new words than are made at once."""
    if count > MAX_NEW_WORDS:
        raise InputError(
            f"The new text has {count:,} words that the recording doesn't have (the limit is "
            f"{MAX_NEW_WORDS:,}): split it into several edits, or check that it belongs to the "
            f"recording."
        )


def check_edits(count: int) -> None:
    """Raise InputError for too many changes in one request."""
    if count > MAX_EDITS:
        raise InputError(
            f"The new text makes {count:,} changes (the limit is {MAX_EDITS:,}): split it into "
            "several edits, or check that it belongs to the recording."
        )


def check_edit_length(frames: int, words: str) -> None:
    """Raise InputError for a change of more than a minute; ``frames`` may be a lower bound."""
    if frames > MAX_EDIT_FRAMES:
        raise InputError(
            f"The new words “{shortened(words)}” would take more than a minute: split them into "
            "several edits."
        )


def check_speech_length(frames: Iterable[float]) -> None:
    """Raise InputError for speech of more than ten minutes."""
    if (total := sum(frames)) > MAX_SPEECH_FRAMES:
        raise InputError(
            f"The text would take {total / FRAMES_PER_SECOND / 60:.1f} minutes (the limit is 10): "
            "speak it in parts."
        )


def check_alignment(alignment: Alignment | None) -> Alignment | None:
    """Return an alignment; raise ValueError unless it has our phones, and times in order."""
    if alignment is None:
        return None
    clock = 0.0
    for phone in alignment.phones:
        if phone.symbol not in PHONES or not clock - 0.005 <= phone.start <= phone.end:
            raise ValueError(phone)
        clock = phone.end
    words = [word for word in alignment.words if not (word.phones and word.start <= word.end)]
    if words or not clock - 1.0 <= alignment.duration <= MAX_RECORDING_SECONDS:
        raise ValueError("alignment")
    return alignment


def shortened(words: str, letters: int = 40) -> str:
    """Shorten a text to about ``letters`` letters, for a message."""
    return words if len(words) <= letters else f"{words[:letters].rsplit(' ', 1)[0]} …"
