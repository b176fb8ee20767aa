"""How much one edit may ask for: refused in one sentence, before memory is asked for.

| | limit | why |
|---|---|---|
| a text | 300,000 characters, 60,000 words | comparing two such takes about 450 MB |
| one request | 2,000 changes and pauses | each is rendered by itself |
| one change | a minute of new words | attention's memory grows with the square of its frames |
| speech by a prompt | two minutes | the same |

Durations are predicted for 6,000 phones at a time (`a3t.model.durations`), 0.7 GB.
"""

from __future__ import annotations

from collections.abc import Iterable

from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND
from a3t.text.transcript import Transcript

MOST_CHARACTERS = 300_000
MOST_SEED = 2**63 - 1
MOST_WORDS = 60_000
MOST_EDITS = 2_000
LONGEST_EDIT = 60 * FRAMES_PER_SECOND  # frames; a phone takes at least one
LONGEST_SPEECH = 120 * FRAMES_PER_SECOND


def check_characters(text: str) -> None:
    """InputError for a text that is too long to be looked at, or is none."""
    try:
        text.encode()
    except UnicodeEncodeError:  # an argument or a line of bytes that are something else
        raise InputError("The text is not in UTF-8: save or type it as UTF-8.") from None
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            f"A text of {len(text):,} characters is too long, at most {MOST_CHARACTERS:,} can be "
            "edited at once: cut the recording into parts."
        )


def check_words(*texts: Transcript) -> None:
    """InputError for texts that are too long to be compared."""
    most = max(len(text.words) for text in texts)
    if most > MOST_WORDS:
        raise InputError(
            f"A text of {most:,} words is too long, at most {MOST_WORDS:,} can be edited at once: "
            "cut the recording into parts."
        )


def check_edits(count: int) -> None:
    """InputError for more changes than are made at once."""
    if count > MOST_EDITS:
        raise InputError(
            f"The new text makes {count:,} changes and at most {MOST_EDITS:,} can be made at once: "
            "make it in several edits, or check that it belongs to the recording."
        )


def check_edit_length(frames: int, words: str) -> None:
    """InputError for one change of more than a minute; ``frames`` may be a lower bound."""
    if frames > LONGEST_EDIT:
        raise InputError(
            f"The new words “{shortened(words)}” would take more than a minute: make them in "
            "several edits."
        )


def check_speech_length(frames: Iterable[float]) -> None:
    """InputError for speech of more than two minutes."""
    if (total := sum(frames)) > LONGEST_SPEECH:
        raise InputError(
            f"The text would take {total / FRAMES_PER_SECOND / 60:.1f} minutes and at most 2 can "
            "be spoken at once: speak it in parts."
        )


def check_seed(seed: int) -> None:
    """InputError for a number that no generator takes."""
    if not 0 <= seed <= MOST_SEED:
        raise InputError("The seed is out of range: use a whole number from 0 to 2^63 - 1.")


def shortened(words: str, letters: int = 40) -> str:
    """The beginning of a long text, for a message."""
    return words if len(words) <= letters else f"{words[:letters].rsplit(' ', 1)[0]} …"
