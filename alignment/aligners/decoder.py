"""PocketSphinx as this package uses it: a dictionary of our own, two passes, and no hidden state.

A decoder that has been used lets what it decoded before influence the next result, and one that
fails in the middle of an utterance can't be used again. So every recording gets new decoders (10 ms
each), except in the first pass: PocketSphinx never frees an alignment that was handed to another
decoder, nor the 3 MB of tables of the decoder that made it. That decoder is reused with a new front
end, which removes all influence, and dropped if it fails.

Decoders start with an empty dictionary. Each word is entered under a private name, so that
PocketSphinx's own dictionary never matters, and the entry chosen tells which pronunciation was
heard.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from alignment.arpabet import Pronunciation
from alignment.errors import AlignmentError
from alignment.sphinx_package import require_pocketsphinx

FRAME_SECONDS = 0.01

MOST_WORDS = 50_000  # in a decoder's dictionary before it is replaced

# bestpath off and beams wide open: a forced path must never be pruned away.
_FORCED = {
    "lm": None,
    "dict": None,
    "bestpath": False,
    "beam": 1e-200,
    "pbeam": 1e-200,
    "wbeam": 1e-200,
    "loglevel": "FATAL",
}

# Scoring all states costs more than the search; two Gaussians per codebook do as well as four.
_SCORING = {**_FORCED, "compallsen": True, "topn": 2}

_PHONE_LOOP = {**_SCORING, "beam": 1e-40, "pbeam": 1e-40}


@dataclass(frozen=True, slots=True)
class DecodedPhone:
    """A phone without stress ("SIL" in pauses), in 10 ms frames, and its acoustic score.

    The score is the sum over its frames of how far its states lie below the best state of the
    whole acoustic model: 0 is best.
    """

    symbol: str
    start: int
    frames: int
    score: int


@dataclass(frozen=True, slots=True)
class DecodedWord:
    """A word (its position among the words handed in; -1: pause or noise) and its phones."""

    index: int
    pronunciation: Pronunciation
    phones: tuple[DecodedPhone, ...]

    @property
    def start(self) -> int:
        return self.phones[0].start

    @property
    def stop(self) -> int:
        return self.phones[-1].start + self.phones[-1].frames


class NoPathError(AlignmentError):
    """The decoder found no path through the recording with these words."""

    def __init__(self) -> None:
        super().__init__(
            "The text can't be found in the recording: give the words that are spoken."
        )


class _WordDecoder:
    """The first pass: words, each with its alternatives, one after the other."""

    def __init__(self) -> None:
        self.decoder = require_pocketsphinx().Decoder(**_FORCED)
        self.names: dict[tuple[Pronunciation, ...], str] = {}
        self.pronunciations: dict[str, Pronunciation] = {}

    def name(self, alternatives: tuple[Pronunciation, ...]) -> str:
        """Under which the alternatives stand in the dictionary."""
        if alternatives not in self.names:
            name = f"w{len(self.names)}"
            self.names[alternatives] = name
            for number, pronunciation in enumerate(alternatives, 1):
                entry = name if number == 1 else f"{name}({number})"
                self.decoder.add_word(entry, " ".join(pronunciation), update=False)
                self.pronunciations[entry] = pronunciation
        return self.names[alternatives]


_idle: deque[_WordDecoder] = deque()


def force_align(
    waveform: np.ndarray, words: Sequence[Sequence[Pronunciation]]
) -> list[DecodedWord]:
    """The words (each with its alternatives), pauses between them, and their phones, found in a
    waveform (int16, 16 kHz, (n,)); raises NoPathError when no path leads through it."""
    try:
        first = _idle.pop()
    except IndexError:
        first = _WordDecoder()
    try:
        found = _two_passes(first, waveform.tobytes(), [tuple(each) for each in words])
        first.decoder.reinit_feat()
    except RuntimeError as error:
        raise NoPathError() from error
    if len(first.names) < MOST_WORDS:
        _idle.append(first)
    return found


def _two_passes(
    first: _WordDecoder, waveform: bytes, words: Sequence[tuple[Pronunciation, ...]]
) -> list[DecodedWord]:
    names = [first.name(alternatives) for alternatives in words]
    first.decoder.set_align_text(" ".join(names))
    _decode(first.decoder, waveform)
    heard = [segment.word for segment in first.decoder.seg() or ()]
    if [name.partition("(")[0] for name in heard if _is_word(name)] != names:
        raise NoPathError()
    # The second pass, inside the words of the first: phones, scored against the whole model. Its
    # search sees only the states of the word in question; scoring all states gives the scores of
    # right and wrong words a common zero.
    scorer = require_pocketsphinx().Decoder(**_SCORING)
    first.decoder.set_alignment()
    scorer.set_alignment(first.decoder.get_alignment())
    _decode(scorer, waveform)
    place = count()
    found = [
        DecodedWord(
            next(place) if _is_word(word.name) else -1,
            first.pronunciations.get(word.name, ()),
            tuple(DecodedPhone(p.name, p.start, p.duration, p.score) for p in word),
        )
        for word in scorer.get_alignment() or ()
    ]
    if not found or any(phone.frames <= 0 for word in found for phone in word.phones):
        raise NoPathError()
    return found


def phone_loop(waveform: np.ndarray) -> list[DecodedPhone]:
    """What is heard without knowing the text: any phone after any other, on the same score scale.

    `waveform`: int16, 16 kHz. It says which level of scores this recording allows.
    """
    decoder = require_pocketsphinx().Decoder(**_PHONE_LOOP)
    try:
        decoder.add_allphone_file("loop", None)
        decoder.activate_search("loop")
        _decode(decoder, waveform.tobytes())
        logarithm = decoder.get_logmath()
        return [
            DecodedPhone(
                segment.word,
                segment.start_frame,
                segment.end_frame - segment.start_frame + 1,
                round(logarithm.log(segment.ascore)),
            )
            for segment in decoder.seg() or ()
        ]
    except RuntimeError as error:
        raise NoPathError() from error


def _decode(decoder: Any, waveform: bytes) -> None:
    decoder.start_utt()
    decoder.process_raw(waveform, full_utt=True)
    decoder.end_utt()


def _is_word(name: str) -> bool:
    """Whether it is a word's private name, not a filler's."""
    return name.startswith("w")
