"""Marks in a text that are no words: [pause 0.4] and [pause] for silence, *word* for emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterator

from a3t.errors import InputError

LONGEST_PAUSE = 10.0  # seconds
AS_USUAL = 0.0  # a [pause] without a length: as long as this speaker pauses

_PAUSE = re.compile(r"\[\s*pause\b\s*([^\[\]]*)\]", re.IGNORECASE)
_MARK = re.compile(r"\[\s*[A-Za-z_]+(?:[\s:=]*-?\d[^\[\]]*)?\s*\]")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])")
_SECONDS = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*(?:s|sec|seconds)?", re.IGNORECASE)


def parted_at_pauses(text: str) -> Iterator[tuple[str, float | None]]:
    """The text's pieces, each with the seconds of the [pause] that follows it; None at its end.

    Raises InputError for a pause that is no length from above 0 to LONGEST_PAUSE.
    """
    start = 0
    for mark in _PAUSE.finditer(text):
        yield text[start : mark.start()], _seconds(mark)
        start = mark.end()
    yield text[start:], None


def _seconds(mark: re.Match[str]) -> float:
    stated = mark[1].strip()
    if not stated:
        return AS_USUAL
    number = _SECONDS.fullmatch(stated)
    if number is None or not 0.0 < float(number[1]) <= LONGEST_PAUSE:
        raise InputError(
            f"{mark[0]} is no pause that can be made: write its length in seconds, above 0 and at "
            f"most {LONGEST_PAUSE:g}, as in [pause 0.4]."
        )
    return float(number[1])


def check_marks(new_text: str, text: str) -> None:
    """Raises InputError for a mark in the new text that means nothing, as [breath]. What the old
    text has in brackets too is text."""
    for mark in _MARK.finditer(_PAUSE.sub(" ", new_text)):
        if mark[0] not in text:
            raise InputError(
                f"{mark[0]} is no mark that is known: write [pause], [pause 0.4] or *word*, and "
                "words to be spoken without brackets."
            )


def emphasised(written: list[str], text: str) -> list[bool]:
    """For each written token of `text` whether it stands between asterisks, *so* or *so much*."""
    if not _EMPHASIS.search(text):
        return [False] * len(written)
    result, inside = [], False
    for token in written:
        stars = 0 if token == "*" else token.count("*")
        result.append(inside or stars > 0)
        inside ^= stars % 2 == 1
    return result
