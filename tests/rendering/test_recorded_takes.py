"""Recorded words are chosen by the manner in which they were said."""

from __future__ import annotations

import math
from dataclasses import replace

from a3t.rendering.recorded_takes import Manner

WANTED = Manner(pitch=7.0, level=-25.0, seconds=0.4, before="N", after="sp")


def test_nothing_costs_as_little_as_the_manner_that_is_wanted() -> None:
    assert WANTED.cost(WANTED) == 0
    near = {"pitch": 7.1, "level": -28.0, "seconds": 0.5, "before": "M", "after": "P"}
    far = {"pitch": 7.4, "level": -35.0, "seconds": 0.9, "before": "AH0", "after": "P"}
    for name, value in near.items():
        cost = replace(WANTED, **{name: value}).cost(WANTED)
        assert 0 < cost <= replace(WANTED, **{name: far[name]}).cost(WANTED), name
    assert 0 < replace(WANTED, pitch=math.nan).cost(WANTED) < math.inf


def test_stress_beside_the_words_makes_no_difference() -> None:
    assert replace(WANTED, before="AH0").cost(replace(WANTED, before="AH1")) == 0
