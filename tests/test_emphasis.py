"""Emphasis raises pitch and level within the speaker's range, and changes nothing else."""

from __future__ import annotations

import builtins
from pathlib import Path

import numpy as np
import pytest

from a3t.audio.splicing.emphasis import BOUND, MOST_DECIBELS, MOST_SEMITONES, emphasise
from a3t.editor import Editor
from a3t.errors import InputError
from tests.conftest import ARCTIC

pytest.importorskip("pyworld", reason="emphasis needs pyworld")

RATE = 24_000


def voice(hertz: np.ndarray, loudness: float) -> np.ndarray:
    """Pulses at a pitch that follows `hertz` (n,), through a vowel's two resonances."""
    phase = np.cumsum(hertz / RATE)
    pulses = np.diff(np.floor(phase), prepend=0.0)
    time = np.arange(600) / RATE
    vowel = sum(np.exp(-200 * time) * np.sin(2 * np.pi * f * time) for f in (600, 1200))
    sound = np.convolve(pulses, vowel)[: len(hertz)]
    return loudness * sound / np.abs(sound).max()


def pitch_of(sound: np.ndarray) -> float:
    import pyworld

    hertz, times = pyworld.dio(sound.astype(np.float64), RATE)
    hertz = pyworld.stonemask(sound.astype(np.float64), hertz, times, RATE)
    return float(np.median(hertz[hertz > 0]))


def test_a_word_is_raised_within_the_speakers_range() -> None:
    speaker = voice(np.linspace(90, 180, 2 * RATE), 0.5)
    word = voice(np.full(RATE, 120.0), 0.2)
    made, (raised,) = emphasise(word, [(8_000, 16_000)], speaker)
    assert 0 < raised.semitones <= MOST_SEMITONES and 0 < raised.decibels <= MOST_DECIBELS
    expected = 120 * 2 ** (raised.semitones / 12)
    assert pitch_of(made[8_500:15_500]) == pytest.approx(expected, rel=0.02)
    level = np.std(made[9_000:15_000]) / np.std(word[9_000:15_000])
    assert 20 * np.log10(level) == pytest.approx(raised.decibels, abs=0.7)
    assert np.array_equal(made[:7_000], word[:7_000].astype(np.float32))
    assert np.array_equal(made[17_000:], word[17_000:].astype(np.float32))


def test_nothing_goes_beyond_the_speakers_own() -> None:
    speaker = voice(np.full(2 * RATE, 120.0), 0.2)
    word = voice(np.full(RATE, 121.0), 0.4)
    made, (raised,) = emphasise(word, [(8_000, 16_000)], speaker)
    assert raised.semitones < 0.2 and raised.decibels == 0.0
    assert np.percentile(np.abs(made), BOUND) <= 1.05 * np.percentile(np.abs(word), BOUND)


def test_an_emphasised_word_is_in_the_record(editor: Editor, arctic: Path) -> None:
    plain = editor.edit(
        arctic, new_text=ARCTIC.replace("always", "never"), text=ARCTIC, verify=False
    )
    result = editor.edit(
        arctic, new_text=ARCTIC.replace("always", "*never*"), text=ARCTIC, verify=False
    )
    (edit,) = result.record["edits"]
    (told,) = edit["emphasis"]
    assert told["word"] == "never" and told["semitones"] >= 0 and told["dB"] >= 0
    assert edit["words"][0]["emphasis"] is True
    if told["semitones"] or told["dB"]:
        assert not np.array_equal(result.patches[0].samples, plain.patches[0].samples)


def test_without_pyworld_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "pyworld":
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match="needs the package pyworld"):
        emphasise(np.zeros(100), [(0, 50)], np.zeros(100))
