"""The choice of traits in which a patch matches the recording
(`a3t.audio.matching.sound_matching`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


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
        """These kinds ("bandwidth", "spectrum", "room", "coding") alone; ValueError for another."""
        named = {"bandwidth": "bandwidth", "spectrum": "spectrum", "room": "room_tone"}
        named["coding"] = "coding"
        wanted = dict.fromkeys(kinds)
        strange = [kind for kind in wanted if kind not in named]
        if strange:
            raise ValueError(f"“{strange[0]}” is none of {', '.join(named)}")
        return cls(**{field: kind in wanted for kind, field in named.items()})

    @property
    def learns(self) -> bool:
        """True if a copy of the neighbours is needed."""
        return self.bandwidth or self.spectrum


ALL_TRAITS = MatchedTraits()
