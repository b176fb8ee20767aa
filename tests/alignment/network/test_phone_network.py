"""The phone network: what it is given and what it says."""

from __future__ import annotations

import numpy as np
import pytest

from alignment import Alignment
from alignment.network.phone_network import INDEX, SYMBOLS, features, posteriors

Speech = tuple[np.ndarray, int]


def test_features_do_not_know_the_level(speech: Speech) -> None:
    samples = speech[0]
    assert features(samples * 8) == pytest.approx(features(samples), abs=1e-3)
    assert features(samples).shape == (801, 40)
    assert np.isfinite(features(np.zeros(1000, np.float32))).all()


def test_posteriors_are_probabilities_every_10_ms(speech: Speech) -> None:
    result = posteriors(features(speech[0]))
    assert result.shape == (401, len(SYMBOLS))
    assert np.exp(result).sum(axis=1) == pytest.approx(1.0, abs=1e-4)


def test_the_network_distinguishes_silence_and_phones(speech: Speech, aligned: Alignment) -> None:
    heard = posteriors(features(speech[0])).argmax(axis=1)
    hits = total = 0
    for phone in aligned.phones:
        inside = slice(round(phone.start * 100) + 1, round(phone.end * 100) - 1)
        hits += int((heard[inside] == INDEX[phone.symbol.rstrip("012")]).sum())
        total += len(heard[inside])
    assert hits / total > 0.6
