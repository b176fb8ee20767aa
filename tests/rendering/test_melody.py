"""Drawn melodies: the same for a seed, at rest at their ends, and as wide as was measured."""

from __future__ import annotations

import numpy as np

from a3t.rendering.melody import ENDS, SHARE, WHOLE, WITHIN, drawn_melody, together

MASKED = np.zeros(200, bool)
MASKED[20:80] = MASKED[120:180] = True


def test_a_seed_draws_one_melody_and_the_first_none() -> None:
    assert drawn_melody(MASKED, 0) is None
    one, again, other = (drawn_melody(MASKED, seed) for seed in (1, 1, 2))
    assert one is not None and other is not None
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    assert not np.array_equal(one[20:80], one[120:180])
    assert not one[~MASKED].any()


def test_it_begins_and_ends_at_the_predicted_one() -> None:
    drawn = np.stack([drawn_melody(MASKED, seed) for seed in range(1, 400)])
    spread = drawn.std(axis=0)[20:80]
    assert spread[[0, -1]].max() < 0.3 * spread[ENDS:-ENDS].min()
    expected = SHARE * np.hypot(WHOLE, WITHIN)
    assert np.allclose(spread[ENDS:-ENDS], expected, rtol=0.15)
    assert np.abs(np.diff(drawn[:, 25:75], axis=1)).std() < 0.25 * expected  # and is slow


def test_nothing_masked_draws_nothing() -> None:
    drawn = drawn_melody(np.zeros(9, bool), 5)
    assert drawn is not None and not drawn.any()
    assert together(None, None) is None
    assert together(None, np.ones(2), np.ones(2)).tolist() == [2.0, 2.0]  # type: ignore[union-attr]
