"""The page's settings of new words, as a request, and numbers within their limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from a3t.audio.matching.match_options import ALL_TRAITS, MatchedTraits
from a3t.errors import InputError
from a3t.plan.request import EditRequest
from app.models import Models, check_offered

NAMES = ("model", "vocoder", "aligner", "voice")


def settings_of(data: Any) -> tuple[EditRequest, Models]:
    """The settings of new words, each value in its range, and the models; InputError."""
    given = data if isinstance(data, Mapping) else {}
    models = Models(**{name: str(given[name]) for name in NAMES if given.get(name)})
    check_offered(models)
    match = given.get("match")
    try:
        traits = MatchedTraits.of(map(str, match[:9])) if isinstance(match, list) else ALL_TRAITS
    except ValueError as error:
        raise InputError(f"{error}.") from None
    request = EditRequest(
        new_text="",
        speed=number(given.get("speed"), 1.0, 0.5, 2.0),
        fit=given.get("fit") is True,
        margin=number(given.get("margin"), 25.0, 0.0, 100.0) / 1000,
        match=traits,
        moves=False,
        seed=int(number(given.get("seed"), 0.0, 0.0, 2**31 - 1)),
    )
    return request, models


def number(value: Any, usual: float, least: float, most: float) -> float:
    """A number from a request within its limits; the usual one for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return usual
    return min(max(float(value), least), most)
