"""The phone network's input and output, and boundaries corrected from their surroundings."""

import numpy as np
import pytest

from alignment import Alignment
from alignment.arpabet import ARPABET
from alignment.network.acoustics import Acoustics
from alignment.network.boundaries import (
    MAX_MOVE_S,
    PHONE_CLASSES,
    SURROUNDINGS,
    Boundaries,
    changes,
    correct,
    surroundings,
)
from alignment.network.phone_network import INDEX, SAMPLE_RATE_HZ, SYMBOLS, features, posteriors
from tests.alignment.conftest import Speech


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


@pytest.mark.parametrize("place", [0.49, 0.5, 0.51])
def test_the_change_of_the_spectrum_is_found(place: float) -> None:
    time = np.arange(SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    sound = np.where(time < place, np.sin(2000 * time), np.sin(12_000 * time))
    sound = sound + 1e-3 * np.random.default_rng(0).normal(size=SAMPLE_RATE_HZ)
    moved = changes(features(sound), np.array([0.5]), 3)
    assert moved == pytest.approx(place, abs=8e-3)
    assert np.sign(moved - 0.5) == np.sign(place - 0.5) or place == 0.5


def test_every_phone_is_of_one_class() -> None:
    listed = [symbol for symbols in PHONE_CLASSES[1:] for symbol in symbols]
    assert len(listed) == len(set(listed))
    assert {symbol for symbol in ARPABET if symbol not in listed} == {
        symbol for symbol in ARPABET if symbol[0] in "AEIOU"
    }


def test_features_of_each_boundary(aligned: Alignment, speech: Speech) -> None:
    sound = Acoustics.of(speech[0])
    phones = aligned.phones
    starts = np.array([phone.start for phone in phones[1:]])
    boundaries = Boundaries([phone.symbol for phone in phones], starts, starts, aligned.duration)
    known = surroundings(boundaries, sound.frames, sound.scores, sound.second)
    assert known.shape == (len(boundaries.symbols) - 1, SURROUNDINGS)
    assert np.isfinite(known).all()
    times = correct(boundaries, sound.frames, sound.scores, sound.second)
    assert np.abs(times - boundaries.times).max() <= MAX_MOVE_S + 1e-9
    assert np.median(np.abs(times - boundaries.times)) < 0.01


def test_one_phone_has_no_boundary() -> None:
    nothing = np.zeros(0)
    alone = Boundaries(["AH0"], nothing, nothing, 1.0)
    assert correct(alone, np.zeros((200, 40)), *np.zeros((2, 101, 40))).shape == (0,)
