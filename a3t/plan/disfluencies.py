"""Disfluencies that a text has: fillers, repetitions and retakes; and the text without them.

A retake was begun, broken off and said again, or said twice. The attempt and what follows it begin
alike, and differ in few words (their edit distance: a recogniser mishears some, and a slip is why
one begins again). There is a break between the two: a pause, a mark, or words such as “sorry, once
more”.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from a3t.spans import Span
from a3t.text.transcript import Transcript
from alignment import Alignment

DELIBERATE = frozenset(
    "that had very really so no yes yeah bye ha hey well now far many much long again "
    "there more never always one two three four five six seven eight nine zero oh".split()
)  # words that are said twice on purpose
MAX_REPEAT = 4  # words

MIN_ATTEMPT, MAX_ATTEMPT = 3, 80  # words of an attempt
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
MAX_ASIDE = 10  # words


def disfluencies_in(
    said: Transcript, kinds: Collection[str], fillers: Iterable[str]
) -> Iterator[tuple[str, int, int]]:
    """Yield the disfluencies in a text: the kind, and words [first, last)."""
    spoken, count = said.spoken, len(said.words)
    phrases = sorted(
        {tuple(re.findall(r"[a-z']+", phrase.lower())) for phrase in fillers} - {()},
        key=len,
        reverse=True,
    )
    longest = max(map(len, phrases), default=0)
    known = frozenset(phrases)
    k = 0
    while k < count:
        size = 0
        kind = "filler"
        if "filler" in kinds:
            sizes = range(min(longest, count - k), 0, -1)
            size = next((n for n in sizes if spoken[k : k + n] in known), 0)
        if not size and "repeat" in kinds:
            kind, size = "repeat", _repeated(said, k)
        if size and _is_whole(said, k, k + size):
            yield kind, k, k + size
            k += size
        else:
            k += 1


def _repeated(said: Transcript, k: int) -> int:
    """Return how many words from ``k`` on are repeated at once, or restarted."""
    spoken, words = said.spoken, said.words
    if k + 1 < len(words):
        begun = words[k].written.rstrip()
        broken = begun.endswith(("-", "–", "—")) and words[k].token != words[k + 1].token
        stem = re.sub(r"[^a-z']", "", begun.lower())
        if broken and stem and spoken[k + 1] != stem and spoken[k + 1].startswith(stem):
            return 1
    for size in range(min(MAX_REPEAT, (len(words) - k) // 2), 0, -1):
        again = spoken[k : k + size] == spoken[k + size : k + 2 * size]
        if again and words[k + size - 1].mark not in (".", "?", ":"):
            return 0 if set(spoken[k : k + size]) <= DELIBERATE else size
    return 0


def _is_whole(said: Transcript, first: int, last: int) -> bool:
    """Return whether words are whole written tokens.

    “25” is several words, kept or removed together.
    """
    words = said.words
    begins = first == 0 or words[first - 1].token != words[first].token
    return begins and (last == len(words) or words[last - 1].token != words[last].token)


@dataclass(frozen=True, slots=True)
class Retake:
    """Words that were said again.

    attempt: the words [first, last) that go, with any aside before the next attempt. again: the
    words that stay.
    """

    attempt: Span
    again: Span


def retakes_in(said: Transcript, alignment: Alignment) -> Iterator[Retake]:
    """Yield the retakes in a transcript, in order; of several attempts all but the last go.

    The time is linear in the number of words. alignment: of the same words.
    """
    words, spoken = said.spoken, alignment.spoken
    starts = _sentence_starts(said, alignment)
    first = 0
    while first + MIN_ATTEMPT < len(words):
        found = None
        for last in range(first + MIN_ATTEMPT, min(first + MAX_ATTEMPT, len(words) - 2) + 1):
            same = [words[first + k] == words[last + k] for k in range(min(3, len(words) - last))]
            if sum(same) < 2 or not (same[0] or first in starts):
                continue
            end = _without_aside(words, first, last)
            pause = spoken[last].start - spoken[last - 1].end
            if end == last and pause < BREAK and not said.words[last - 1].mark:
                continue
            length = end - first
            if length < MIN_ATTEMPT or (length < SURE and first not in starts):
                continue
            most = int(SHARE.get(length, MISHEARD) * length)
            errors, size = _errors(words[first:end], words[last : last + length + most + 1])
            if errors <= most and not _is_deliberate(said, end, last, length, errors):
                found = Retake((first, last), (last, last + size))
                break
        if found:
            yield found
            first = found.attempt[1]
        else:
            first += 1


def _sentence_starts(said: Transcript, alignment: Alignment) -> set[int]:
    """Return the words that begin a sentence or follow a pause."""
    spoken, words = alignment.spoken, said.words
    return {
        k
        for k in range(len(words))
        if k == 0 or words[k - 1].mark in (".", "?") or spoken[k].start - spoken[k - 1].end >= BREAK
    }


def _without_aside(words: Sequence[str], first: int, last: int) -> int:
    """Return the end of an attempt, before any remark about it."""
    for end in range(max(first + MIN_ATTEMPT, last - MAX_ASIDE), last):
        if NOT_SAID.fullmatch(" ".join(words[end:last])):
            return end
    return last


def _is_deliberate(said: Transcript, end: int, last: int, length: int, errors: int) -> bool:
    """Return whether a repetition is meant.

    It is where a short, complete sentence or phrase is said once more or otherwise (“He left. He
    left again.”), without a remark.
    """
    mark = said.words[end - 1].mark if end == last else ""
    return bool(mark) and length < 2 * SURE if errors else mark in (".", "?") and length < SURE


def _errors(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return the edit distance of words to the nearest prefix of others, and its length."""
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, 1):
        before, row[0] = row[0], number
        for k, their in enumerate(other, 1):
            before, row[k] = row[k], min(row[k] + 1, row[k - 1] + 1, before + (word != their))
    best = min(range(len(row)), key=lambda k: (row[k], abs(k - len(one))))
    return row[best], best


def text_without(said: Transcript, gone: Mapping[Span, float]) -> str:
    """Return the text without these words, its other characters kept.

    gone: for each span of words the seconds of the [pause] that replaces them; 0 for none.
    """
    places: list[Span] = []
    position, last_token = 0, -1
    for word in said.words:
        if word.token != last_token:
            found = said.text.find(word.written, position)
            position = found if found >= 0 else position
            places.append((position, position + len(word.written)))
            position, last_token = places[-1][1], word.token
    numbers = {token: n for n, token in enumerate(dict.fromkeys(w.token for w in said.words))}
    result, end = [], 0
    for first, last, seconds in _joined(gone):
        begin = places[numbers[said.words[first].token]][0]
        stop = places[numbers[said.words[last - 1].token]][1]
        removed = said.text[begin:stop]
        while stop < len(said.text) and said.text[stop].isspace():
            stop += 1
        result.append(said.text[end:begin])
        if seconds:
            result.append(f"[pause {seconds:g}] ")
        elif removed[:1].isupper() and removed[:2] not in ("I ", "I'", "I,"):
            result.append(said.text[stop : stop + 1].upper())
            stop = min(stop + 1, len(said.text))
        end = stop
    return "".join([*result, said.text[end:]]).strip()


def _joined(gone: Mapping[Span, float]) -> list[tuple[int, int, float]]:
    """Merge adjacent words that go, with the time that they take."""
    result: list[tuple[int, int, float]] = []
    for (first, last), seconds in sorted(gone.items()):
        if result and result[-1][1] == first and bool(result[-1][2]) == bool(seconds):
            begin, _, before = result.pop()
            first, seconds = begin, before + seconds
        result.append((first, last, seconds))
    return result
