"""Alignments, transcripts and pronunciations as files."""

from __future__ import annotations

from alignment.formats.by_ending import check_format, read_alignment, write_alignment

__all__ = ["check_format", "read_alignment", "write_alignment"]
