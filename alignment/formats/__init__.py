"""Alignments, transcripts and pronunciations as files.

Reading and writing alone; what they mean is the caller's.
"""

from __future__ import annotations

from alignment.formats.alignment_files import check_format, read_alignment, write_alignment

__all__ = ["check_format", "read_alignment", "write_alignment"]
