"""What a take is to be, as it is handed to the worker's process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a3t.audio.recording import Recording
from a3t.errors import InputError
from app import texts
from app.studio.pcm_sound import HeardPart, Pause, Token, end_of, places_of, start_of
from app.studio.script import ScriptEdit

NEAR = 80  # tokens on each side of an edit that its maker is given
FAR = 10.0  # seconds; an edit farther away is of no account


@dataclass(frozen=True)
class TakeOrder:
    """A take to be made.

    tokens, pauses: those around the edit, in order. first, last: its range among the tokens. text:
    the new words, "" for none. number: of the take; the first is the plan itself, the others vary
    it. pace: relative to the settings' speed. duration: of the new words in seconds, or None. room:
    seconds of kept speech before and after the edit up to another one. level: the first take's.
    """

    recording: Recording
    tokens: Sequence[Token]
    pauses: Sequence[Pause]
    first: int
    last: int
    text: str
    settings: dict[str, Any]
    number: int
    pace: float
    duration: float | None
    room: tuple[float, float]
    level: float | None


def recording_of(folder: Path, about: dict[str, Any]) -> Recording:
    """The project's original, which was checked when it came; InputError while it is opened."""
    if "samples" not in about:
        raise InputError(texts.NOT_OPENED_YET)
    return Recording(
        folder / about["file"],
        about["sample_rate"],
        about["file_channels"],
        about["samples"],
        about["subtype"],
        about["container"],
        about.get("track"),
    )


def order_of(
    edit: ScriptEdit,
    others: Sequence[ScriptEdit],
    heard: HeardPart,
    recording: Recording,
    settings: dict[str, Any],
    number: int,
    pace: float,
    duration: float | None,
    level: float | None,
) -> TakeOrder:
    """The order for a take of an edit beside the others; InputError if its words are gone."""
    tokens = heard.tokens
    ids = places_of(tokens)
    first, last = edit.place_in(ids, len(tokens))
    before = after = FAR
    start = start_of(tokens[first]) if first < len(tokens) else float("inf")
    end = end_of(tokens[last - 1]) if last > 0 else 0.0
    for other in others:
        try:
            begin, stop = other.place_in(ids, len(tokens))
        except InputError:
            continue
        if (begin, stop) == (first, last):
            continue
        if 0 < stop <= first:
            before = min(before, start - end_of(tokens[stop - 1]))
        if last <= begin < len(tokens):
            after = min(after, start_of(tokens[begin]) - end)
    near = max(0, first - NEAR)
    around = tokens[near : last + NEAR]
    if not around:
        raise InputError(texts.NO_WORD)
    since, until = start_of(around[0]) - FAR, end_of(around[-1]) + FAR
    return TakeOrder(
        recording,
        around,
        [pause for pause in heard.pauses if since < pause["end"] and pause["start"] < until],
        first - near,
        last - near,
        edit.text,
        settings,
        number,
        pace,
        duration,
        (max(before, 0.0), max(after, 0.0)),
        level,
    )
