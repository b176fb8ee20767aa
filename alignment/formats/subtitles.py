"""Subtitles written from an alignment; `alignment.formats.transcripts` reads them."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from alignment.atomic import write_whole
from alignment.formats.text_file import RECOGNISED_MARK
from alignment.result import Alignment, Word

LONGEST_TEXT = 42 * 2  # characters: two lines, as broadcasters have them
LONGEST_CUE = 6.0  # seconds
SENTENCE_END = (".", "!", "?", "…", '."', '!"', '?"')


def write_subtitles(
    alignment: Alignment,
    path: Path,
    written: Sequence[str] | None = None,
    each_word: bool = False,
) -> None:
    """A .srt or .vtt. `written`: the text to show for each spoken word, with punctuation; "" for
    a word that an earlier one shows with it ("$5" is two words). `each_word`: a cue for each of
    these instead of one for as many as fit."""
    text = subtitles(alignment, written, each_word, path.suffix.lower() == ".vtt")
    write_whole(path, lambda part: part.write_text(text, encoding="utf-8"))


def subtitles(
    alignment: Alignment,
    written: Sequence[str] | None = None,
    each_word: bool = False,
    vtt: bool = False,
) -> str:
    """The text of a .srt, or of a .vtt; arguments as for `write_subtitles`."""
    spoken = alignment.spoken
    shown = list(written) if written is not None else [word.text for word in spoken]
    parts = ["WEBVTT\n"] if vtt else []
    if alignment.recognised:
        # SubRip has no comments; a cue that lasts no time is never shown.
        mark = f"0\n00:00:00,000 --> 00:00:00,000\n[{RECOGNISED_MARK}]\n"
        parts.append(f"NOTE {RECOGNISED_MARK}\n" if vtt else mark)
    for number, (start, end, text) in enumerate(cues_of(spoken, shown, each_word), 1):
        times = f"{_stamp(start, vtt)} --> {_stamp(end, vtt)}"
        text = html.escape(text, quote=False) if vtt else text
        parts.append(f"{times}\n{text}\n" if vtt else f"{number}\n{times}\n{text}\n")
    return "\n".join(parts)


def cues_of(
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
