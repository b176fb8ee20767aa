"""Words from a file that a visitor already has."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from a3t.errors import InputError
from a3t.plan.request import EditRequest
from a3t.source.transcripts import read_text
from alignment import Alignment
from alignment.formats import read_alignment
from alignment.formats.subtitles import read_transcript
from app import limits, texts


@dataclass(frozen=True)
class WordsFile:
    """A transcript; with its alignment from a TextGrid, with a whole edit from an edit.json.

    source: the sha256 of the recording that the alignment belongs to, None if any will do.
    """

    text: str
    new_text: str | None = None
    alignment: Alignment | None = None
    source: str | None = None
    request: EditRequest | None = None


def words_in(path: Path) -> WordsFile:
    """The format is chosen by the name's ending and checked by the content.

    Raises InputError or AlignmentError, with one sentence, for anything else.
    """
    match path.suffix.lower():
        case ".srt" | ".vtt":
            found = WordsFile(read_transcript(path))
        case ".textgrid":
            alignment = read_alignment(path)
            words = " ".join(word.text for word in alignment.spoken)
            found = WordsFile(words, alignment=alignment)
        case ".json":
            found = _edit_json(path)
        case ".txt" | ".lab":
            found = WordsFile(" ".join(read_text(path).split()))
        case _:
            raise InputError(texts.no_words_file(path.name))
    limits.check_text(found.text, texts.THE_TRANSCRIPT)
    limits.check_text(found.new_text, texts.THE_NEW_TEXT)
    return found


def _edit_json(path: Path) -> WordsFile:
    """Read an edit.json, which has both texts, or Whisper's JSON, which has only one."""
    try:
        record = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise InputError(texts.no_json(path.name)) from None
    if not isinstance(record, dict) or not isinstance(record.get("new_text"), str):
        return WordsFile(read_transcript(path))
    both = str(record.get("text", "")), str(record["new_text"])
    try:
        request, source = EditRequest.from_json(record), str(record["source"]["sha256"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return WordsFile(*both)  # from another version: use only the texts
    alignment = request.alignment
    if not isinstance(alignment, Alignment) or request.aligned_words:
        alignment = None
    return WordsFile(*both, alignment, source, request)
