"""PocketSphinx as this package uses it: an own dictionary, two passes, one use of a decoder.

Every recording gets new decoders (10 ms each): a used one carries traces of what it heard before
into the next result, and one that failed in the middle of an utterance is stuck there.

Decoders start with an empty dictionary. A word is entered under a private name, so what
PocketSphinx's own dictionary says of a word never matters, and the entry that was chosen tells
the pronunciation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pocketsphinx

from alignment.errors import AlignmentError

FRAME_SECONDS = 0.01

# fmt: off
ARPABET = frozenset((
    "AA", "AE", "AH", "AO", "AW", "AY", "B", "CH", "D", "DH", "EH", "ER", "EY", "F", "G", "HH",
    "IH", "IY", "JH", "K", "L", "M", "N", "NG", "OW", "OY", "P", "R", "S", "SH", "T", "TH", "UH",
    "UW", "V", "W", "Y", "Z", "ZH",
))
# fmt: on

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

# Scoring all states costs more than any search; two Gaussians a codebook do as well as four here.
_SCORING = {**_FORCED, "compallsen": True, "topn": 2}

_PHONE_LOOP = {**_SCORING, "beam": 1e-40, "pbeam": 1e-40}

Pronunciation = tuple[str, ...]
"""ARPAbet without stress."""


@dataclass(frozen=True, slots=True)
class PhoneFrames:
    """A phone without stress ("SIL" in pauses), in 10 ms frames, and its acoustic score.

    The score is the sum over its frames of how far its states lie below the best state of the
    whole acoustic model: 0 is best.
    """

    symbol: str
    start: int
    frames: int
    score: int


@dataclass(frozen=True, slots=True)
class WordFrames:
    """A word (its position among the words handed in; -1: pause or noise) and its phones."""

    index: int
    pronunciation: Pronunciation
    phones: tuple[PhoneFrames, ...]

    @property
    def start(self) -> int:
        return self.phones[0].start

    @property
    def stop(self) -> int:
        return self.phones[-1].start + self.phones[-1].frames


@dataclass(frozen=True, slots=True)
class WordSpan:
    """A word found by the first pass, in frames [start, stop); index -1: pause or noise."""

    index: int
    start: int
    stop: int


class NoPathError(AlignmentError):
    """The decoder found no way through the recording with these words."""

    def __init__(self) -> None:
        super().__init__(
            "The text can't be found in the recording: give the words that are spoken."
        )


class ForcedDecoding:
    """A waveform (int16, 16 kHz) and the words in it, each with its alternatives.

    `spans` holds the first pass; `phones()` makes the second.
    Raises NoPathError when no path leads through the recording.
    """

    def __init__(self, waveform: np.ndarray, words: Sequence[Sequence[Pronunciation]]) -> None:
        self._waveform = waveform.tobytes()
        self._entries: dict[str, Pronunciation] = {}
        self._decoder = pocketsphinx.Decoder(**_FORCED)
        self._words = len(words)
        self.spans = self._first_pass(words)

    def _first_pass(self, words: Sequence[Sequence[Pronunciation]]) -> list[WordSpan]:
        for index, alternatives in enumerate(words):
            for number, pronunciation in enumerate(alternatives, 1):
                entry = f"w{index}" if number == 1 else f"w{index}({number})"
                self._decoder.add_word(entry, " ".join(pronunciation), update=False)
                self._entries[entry] = pronunciation
        try:
            self._decoder.set_align_text(" ".join(f"w{k}" for k in range(len(words))))
            _decode(self._decoder, self._waveform)
            segments = list(self._decoder.seg() or ())
        except RuntimeError as error:
            raise NoPathError() from error
        spans = [
            WordSpan(_index(segment.word), segment.start_frame, segment.end_frame + 1)
            for segment in segments
        ]
        if [span.index for span in spans if span.index >= 0] != list(range(self._words)):
            raise NoPathError()
        return spans

    def phones(self) -> list[WordFrames]:
        """Second pass, inside the words of the first: phones, scored against the whole model."""
        # The search of the second pass sees only the states of the word in question; scoring all
        # states gives the scores of right and wrong words a common zero.
        scorer = pocketsphinx.Decoder(**_SCORING)
        try:
            self._decoder.set_alignment()
            scorer.set_alignment(self._decoder.get_alignment())
            _decode(scorer, self._waveform)
            found = [
                WordFrames(
                    _index(word.name),
                    self._entries.get(word.name, ()),
                    tuple(PhoneFrames(p.name, p.start, p.duration, p.score) for p in word),
                )
                for word in scorer.get_alignment() or ()
            ]
        except RuntimeError as error:
            raise NoPathError() from error
        if not found or any(phone.frames <= 0 for word in found for phone in word.phones):
            raise NoPathError()
        return found


def phone_loop(waveform: np.ndarray) -> list[PhoneFrames]:
    """What is heard without knowing the text: any phone after any other, on the same score scale.

    `waveform`: int16, 16 kHz. It says which level of scores this recording allows.
    """
    decoder = pocketsphinx.Decoder(**_PHONE_LOOP)
    try:
        decoder.add_allphone_file("loop", None)
        decoder.activate_search("loop")
        _decode(decoder, waveform.tobytes())
        logarithm = decoder.get_logmath()
        return [
            PhoneFrames(
                segment.word,
                segment.start_frame,
                segment.end_frame - segment.start_frame + 1,
                round(logarithm.log(segment.ascore)),
            )
            for segment in decoder.seg() or ()
        ]
    except RuntimeError as error:
        raise NoPathError() from error


def _decode(decoder: pocketsphinx.Decoder, waveform: bytes) -> None:
    decoder.start_utt()
    decoder.process_raw(waveform, full_utt=True)
    decoder.end_utt()


def _index(name: str) -> int:
    """The position that a private name stands for ("w12(2)" is 12), -1 for fillers."""
    return int(name[1:].partition("(")[0]) if name.startswith("w") else -1
