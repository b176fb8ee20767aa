"""Find names and phrases in a transcript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from a3t.spans import Span
from a3t.text.transcript import Transcript, parsed

OWNED = ("'s", "'")  # what may follow a name that is hidden


def places_of(names: Sequence[str], said: Transcript) -> Iterator[Span]:
    """Yield the words [first, last) of a transcript that are one of some names, or its genitive.

    Written tokens stay whole. Spans are in order and apart; of several that begin together the
    longest counts.
    """
    phrases = {parsed(name).spoken for name in names if any(map(str.isalnum, name))}
    longest = max(map(len, phrases), default=0)
    words, k = said.words, 0
    while k < len(words):
        sizes = range(min(longest, len(words) - k), 0, -1)
        size = next((n for n in sizes if _is_one(said.spoken[k : k + n], phrases)), 0)
        if size:
            first, last = k, k + size
            while first > 0 and words[first - 1].token == words[first].token:
                first -= 1
            while last < len(words) and words[last - 1].token == words[last].token:
                last += 1
            yield first, last
            k = last
        else:
            k += 1


def _is_one(words: Sequence[str], phrases: set[tuple[str, ...]]) -> bool:
    bare = next((words[-1].removesuffix(end) for end in OWNED if words[-1].endswith(end)), "")
    return tuple(words) in phrases or (*words[:-1], bare) in phrases
