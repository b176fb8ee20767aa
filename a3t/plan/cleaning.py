"""What to look for in a recording, and a finding.

What the transcript has goes from the text; what it lacks becomes a `Cut`. Both are edits of one
`EditPlan`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from a3t.errors import InputError
from a3t.grid import frames_of, seconds_of
from a3t.plan.options import CleaningOptions
from a3t.plan.request import (
    ALL_KINDS,
    KINDS,
    NAMED,
    Cut,
)
from a3t.spans import Span
from alignment.fillers import FILLERS


@dataclass(frozen=True, kw_only=True)
class Cleaning(CleaningOptions):
    """The disfluencies to look for, and what to do with them; InputError for a value out of range.

    kinds: some of ALL_KINDS. fillers: words and phrases, in any case, that count as fillers where
    the transcript has them. Pauses are always shortened, breaths and clicks always muted.
    hidden: words and phrases, such as names, that are muted, or with ``bleep`` covered by a tone.
    """

    kinds: tuple[str, ...] = KINDS
    fillers: tuple[str, ...] = FILLERS
    hidden: tuple[str, ...] = ()
    bleep: bool = False

    def __post_init__(self) -> None:
        """Raise InputError for a kind or a length that can't be."""
        super().__post_init__()
        if unknown := sorted(set(self.kinds) - set(ALL_KINDS)):
            raise InputError(f"“{unknown[0]}” is not one of {', '.join(ALL_KINDS)}.")
        if self.shorten_to is not None and self.shorten_to > self.longest:
            raise InputError(
                f"Pauses can't be shortened to {self.shorten_to:g} s: use at most the longest "
                f"that stays, {self.longest:g} s."
            )

    def silence(self, found: Finding) -> float:
        """Return the silence in seconds that replaces a finding's words; 0 if they are cut."""
        mute = self.action == "mute" or found.kind == NAMED
        return seconds_of(frames_of(found.end) - frames_of(found.start)) if mute else 0.0


def listed(value: str) -> tuple[str, ...]:
    """Split a list at its commas."""
    return tuple(filter(None, (name.strip().lower() for name in value.split(","))))


def cleaning_of_lists(find: str | None, mute: str, bleep: str, **more: Any) -> Cleaning:
    """Return a cleaning described by lists with commas.

    find: the kinds to look for; None for the usual ones, or for none if words are to be hidden.
    mute, bleep: words to hide. more: further fields of `Cleaning`. Raises InputError.
    """
    if mute and bleep:
        raise InputError("Words can't be muted and bleeped at once: clean twice.")
    hidden = listed(mute or bleep)
    kinds = listed(find) if find is not None else () if hidden else KINDS
    if not kinds and not hidden:
        raise InputError(f"No kind is named: omit the list, or choose from {', '.join(ALL_KINDS)}.")
    named = tuple(kind.removesuffix("s") for kind in kinds)
    return Cleaning(kinds=named, hidden=hidden, bleep=bool(bleep), **more)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to take out: its kind, the words or the sound, and its seconds in the recording.

    words: [first, last) of the text that are to go; cut: what else is, or the silence that goes
    with them. again: of an attempt, the seconds of the take that stays.
    """

    kind: str
    text: str
    start: float
    end: float
    words: Span | None = None
    cut: Cut | None = None
    again: tuple[float, float] | None = None

    def shown(self) -> dict[str, Any]:
        """Return the finding as JSON, with rounded times."""
        shown = {"kind": self.kind, "text": self.text, "start": round(self.start, 4)}
        again = {"again": [round(second, 4) for second in self.again]} if self.again else {}
        return shown | {"end": round(self.end, 4)} | again

    def __str__(self) -> str:
        """Return the finding's line in a list."""
        again = f", again at {self.again[0]:.2f} s" if self.again else ""
        return f"{self.kind:7} {self.start:9.2f} – {self.end:.2f} s  {self.text}{again}"


def not_named(missing: Iterable[str], start: str = "The transcript has no") -> str:
    """Return the sentence for words that were to be hidden and that no transcript has."""
    named = ", ".join(f"“{name}”" for name in missing)
    return f"{start} {named}, so nothing hides it: look how the name is spelt there."
