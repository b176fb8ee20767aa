"""Which words of a text rise because they end a question, and by how much.

English questions that ask for yes or no rise to their end; those that ask with a word, and those
that offer a choice, fall like statements (Pierrehumbert and Hirschberg 1990, "The meaning of
intonational contours in the interpretation of discourse"). The network is told phones and no
punctuation, so it can't know.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from a3t.plan.windows import WindowFrames
from a3t.text.phones import is_vowel
from a3t.text.transcript import Transcript, TranscriptWord

# Octaves told at the end of the last word; a quarter to a third of it is heard in what is made.
RISE = 0.44
ASKING = frozenset("what who whom whose which when where why how".split())
BEFORE_ASKING = frozenset(
    "and but so or then well now oh okay yes no to for in on at by from of with about under until "
    "since".split()
)


def question_ends(text: Transcript) -> frozenset[int]:
    """The last words of the questions that rise, as indices of spoken words."""
    ends, first = [], 0
    for k, word in enumerate(text.words):
        if word.mark not in (".", "?"):
            continue
        if word.mark == "?" and _rises(text.words[first : k + 1]):
            ends.append(k)
        first = k + 1
    return frozenset(ends)


def rises(text: Transcript, window: WindowFrames) -> np.ndarray | None:
    """(N,) octaves by which the frames of a window's new words rise, None where none of them ends a
    question: from its last stressed vowel on to its end."""
    ends = question_ends(text)
    if not ends:
        return None
    result = np.zeros(len(window.masked))
    starts = np.cumsum([0, *(phone.frames for phone in window.phones)])
    for word in ends:
        own = [
            k
            for k, phone in enumerate(window.phones)
            if phone.source is None and phone.word == word
        ]
        if own:
            nucleus = _nucleus([window.phones[k].symbol for k in own])
            first, last = int(starts[own[nucleus]]), int(starts[own[-1] + 1])
            result[first:last] = RISE * (np.arange(last - first) + 1) / (last - first)
    return result if result.any() else None


def _rises(words: Collection[TranscriptWord]) -> bool:
    spoken = [word.text for word in words]
    asked = next((word for word in spoken if word not in BEFORE_ASKING), "")
    return asked.partition("'")[0] not in ASKING and "or" not in spoken


def _nucleus(symbols: list[str]) -> int:
    """The place of the last stressed vowel, or else of the last one, or 0."""
    vowels = [k for k, symbol in enumerate(symbols) if is_vowel(symbol)]
    stressed = [k for k in vowels if symbols[k][-1] in "12"]
    return (stressed or vowels or [0])[-1]
