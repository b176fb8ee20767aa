"""Boundary confidence, from posteriors that cross at once or slowly."""

import numpy as np
import pytest

from alignment import Alignment, Phone, Word, load_aligner
from alignment.network.boundaries import (
    INSIDE_S,
    ONSET_S,
    SHARED_CONSONANT,
    spreads,
    undecided,
    with_spreads,
)
from alignment.network.phone_network import INDEX, SYMBOLS
from alignment.result import PAUSE, pause
from tests.alignment.conftest import Lookup, Speech

WORD = Word("a", 0.0, 0.4, 1.0, (Phone("M", 0.0, 0.2), Phone("AE1", 0.2, 0.4)))
ALIGNED = Alignment((WORD,), 0.4)


def crossing(frames: float) -> np.ndarray:
    """Log posteriors, (40, 40), in which M gives way to AE over so many frames around 0.2 s."""
    share = 1 / (1 + np.exp(np.clip((19.5 - np.arange(40)) / frames, -50, 50)))
    result = np.full((40, len(SYMBOLS)), np.log(1e-6))
    result[:, INDEX["AE"]] = np.log(share + 1e-6)
    result[:, INDEX["M"]] = np.log(1 - share + 1e-6)
    return result


def test_what_crosses_slowly_is_less_sure() -> None:
    found = [spreads(ALIGNED, crossing(frames))[0] for frames in (0.01, 0.5, 1.0, 2.0)]
    assert found == sorted(found)
    assert found[0] == pytest.approx(INSIDE_S[0], abs=0.001)
    # The integral of 4 p (1 - p) over a logistic crossing of scale s is 4 s.
    assert undecided(ALIGNED, crossing(1.0))[0] == pytest.approx(0.04, rel=0.05)


def beside(left: str, right: str) -> float:
    """The spread between two words of one phone each, of 0.2 s, that is decided at once."""
    kinds = [
        pause(start, start + 0.2, 1.0)
        if symbol == PAUSE
        else Word("a", start, start + 0.2, 1.0, (Phone(symbol, start, start + 0.2),))
        for symbol, start in ((left, 0.0), (right, 0.2))
    ]
    scores = np.full((40, len(SYMBOLS)), np.log(1e-6))
    scores[:20, INDEX[left.rstrip("012")]] = scores[20:, INDEX[right.rstrip("012")]] = 0.0
    if left == right:
        scores[:, INDEX[left]] = 0.0
    return float(spreads(Alignment(tuple(kinds), 0.4), scores)[0])


def test_what_meets_says_how_sure_a_boundary_can_be() -> None:
    assert beside("M", "T") == pytest.approx(INSIDE_S[0], abs=0.001)
    assert beside("M", "AE1") == ONSET_S
    assert beside("M", "L") > beside("M", "T")
    assert beside("AE1", "M") == beside("M", "T")  # one that is decided at once
    assert beside("S", "S") == pytest.approx(
        max(SHARED_CONSONANT * 0.4, INSIDE_S[1] * 0.12), rel=0.1
    )
    # The closure of a stop is as silent as the pause before it; a vowel is not.
    assert beside(PAUSE, "T") > beside(PAUSE, "S") > beside(PAUSE, "AE1")


def test_the_alignment_carries_it_and_json_does() -> None:
    found = with_spreads(ALIGNED, crossing(1.0))
    first, last = found.phones
    assert (first.spread, last.spread) == (pytest.approx(0.0118, abs=0.001), 0.0)
    assert Alignment.from_json(found.to_json()) == found
    assert "spread" not in ALIGNED.phones[0].to_json()


def test_the_default_aligner_says_how_sure_each_boundary_is(
    speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    found = load_aligner().align(*speech, words, lookup(words))
    assert all(0.003 < phone.spread < 0.1 for phone in found.phones[:-1])
