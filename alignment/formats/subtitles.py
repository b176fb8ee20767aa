"""Subtitles written from an alignment, and transcripts read from other programs' files.

Read: SubRip (.srt), WebVTT (.vtt) and Whisper's JSON, with their punctuation. Their times only say
where in a long recording to look: the words are still aligned.

pysubs2 would read the first two as well, but takes time that grows with the square of the number of
unclosed tags, and keeps WebVTT's entities and inline times in the text.
"""

from __future__ import annotations

import contextlib
import html
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from alignment.atomic import write_whole
from alignment.errors import AlignmentError
from alignment.formats.text_file import read_text
from alignment.result import Alignment, Word

LONGEST_TEXT = 42 * 2  # characters: two lines, as broadcasters have them
LONGEST_CUE = 6.0  # seconds
LARGEST_FILE = 20_000_000  # bytes
SENTENCE_END = (".", "!", "?", "…", '."', '!"', '?"')

TRANSCRIPTS = (".srt", ".vtt", ".json")

_STAMP = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_TIMING = re.compile(rf"^\s*{_STAMP}\s+-->\s+{_STAMP}")


def write_subtitles(
    alignment: Alignment,
    path: Path,
    written: Sequence[str] | None = None,
    each_word: bool = False,
) -> None:
    """A .srt or .vtt. `written`: the text to show for each spoken word, with punctuation; "" for
    a word that an earlier one shows with it ("$5" is two words). `each_word`: a cue for each of
    these instead of one for as many as fit."""
    vtt = path.suffix.lower() == ".vtt"
    spoken = alignment.spoken
    shown = list(written) if written is not None else [word.text for word in spoken]
    parts = ["WEBVTT\n"] if vtt else []
    for number, (start, end, text) in enumerate(_cues(spoken, shown, each_word), 1):
        times = f"{_stamp(start, vtt)} --> {_stamp(end, vtt)}"
        text = html.escape(text, quote=False) if vtt else text
        parts.append(f"{times}\n{text}\n" if vtt else f"{number}\n{times}\n{text}\n")
    write_whole(path, lambda part: part.write_text("\n".join(parts), encoding="utf-8"))


def _cues(
    words: Sequence[Word], shown: Sequence[str], each_word: bool = False
) -> list[tuple[float, float, str]]:
    """Words in cues that end with a sentence, or when there is no more room or time."""
    cues: list[tuple[float, float, str]] = []
    for word, text in zip(words, shown, strict=True):
        if cues:
            start, end, before = cues[-1]
            if not text:
                cues[-1] = (start, word.end, before)
                continue
            fits = len(before) + 1 + len(text) <= LONGEST_TEXT and word.end - start <= LONGEST_CUE
            fits &= not before.endswith(SENTENCE_END) and word.start - end < 1.0
            if fits and not each_word:
                cues[-1] = (start, word.end, f"{before} {text}")
                continue
        cues.append((word.start, word.end, text))
    return cues


def _stamp(seconds: float, vtt: bool) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02}:{minute:02}:{second:02}{'.' if vtt else ','}{thousandths:03}"


class Cue(NamedTuple):
    """The text of `start` to `end`, seconds, which are rough and may be missing (NaN)."""

    start: float
    end: float
    text: str


def read_transcript(path: Path) -> str:
    """The text of a .srt, .vtt or Whisper .json; AlignmentError when it has none."""
    content = read_text(path, LARGEST_FILE, "transcript")
    if path.suffix.lower() == ".json":
        data = _whisper(content, path)
        text = data["text"] if isinstance(data.get("text"), str) else _joined(_segments(data, path))
    else:
        text = _joined(_captions(content))
    text = " ".join(text.split())
    if not text:
        raise AlignmentError(f"{path.name} has no spoken text: give the text itself.")
    return text


def read_cues(path: Path) -> list[Cue]:
    """The cues of a .srt or .vtt, or Whisper's words or else segments; raises AlignmentError."""
    content = read_text(path, LARGEST_FILE, "transcript")
    if path.suffix.lower() == ".json":
        return _segments(_whisper(content, path), path)
    return _captions(content)


def _joined(cues: Sequence[Cue]) -> str:
    return " ".join(cue.text for cue in cues)


def _captions(content: str) -> list[Cue]:
    """The text of the cues, without numbers, tags, notes and cue settings."""
    cues: list[Cue] = []
    for block in re.split(r"\n\s*\n", content.replace("\r\n", "\n").replace("\r", "\n")):
        lines = block.split("\n")
        timings = ((k, _TIMING.match(line)) for k, line in enumerate(lines))
        at, timing = next(((k, found) for k, found in timings if found), (0, None))
        if timing is None:
            continue
        stamps = timing.groups()
        cues.append(Cue(_read(stamps[:4]), _read(stamps[4:]), _plain(" ".join(lines[at + 1 :]))))
    return cues


def _plain(text: str) -> str:
    """Without tags (<i>, {\\an8}), its entities (&amp;) as what they stand for."""
    text = _without(_without(text, "<", ">"), "{\\", "}")
    # Python refuses to convert a number of thousands of digits, which is no character anyhow.
    with contextlib.suppress(ValueError):
        text = html.unescape(text)
    return text.strip()


def _without(text: str, opening: str, closing: str) -> str:
    """Without what stands from each `opening` to the next `closing`; reads each character once.

    A regular expression would search to the end of the text for each opening that is not closed.
    """
    first, *rest = text.split(opening)
    kept: list[str] = [first]
    unclosed: list[str] = []
    for part in rest:
        _, closed, after = part.partition(closing)
        if closed:
            kept.append(after)
            unclosed = []
        else:
            unclosed += [opening, part]
    return "".join(kept + unclosed)


def _read(stamp: Sequence[str | None]) -> float:
    """Seconds of hours (or None), minutes, seconds and a fraction's digits."""
    hours, minutes, seconds, fraction = stamp
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(f"{seconds}.{fraction}")


def _whisper(content: str, path: Path) -> dict[str, Any]:
    try:
        data = json.loads(content)
        if not isinstance(data, dict):
            raise TypeError
    except (ValueError, TypeError, RecursionError) as error:
        raise _no_whisper(path) from error
    return data


def _segments(data: dict[str, Any], path: Path) -> list[Cue]:
    """Its segments, or their words where these have times."""
    cues: list[Cue] = []
    try:
        for segment in data.get("segments") or data.get("transcription") or ():
            words = segment.get("words") or ()
            timed = [
                Cue(float(word["start"]), float(word["end"]), str(word["word"]).strip())
                for word in words
                if "start" in word and "word" in word
            ]
            start, end = (float(segment.get(key, "nan")) for key in ("start", "end"))
            whole = Cue(start, end, str(segment["text"]).strip())
            cues += timed if timed and len(timed) == len(words) else [whole]
        if any(math.isinf(cue.start) or math.isinf(cue.end) for cue in cues):
            raise ValueError("a time without end")
    except (ValueError, OverflowError, KeyError, TypeError, AttributeError) as error:
        raise _no_whisper(path) from error
    return cues


def _no_whisper(path: Path) -> AlignmentError:
    return AlignmentError(f"{path.name} is not a transcript in Whisper's JSON: check it.")
