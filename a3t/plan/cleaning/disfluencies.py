"""Fillers and repetitions that a text has, and the text without them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from a3t.spans import Span
from a3t.text.transcript import Transcript

FILLERS = ("um", "uh", "uhm", "umm", "uhh", "er", "erm", "hm", "hmm", "mm", "mhm")
DELIBERATE = frozenset(
    "that had very really so no yes yeah bye ha hey well now far many much long again "
    "there more never always one two three four five six seven eight nine zero oh".split()
)  # words that are said twice on purpose
LONGEST_REPEAT = 4  # words


def disfluencies_in(
    said: Transcript, kinds: Collection[str], fillers: Iterable[str]
) -> Iterator[tuple[str, int, int]]:
    """The disfluencies in the text itself: kind, and words [first, last)."""
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
    """The number of words from k on that are said again at once, or broken off and restarted."""
    spoken, words = said.spoken, said.words
    if k + 1 < len(words):
        begun = words[k].written.rstrip()
        broken = begun.endswith(("-", "–", "—")) and words[k].token != words[k + 1].token
        stem = re.sub(r"[^a-z']", "", begun.lower())
        if broken and stem and spoken[k + 1] != stem and spoken[k + 1].startswith(stem):
            return 1
    for size in range(min(LONGEST_REPEAT, (len(words) - k) // 2), 0, -1):
        again = spoken[k : k + size] == spoken[k + size : k + 2 * size]
        if again and words[k + size - 1].mark not in (".", "?", ":"):
            return 0 if set(spoken[k : k + size]) <= DELIBERATE else size
    return 0


def _is_whole(said: Transcript, first: int, last: int) -> bool:
    """True if words are whole written tokens: “25” is several words, all of which go or none."""
    words = said.words
    begins = first == 0 or words[first - 1].token != words[first].token
    return begins and (last == len(words) or words[last - 1].token != words[last].token)


def text_without(said: Transcript, gone: Mapping[Span, float]) -> str:
    """The text without these words, its other characters kept; those that are muted leave a
    [pause] of so many seconds, others of 0 s none."""
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
    """Words that go and the time that they take, those behind each other together."""
    result: list[tuple[int, int, float]] = []
    for (first, last), seconds in sorted(gone.items()):
        if result and result[-1][1] == first and bool(result[-1][2]) == bool(seconds):
            begin, _, before = result.pop()
            first, seconds = begin, before + seconds
        result.append((first, last, seconds))
    return result
