"""Marks in a text that aren't words: [pause 0.4] and [pause] for silence, *word* for emphasis.

SSML's <break time="400ms"/> and <break/> are pauses too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from a3t.errors import InputError
from a3t.text.normaliser.normalise import unreadable
from a3t.text.normaliser.unspoken import names_a_sound

LONGEST_PAUSE = 600.0  # seconds; what is muted may be long
AS_USUAL = 0.0  # a [pause] without a length: as long as this speaker pauses

# Lengths are bounded, so that an unclosed bracket isn't searched for to the end of a text.
_PAUSE = re.compile(
    r"\[\s{0,9}pause\b(?P<stated>[^\[\]]{0,40})\]|<break\b(?P<ssml>[^<>]{0,40})>", re.IGNORECASE
)
_TIME = re.compile(
    r"""time\s{0,9}=\s{0,9}["']?(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(m?)s\b""", re.IGNORECASE
)
_MARK = re.compile(r"\[\s{0,9}[A-Za-z_]{1,40}(?:[\s:=]{0,9}-?\d[^\[\]]{0,40})?\s{0,9}\]")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{0,400}[^\s*])\*(?![\w*])")
_SECONDS = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(?:s|sec|seconds)?", re.IGNORECASE)


def parted_at_pauses(text: str) -> Iterator[tuple[str, float | None]]:
    """Yield the text's pieces with the seconds of the [pause] after each; None at its end.

    Raises InputError for a pause that is no length from above 0 to LONGEST_PAUSE.
    """
    start = 0
    for mark in _PAUSE.finditer(text):
        yield text[start : mark.start()], _seconds(mark)
        start = mark.end()
    yield text[start:], None


def _seconds(mark: re.Match[str]) -> float:
    stated = (mark["stated"] or "").strip()
    if time := _TIME.search(mark["ssml"] or ""):
        stated = str(float(time[1]) / (1000 if time[2] else 1))
    if not stated:
        return AS_USUAL
    number = _SECONDS.fullmatch(stated)
    if number is None or not 0.0 < float(number[1]) <= LONGEST_PAUSE:
        raise InputError(
            f"{mark[0]} is not a valid pause: give its length in seconds, above 0 and at "
            f"most {LONGEST_PAUSE:g}, as in [pause 0.4]."
        )
    return float(number[1])


def check_marks(new_text: str, text: str) -> None:
    """Raise InputError for what the new text has and nobody could make.

    That is a mark that means nothing, such as [silence 0.4], and a word in another script. What the
    old text has as well is its own business, and sounds ("[Music]") are passed over.
    """
    present = {mark[0] for mark in _MARK.finditer(text)}
    for mark in _MARK.finditer(_PAUSE.sub(" ", new_text)):
        is_sound = names_a_sound(mark[0][1:-1]) and not any(map(str.isdigit, mark[0]))
        if mark[0] not in present and not is_sound:
            raise InputError(
                f"{mark[0]} is not a mark that a3t knows: use [pause], [pause 0.4] or "
                "*word*, and write words to be spoken without brackets."
            )
    old_words = set(text.split())
    for written, refusal in unreadable(new_text):
        if written not in old_words:
            raise refusal


def emphasised(written: list[str], text: str) -> list[bool]:
    """Flag each written token of ``text`` that stands between asterisks (*so*, *so much*)."""
    if not _EMPHASIS.search(text):
        return [False] * len(written)
    result, inside = [], False
    for token in written:
        stars = 0 if token == "*" else token.count("*")
        result.append(inside or stars > 0)
        inside ^= stars % 2 == 1
    return result
