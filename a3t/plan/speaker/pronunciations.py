"""Pronunciations of the new words: this speaker's own where the recording has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Word


def speaker_pronunciations(
    text: Transcript, recorded: Iterable[Word], pronouncer: Pronouncer
) -> list[tuple[str, ...]]:
    """A pronunciation for each word: the user's, else the one most frequent among the ``recorded``
    words, else the dictionary's. Homographs are pronounced by their sense in the new text."""
    spoken: dict[str, Counter[tuple[str, ...]]] = {}
    for word in recorded:
        phones = tuple(phone.symbol for phone in word.phones)
        spoken.setdefault(word.text, Counter())[phones] += 1
    defaults = pronouncer.pronounce(text.spoken, [word.written for word in text.words])
    usual = {word: ways.most_common(1)[0][0] for word, ways in spoken.items()}
    return [
        usual[word]
        if word in usual and word not in pronouncer.own and not pronouncer.is_homograph(word)
        else pronunciation
        for word, pronunciation in zip(text.spoken, defaults, strict=True)
    ]
