"""Subtitles written from an alignment, and transcripts read from other programs' files.

Read: SubRip (.srt), WebVTT (.vtt) and Whisper's JSON, with their punctuation. Their times are not
used: words are aligned all the same.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path

from alignment.errors import AlignmentError
from alignment.files import write_whole
from alignment.records import Alignment, Word

LONGEST_TEXT = 42 * 2  # characters: two lines, as broadcasters have them
LONGEST_CUE = 6.0  # seconds
LARGEST_FILE = 20_000_000  # bytes
SENTENCE_END = (".", "!", "?", "…", '."', '!"', '?"')

TRANSCRIPTS = (".srt", ".vtt", ".json")

_TIMING = re.compile(r"^\s*(\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}\s+-->")


def write_subtitles(alignment: Alignment, path: Path, written: Sequence[str] | None = None) -> None:
    """A .srt or .vtt. `written`: for each spoken word what is shown, punctuation and all; "" for
    a word that an earlier one shows with it ("$5" is two words)."""
    vtt = path.suffix.lower() == ".vtt"
    spoken = alignment.spoken
    shown = list(written) if written is not None else [word.text for word in spoken]
    parts = ["WEBVTT\n"] if vtt else []
    for number, (start, end, text) in enumerate(_cues(spoken, shown), 1):
        times = f"{_stamp(start, vtt)} --> {_stamp(end, vtt)}"
        text = html.escape(text, quote=False) if vtt else text
        parts.append(f"{times}\n{text}\n" if vtt else f"{number}\n{times}\n{text}\n")
    write_whole(path, lambda part: part.write_text("\n".join(parts), encoding="utf-8"))


def _cues(words: Sequence[Word], shown: Sequence[str]) -> list[tuple[float, float, str]]:
    """Words in cues that end with a sentence, or when there is no more room or time."""
    cues: list[tuple[float, float, str]] = []
    for word, text in zip(words, shown, strict=True):
        if cues:
            start, end, before = cues[-1]
            if not text:
                cues[-1] = (start, word.end, before)
                continue
            fits = len(before) + 1 + len(text) <= LONGEST_TEXT and word.end - start <= LONGEST_CUE
            if fits and not before.endswith(SENTENCE_END) and word.start - end < 1.0:
                cues[-1] = (start, word.end, f"{before} {text}")
                continue
        cues.append((word.start, word.end, text))
    return cues


def _stamp(seconds: float, vtt: bool) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02}:{minute:02}:{second:02}{'.' if vtt else ','}{thousandths:03}"


def read_transcript(path: Path) -> str:
    """The text of a .srt, .vtt or Whisper .json; AlignmentError when it has none."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise AlignmentError(f"{path} can't be read ({error.strerror}): check it.") from error
    if len(data) > LARGEST_FILE:
        raise AlignmentError(f"{path.name} is too large for a transcript: cut it into parts.")
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AlignmentError(f"{path.name} is not a text in UTF-8: save it anew.") from error
    text = _whisper(content, path) if path.suffix.lower() == ".json" else _captions(content)
    if not text:
        raise AlignmentError(f"{path.name} holds no spoken text: give it another way.")
    return text


def _captions(content: str) -> str:
    """What is said in the cues: no numbers, times, tags, notes, or cue settings."""
    said: list[str] = []
    for block in re.split(r"\n\s*\n", content.replace("\r\n", "\n").replace("\r", "\n")):
        lines = block.split("\n")
        timing = next((k for k, line in enumerate(lines) if _TIMING.match(line)), None)
        if timing is None:
            continue
        text = re.sub(r"<[^>]*>|\{\\[^}]*\}", "", " ".join(lines[timing + 1 :]))
        said.append(html.unescape(text).strip())
    return " ".join(" ".join(said).split())


def _whisper(content: str, path: Path) -> str:
    try:
        data = json.loads(content)
        text = data.get("text")
        if not isinstance(text, str):
            segments = data.get("segments") or data.get("transcription") or ()
            text = " ".join(str(segment["text"]).strip() for segment in segments)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise AlignmentError(f"{path.name} is not a transcript in Whisper's JSON: check it.") from (
            error
        )
    return " ".join(text.split())
