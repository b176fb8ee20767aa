"""A speaker's usual pauses, measured in an alignment."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from a3t.plan.phone_grid import GridPhone
from a3t.text.transcript import Transcript, TranscriptWord

STOPS = (".", "!", "?", "…")
PAUSES = (4, 160)  # frames; shorter is a stop's closure, longer a break or unaligned speech


def pause_kind(word: TranscriptWord) -> str:
    """The kind of pause after a word: "." at the end of a sentence, else ","."""
    return "." if word.written.rstrip("\"'”’»)]} ").endswith(STOPS) else ","


def usual_pauses(text: Transcript, grid: Sequence[GridPhone]) -> dict[str, float]:
    """This speaker's median pause in frames, by kind, for the kinds that the recording has.

    Silence at the recording's ends doesn't count.
    """
    frames_of_kind: dict[str, list[int]] = {}
    for before, phone in zip(grid, grid[1:], strict=False):
        if before.word < 0 or phone.word >= 0 or not PAUSES[0] <= phone.frames <= PAUSES[1]:
            continue
        word = text.words[before.word]
        if word.pause_after and before.word + 1 < len(text.words):
            frames_of_kind.setdefault(pause_kind(word), []).append(phone.frames)
    return {kind: float(median(frames)) for kind, frames in frames_of_kind.items()}
