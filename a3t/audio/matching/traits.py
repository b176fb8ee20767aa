"""The traits of a recording's sound that new words may take on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# The traits by the names that people give them, with their fields.
TRAITS = {
    "bandwidth": "bandwidth", "spectrum": "spectrum", "room": "room_tone", "coding": "coding"
}  # fmt: skip


@dataclass(frozen=True)
class MatchedTraits:
    """The traits in which a patch matches the recording.

    bandwidth: silence where the recording has none, and the band above 12 kHz if it has one;
    spectrum: its spectrum from 7 to 12 kHz; room_tone: its noise floor and its reverberation;
    coding: the traces of a lossy codec.
    """

    bandwidth: bool = True
    spectrum: bool = True
    room_tone: bool = True
    coding: bool = True

    @classmethod
    def of(cls, kinds: Iterable[str]) -> MatchedTraits:
        """Return these of `TRAITS` alone; ValueError for another."""
        wanted = dict.fromkeys(kinds)
        strange = [kind for kind in wanted if kind not in TRAITS]
        if strange:
            raise ValueError(f"“{strange[0]}” is none of {', '.join(TRAITS)}")
        return cls(**{field: kind in wanted for kind, field in TRAITS.items()})

    @property
    def names(self) -> list[str]:
        """The traits' names, as people give them."""
        return [name for name, field in TRAITS.items() if getattr(self, field)]

    @property
    def learns(self) -> bool:
        """True if a copy of the neighbours is needed."""
        return self.bandwidth or self.spectrum


ALL_TRAITS = MatchedTraits()
