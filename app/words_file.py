"""Words from a file that a visitor already has."""

from __future__ import annotations

from pathlib import Path

from a3t.errors import InputError
from a3t.source.transcripts import text_of
from alignment.formats import read_alignment
from app import limits, texts

TEXTS = (".srt", ".vtt", ".json", ".txt", ".lab")  # Whisper's JSON, or an edit.json


def words_in(path: Path) -> str:
    """The words of a transcript, of subtitles or of a TextGrid, by the name's ending. InputError or
    AlignmentError, with one sentence, for anything else."""
    suffix = path.suffix.lower()
    if suffix == ".textgrid":
        words = " ".join(word.text for word in read_alignment(path).spoken)
    elif suffix in TEXTS:
        words = " ".join(text_of(path).split())
    else:
        raise InputError(texts.no_words_file(path.name))
    return limits.check_text(words, texts.THE_TRANSCRIPT)
