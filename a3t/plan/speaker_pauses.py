"""The pauses that a speaker makes, as an alignment shows them."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from a3t.plan.phone_grid import GridPhone
from a3t.text.transcript import Transcript, TranscriptWord

STOPS = (".", "!", "?", "…")
PAUSES = (4, 160)  # frames; what is shorter is a closure, what is longer a break or left out


def pause_kind(word: TranscriptWord) -> str:
    """What makes a speaker pause after a word: "." for the end of a sentence, else ","."""
    return "." if word.written.rstrip("\"'”’»)]} ").endswith(STOPS) else ","


def usual_pauses(text: Transcript, grid: Sequence[GridPhone]) -> dict[str, float]:
    """The frames of this speaker's median pause at the ends of sentences and at other signs,
    where the recording has any; pauses at its ends are not the speaker's."""
    found: dict[str, list[int]] = {}
    for before, phone in zip(grid, grid[1:], strict=False):
        if before.word < 0 or phone.word >= 0 or not PAUSES[0] <= phone.frames <= PAUSES[1]:
            continue
        word = text.words[before.word]
        if word.pause_after and before.word + 1 < len(text.words):
            found.setdefault(pause_kind(word), []).append(phone.frames)
    return {kind: float(median(frames)) for kind, frames in found.items()}
