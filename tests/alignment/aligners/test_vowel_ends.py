"""A vowel before a pause ends where its second formant fades."""

import numpy as np
import pytest

from alignment.aligners.vowel_ends import DECIBELS, SECONDS, faded, formant_level, with_vowel_ends
from alignment.network.graph import NOISE, SILENCE, WORD, State, Visit
from alignment.network.phone_network import BANDS, INDEX
from alignment.result import PAUSE

START, ENDED, REST = 0.2, 0.4, 0.8  # seconds: of the vowel, and of the pause's end


def levels(floor: float = -60.0, after: float = -30.0) -> np.ndarray:
    """A vowel at 0 dB; for 80 ms after it the room, `after` dB; else the floor."""
    times = np.arange(round(1.0 / SECONDS)) * SECONDS
    result = np.where((times >= START) & (times < ENDED), 0.0, floor)
    return np.where((times >= ENDED) & (times < ENDED + 0.08), after, result)


@pytest.mark.parametrize("found", [0.4, 0.42, 0.44, 0.48])
@pytest.mark.parametrize("floor", [-60.0, -12.0])  # in noise, too
def test_it_ends_with_its_sound_however_late_it_was_found_to_end(
    found: float, floor: float
) -> None:
    level = levels(floor, max(floor, -30.0))
    assert faded(level, START, found, REST) == pytest.approx(ENDED, abs=0.006)


def test_a_click_in_the_pause_is_not_the_vowel() -> None:
    level = levels()
    level[round(0.47 / SECONDS)] = 0.0
    assert faded(level, START, 0.44, REST) == pytest.approx(ENDED, abs=0.006)


def test_creak_belongs_to_the_vowel() -> None:
    level = levels(after=-60.0)
    for pulse in (0.425, 0.455):
        first = round(pulse / SECONDS)
        level[first : first + 3] = -8.0
    assert faded(level, START, 0.51, REST) == pytest.approx(0.47, abs=0.006)


def test_it_is_never_found_later() -> None:
    assert faded(levels(), START, 0.33, REST) == pytest.approx(0.33, abs=0.006)


def test_a_pause_too_short_to_tell_leaves_it() -> None:
    assert faded(levels(), START, 0.43, 0.46) == 0.43


@pytest.mark.parametrize(
    ("symbol", "kind", "moved"),
    [("IY", SILENCE, True), ("M", SILENCE, False), ("IY", NOISE, False), ("IY", WORD, False)],
)
def test_only_vowels_before_silence_are_moved(symbol: str, kind: int, moved: bool) -> None:
    frames = np.repeat(levels()[:, None] / DECIBELS, BANDS, axis=1)
    assert formant_level(frames)[50] == pytest.approx(0.0)
    states = [
        State(SILENCE, INDEX[PAUSE], 0),
        State(WORD, INDEX[symbol], 0),
        State(kind, INDEX[PAUSE], 1),
        State(WORD, INDEX["S"], 1),
    ]
    visits = [Visit(state, k, k + 1) for k, state in enumerate(states)]
    ends = np.array([START, 0.45, REST])
    result = with_vowel_ends(ends, visits, frames, 1.0)
    assert result[[0, 2]].tolist() == [START, REST]
    assert result[1] == pytest.approx(ENDED if moved else 0.45, abs=0.006)
