"""One live recogniser, in a process of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from alignment.recognition.live import LiveRecogniser
from alignment.recognition.network_recogniser import RecognisedWord

_recognisers: list[LiveRecogniser] = []


def hear(samples: bytes, last: bool, rate: int | None = None) -> dict[str, Any]:
    """The words that are final since the last time, and those after them that may change, each with
    its start and end, seconds; `rate`: begin with these samples of 16 bits, little-endian."""
    if rate is not None:
        _recognisers[:] = [LiveRecogniser(rate)]
    (recogniser,) = _recognisers
    block = np.frombuffer(samples[: len(samples) // 2 * 2], "<i2").astype(np.float32) / 32768
    heard = recogniser.hear(block)
    final, rest = heard.final, heard.provisional
    if last:
        ended = recogniser.end()
        final, rest = (*final, *ended.final), ended.provisional
    return {"final": shown(final), "provisional": shown(rest)}


def shown(words: tuple[RecognisedWord, ...]) -> list[tuple[str, float, float]]:
    """Words as the page takes them."""
    return [(word.text, round(word.start, 2), round(word.end, 2)) for word in words]
