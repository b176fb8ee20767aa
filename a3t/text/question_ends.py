"""The words of a text that end a rising question.

English questions that ask for yes or no rise to their end; those that ask with a word, and those
that offer a choice, fall like statements (Pierrehumbert and Hirschberg 1990, "The meaning of
intonational contours in the interpretation of discourse").
"""

from __future__ import annotations

from collections.abc import Collection

from a3t.text.transcript import Transcript, TranscriptWord

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


def _rises(words: Collection[TranscriptWord]) -> bool:
    spoken = [word.text for word in words]
    asked = next((word for word in spoken if word not in BEFORE_ASKING), "")
    return asked.partition("'")[0] not in ASKING and "or" not in spoken
