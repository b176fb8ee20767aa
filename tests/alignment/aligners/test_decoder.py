"""A PocketSphinx decoder keeps nothing from one recording to the next."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from alignment.aligners import decoder as sphinx
from alignment.aligners.decoder import NoPathError, force_align, phone_loop
from alignment.waveform import model_waveform

Lookup = Callable[[Sequence[str]], Mapping[str, Sequence[Sequence[str]]]]

STATUS = Path("/proc/self/status")

pytest.importorskip("pocketsphinx", reason="PocketSphinx is not installed")


@pytest.fixture
def waveform(speech: tuple[np.ndarray, int]) -> np.ndarray:
    """The sentence's first second: "and you always"."""
    return model_waveform(speech[0][:17_600], speech[1])


def alternatives(lookup: Lookup, words: Sequence[str]) -> list[list[tuple[str, ...]]]:
    said = lookup(words)
    return [[tuple(phone.rstrip("012") for phone in each) for each in said[w]] for w in words]


def resident() -> int:
    """Bytes of this process in memory, without what it shares with files."""
    line = next(each for each in STATUS.read_text().splitlines() if each.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


def test_a_used_decoder_gives_the_same_result_as_a_new_one(
    waveform: np.ndarray, lookup: Lookup
) -> None:
    words = alternatives(lookup, ["and", "you", "always"])
    sphinx._idle.clear()
    new = force_align(waveform, words)
    assert [word.index for word in new if word.index >= 0] == [0, 1, 2]
    assert sphinx._idle
    force_align(waveform[:8_000][::-1].copy(), alternatives(lookup, ["a"]))
    with pytest.raises(NoPathError):
        force_align(waveform, alternatives(lookup, ["superlative"]) * 20)
    assert force_align(waveform, words) == new
    assert force_align(waveform, words) == new


@pytest.mark.skipif(not STATUS.exists(), reason="no /proc to read the memory from")
def test_memory_does_not_grow(waveform: np.ndarray, lookup: Lookup) -> None:
    words = alternatives(lookup, ["and", "you", "always"])

    def some(count: int) -> int:
        for _ in range(count):
            force_align(waveform, words)
            phone_loop(waveform)
        gc.collect()
        return resident()

    before = some(5)
    assert some(20) - before < 5_000_000  # what was lost once came to 20 MB
