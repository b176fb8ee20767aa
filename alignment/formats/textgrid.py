"""Praat TextGrid with the tiers "words" and "phones", as the Montreal Forced Aligner writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alignment.atomic import write_whole
from alignment.errors import AlignmentError
from alignment.formats.assembly import LabelledInterval, assemble, spoken_entries
from alignment.result import Alignment


def write_textgrid(alignment: Alignment, path: Path) -> None:
    """Long text format; scores are not kept."""
    from praatio import textgrid
    from praatio.data_classes.interval_tier import IntervalTier

    grid = textgrid.Textgrid()
    words = [(word.start, word.end, word.text) for word in alignment.words]
    phones = [(phone.start, phone.end, phone.symbol) for phone in alignment.phones]
    for name, entries in (("words", words), ("phones", phones)):
        # praatio leaves out empty labels here and fills them in again as it saves.
        spoken = [entry for entry in entries if entry[2]]
        grid.addTier(IntervalTier(name, spoken, 0.0, alignment.duration))
    write_whole(
        path, lambda part: grid.save(str(part), format="long_textgrid", includeBlankSpaces=True)
    )


def read_textgrid(path: Path) -> Alignment:
    """Read the TextGrid of one speaker, long or short text format; raises AlignmentError."""
    from praatio import textgrid

    try:
        grid = textgrid.openTextgrid(
            str(path), includeEmptyIntervals=False, reportingMode="silence"
        )
        words, phones = (_entries(_tier(grid, kind, path)) for kind in ("words", "phones"))
        duration = float(grid.maxTimestamp)
    except AlignmentError:
        raise
    except Exception as error:  # praatio raises whatever its parser stumbles over
        raise AlignmentError(
            f"{path.name} can't be read as a TextGrid: save it in Praat as a text file."
        ) from error
    return assemble(words, phones, duration, path)


def _tier(grid: Any, kind: str, path: Path) -> Any:
    """The tier named "words" (also "word", "Words", "speaker - words"), or "phones"."""
    named = [
        name
        for name in grid.tierNames
        if name.rpartition(" - ")[2].strip().lower() in (kind, kind[:-1])
    ]
    if len(named) == 1:
        return grid.getTier(named[0])
    present = ", ".join(f'"{name}"' for name in grid.tierNames) or "none"
    if named:
        raise AlignmentError(
            f'{path.name} has several tiers of {kind} ({present}): keep one speaker\'s "{kind}".'
        )
    raise AlignmentError(
        f'{path.name} has no tier "{kind}" (its tiers: {present}): both "words" and "phones" '
        "are needed, as the Montreal Forced Aligner writes them."
    )


def _entries(tier: Any) -> list[LabelledInterval]:
    return spoken_entries(
        LabelledInterval(float(e[0]), float(e[1]), str(e[2]).strip()) for e in tier.entries
    )
