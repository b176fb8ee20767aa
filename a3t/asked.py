"""What may be asked of the new words: rate, time, sound, and how much is made anew with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from a3t.audio.match import EVERYTHING, Matching
from a3t.errors import InputError

Lengths = tuple[tuple[float, ...], ...]
Phones = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """How the new words were wanted. Raises InputError for what can't be had.

    ``speed`` is their rate against the speaker's own, ``fit`` gives them the old words' time,
    ``duration`` (seconds) a time of their own, ``lengths`` (seconds) each word and pause of each
    edit its own, as in a plan that was edited by hand. ``margin``, in seconds, is how much of the
    neighbours on either side is made anew with them, ``reach`` how far beyond it the joint may lie.
    ``match`` says what of the recording's own sound they are given. ``pronunciations`` are words
    (lower case) with the ways to say them, which stand before the dictionary's: ARPAbet, stressed.
    """

    speed: float = 1.0
    fit: bool = False
    margin: float = 0.025
    duration: float | None = None
    lengths: Lengths | None = None
    reach: float = 0.075
    match: Matching = EVERYTHING
    pronunciations: tuple[tuple[str, tuple[Phones, ...]], ...] = ()

    def __post_init__(self) -> None:
        if not 0.25 <= self.speed <= 4.0:
            raise InputError(f"A speed of {self.speed:g} is out of range: use 0.25 to 4.")
        if not 0.0 <= self.margin <= 0.5:
            raise InputError(f"A margin of {self.margin:g} s is out of range: use 0 to 0.5.")
        if not 0.025 <= self.reach <= 0.25:
            raise InputError(f"A reach of {self.reach:g} s is out of range: use 0.025 to 0.25.")
        if self.duration is not None and not 0.05 <= self.duration <= 60:
            raise InputError(
                f"A duration of {self.duration:g} s is out of range: use 0.05 to 60 seconds."
            )
        if sum((self.fit, self.duration is not None, self.lengths is not None)) > 1:
            raise InputError(
                "The new words' time is given twice: choose one of fit, duration and a plan."
            )

    def only(self, words: Iterable[str]) -> Asked:
        """The same without the pronunciations of words that are not among these."""
        wanted = set(words)
        kept = tuple(each for each in self.pronunciations if each[0] in wanted)
        return replace(self, pronunciations=kept)

    def to_json(self) -> dict[str, Any]:
        """Its fields; lengths as lists, phones as one text."""
        lengths = self.lengths and [list(words) for words in self.lengths]
        said = {word: [" ".join(way) for way in ways] for word, ways in self.pronunciations}
        return asdict(self) | {"lengths": lengths, "pronunciations": said}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Asked:
        """What to_json wrote; what an older version did not write is as usual. KeyError, TypeError
        or ValueError for anything else."""
        speed = float(data["speed"])
        duration, lengths = data.get("duration"), data.get("lengths")
        return cls(
            speed,
            bool(data["fit"]),
            float(data["margin"]),
            None if duration is None else float(duration),
            None if lengths is None else tuple(tuple(map(float, words)) for words in lengths),
            float(data.get("reach", 0.075)),
            Matching(**{name: bool(value) for name, value in data.get("match", {}).items()}),
            tuple(
                (word, tuple(tuple(str(way).split()) for way in ways))
                for word, ways in dict(data.get("pronunciations", {})).items()
            ),
        )


USUAL = Asked()
