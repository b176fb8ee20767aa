"""Retakes: what was begun, broken off and said again, or said twice, found over whole sentences.

An attempt and what follows it begin alike, and the attempt differs from the beginning of the other
in few words (their edit distance: a recogniser mishears some, and a slip is why one begins again).
There is a break between the two: a pause, a mark, or words such as “sorry, once more”.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from a3t.spans import Span
from a3t.text.transcript import Transcript
from alignment import Alignment

SHORTEST, LONGEST = 3, 80  # words of an attempt
SURE = 5  # words from which an attempt may begin anywhere, not only a sentence
SHARE = {3: 0.0, 4: 0.25, 5: 0.2}  # of the words that may differ; MISHEARD of longer ones
MISHEARD = 0.34
BREAK = 0.2  # seconds
NOT_SAID = re.compile(
    r"(?:(?:um|uh|er|oh|no|wait|okay|ok|sorry|pardon|again|excuse me|i'm sorry|i mean"
    r"|(?:from the top|take two|take three|scratch that|strike that|one more time|once more"
    r"|once again|that again)"
    r"|(?:let me|i'll|i will|let's)(?: just)? (?:start|try|say|do|read|take|begin|repeat)"
    r"(?: that| this| it)?(?: over| again| once more| one more time)?)(?: |$))+"
)  # what is said between an attempt and the next, in lower case
LONGEST_ASIDE = 10  # words


@dataclass(frozen=True, slots=True)
class Retake:
    """Words that were said again: [first, last) goes, with what was said in between, and
    ``again`` stays."""

    attempt: Span
    again: Span


def retakes_in(said: Transcript, alignment: Alignment) -> Iterator[Retake]:
    """The retakes in a transcript, in order; of several attempts all but the last go.

    alignment: of the same words. The time is linear in their number.
    """
    words, spoken = said.spoken, alignment.spoken
    starts = _starts(said, alignment)
    first = 0
    while first + SHORTEST < len(words):
        found = None
        for last in range(first + SHORTEST, min(first + LONGEST, len(words) - 2) + 1):
            same = [words[first + k] == words[last + k] for k in range(min(3, len(words) - last))]
            if sum(same) < 2 or not (same[0] or first in starts):
                continue
            end = _without_aside(words, first, last)
            pause = spoken[last].start - spoken[last - 1].end
            if end == last and pause < BREAK and not said.words[last - 1].mark:
                continue
            length = end - first
            if length < SHORTEST or (length < SURE and first not in starts):
                continue
            most = int(SHARE.get(length, MISHEARD) * length)
            errors, size = _differences(words[first:end], words[last : last + length + most + 1])
            if errors <= most and not _is_deliberate(said, end, last, length, errors):
                found = Retake((first, last), (last, last + size))
                break
        if found:
            yield found
            first = found.attempt[1]
        else:
            first += 1


def _starts(said: Transcript, alignment: Alignment) -> set[int]:
    """The words that begin a sentence, or follow a pause."""
    spoken, words = alignment.spoken, said.words
    return {
        k
        for k in range(len(words))
        if k == 0 or words[k - 1].mark in (".", "?") or spoken[k].start - spoken[k - 1].end >= BREAK
    }


def _without_aside(words: Sequence[str], first: int, last: int) -> int:
    """The end of an attempt, before what was said about it."""
    for end in range(max(first + SHORTEST, last - LONGEST_ASIDE), last):
        if NOT_SAID.fullmatch(" ".join(words[end:last])):
            return end
    return last


def _is_deliberate(said: Transcript, end: int, last: int, length: int, errors: int) -> bool:
    """True of a short sentence or phrase that is whole, to its mark, and said once more or said
    otherwise (“He left. He left again.”), with nothing said about it."""
    mark = said.words[end - 1].mark if end == last else ""
    return bool(mark) and length < 2 * SURE if errors else mark in (".", "?") and length < SURE


def _differences(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """The edit distance of words to the nearest beginning of others, and how long that is."""
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, 1):
        before, row[0] = row[0], number
        for k, their in enumerate(other, 1):
            before, row[k] = row[k], min(row[k] + 1, row[k - 1] + 1, before + (word != their))
    best = min(range(len(row)), key=lambda k: (row[k], abs(k - len(one))))
    return row[best], best
