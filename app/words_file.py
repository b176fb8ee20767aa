"""Words from a file that a visitor already has."""

from __future__ import annotations

from pathlib import Path

from a3t.source.transcripts import text_of
from app import limits, texts


def words_in(path: Path) -> str:
    """The words of a transcript of any kind (docs/formats.md); InputError for anything else."""
    return limits.check_text(" ".join(text_of(path).split()), texts.THE_TRANSCRIPT)
