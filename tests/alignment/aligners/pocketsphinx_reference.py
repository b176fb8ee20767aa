"""PocketSphinx's forced alignment in two passes: an outside reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from alignment.arpabet import Pronunciation
from alignment.errors import AlignmentError

FRAME_SECONDS = 0.01
# A frame is 25.6 ms long and stands at its own start in PocketSphinx's count: the boundary before
# frame t lies half a hop before the frame's centre, at 10 t + 12.8 - 5 ms.
BOUNDARY_OFFSET = 0.0078

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


@dataclass(frozen=True, slots=True)
class DecodedWord:
    """The pronunciation heard of a word, and its phones' starts in seconds."""

    pronunciation: Pronunciation
    starts: tuple[float, ...]


def force_align(
    waveform: np.ndarray, words: Sequence[Sequence[Pronunciation]]
) -> list[DecodedWord]:
    """The words, each with its pronunciations (ARPAbet without stress), found in a waveform (int16,
    16 kHz, (n,)); AlignmentError where no path leads through it."""
    import pocketsphinx

    first = pocketsphinx.Decoder(**_FORCED)
    heard: dict[str, Pronunciation] = {}
    # Each word stands in the dictionary under a private name: the entry chosen tells which of its
    # pronunciations was heard.
    for place, ways in enumerate(words):
        for number, way in enumerate(ways, 1):
            entry = f"w{place}" if number == 1 else f"w{place}({number})"
            first.add_word(entry, " ".join(way), update=False)
            heard[entry] = tuple(way)
    try:
        first.set_align_text(" ".join(f"w{place}" for place in range(len(words))))
        _decode(first, waveform)
        first.set_alignment()
        second = pocketsphinx.Decoder(**_FORCED)  # phones, inside the words of the first pass
        second.set_alignment(first.get_alignment())
        _decode(second, waveform)
    except RuntimeError as error:
        raise AlignmentError("PocketSphinx finds no path through the recording.") from error
    found = [
        DecodedWord(
            heard[word.name],
            tuple(phone.start * FRAME_SECONDS + BOUNDARY_OFFSET for phone in word),
        )
        for word in second.get_alignment() or ()
        if word.name in heard
    ]
    if len(found) != len(words):
        raise AlignmentError("PocketSphinx finds no path through the recording.")
    return found


def _decode(decoder: Any, waveform: np.ndarray) -> None:
    decoder.start_utt()
    decoder.process_raw(waveform.tobytes(), full_utt=True)
    decoder.end_utt()
