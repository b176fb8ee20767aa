"""The rise of the words that end a question (`a3t.text.question_ends`).

The network sees phones and no punctuation, so it can't know.
"""

from __future__ import annotations

import numpy as np

from a3t.plan.windows import WindowFrames
from a3t.text.phones import is_vowel
from a3t.text.question_ends import question_ends
from a3t.text.transcript import Transcript

# Octaves requested at the end of the last word; the result has a quarter to a third of them.
RISE = 0.44


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


def _nucleus(symbols: list[str]) -> int:
    """The place of the last stressed vowel, or else of the last one, or 0."""
    vowels = [k for k, symbol in enumerate(symbols) if is_vowel(symbol)]
    stressed = [k for k in vowels if symbols[k][-1] in "12"]
    return (stressed or vowels or [0])[-1]
