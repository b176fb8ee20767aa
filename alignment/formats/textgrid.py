"""Praat TextGrid with the tiers "words" and "phones", as the Montreal Forced Aligner writes it.

If the words were recognised, a third tier says so and has their confidences.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from alignment.atomic import write_whole
from alignment.errors import AlignmentError
from alignment.formats.assembly import LabelledInterval, assemble, spoken_entries
from alignment.formats.text_file import RECOGNISED_MARK
from alignment.result import Alignment

CONFIDENCES = f"confidence, {RECOGNISED_MARK}"  # a tier's name


def write_textgrid(alignment: Alignment, path: Path) -> None:
    """Long text format; scores are kept of recognised words alone."""
    from praatio import textgrid
    from praatio.data_classes.interval_tier import IntervalTier

    grid = textgrid.Textgrid()
    tiers = {
        "words": [(word.start, word.end, word.text) for word in alignment.words],
        "phones": [(phone.start, phone.end, phone.symbol) for phone in alignment.phones],
    }
    if alignment.recognised:
        scores = [(word.start, word.end, f"{word.score:.4f}") for word in alignment.spoken]
        tiers[CONFIDENCES] = scores
    for name, entries in tiers.items():
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
        recognised = CONFIDENCES in grid.tierNames
        if recognised:
            words = _with_scores(words, grid.getTier(CONFIDENCES).entries)
    except AlignmentError:
        raise
    except Exception as error:  # praatio raises whatever its parser stumbles over
        raise AlignmentError(
            f"{path.name} can't be read as a TextGrid: save it in Praat as a text file."
        ) from error
    return replace(assemble(words, phones, duration, path), recognised=recognised)


def has_phone_tier(text: str) -> bool:
    """True if a TextGrid's text names a tier of phones."""
    return re.search(r'"(?:[^"\n]{0,80} - )?phones?"', text, re.IGNORECASE) is not None


def _with_scores(words: list[LabelledInterval], scores: Any) -> list[LabelledInterval]:
    """The words with the scores that begin where they do; 0 for others, which somebody moved."""
    given = {float(start): min(max(float(label), 0.0), 1.0) for start, _, label in scores}
    return [word._replace(score=given.get(word.start, 0.0)) for word in words]


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
