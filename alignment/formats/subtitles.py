"""Subtitles written from an alignment; `alignment.formats.transcripts` reads them."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from alignment.atomic import write_whole
from alignment.formats.text_file import RECOGNISED_MARK
from alignment.result import Alignment, Word

MAX_LINE, MAX_LINES = 42, 2  # characters of a line, as broadcasters have them
MAX_CUE_S = 7.0
MAX_PAUSE_S = 1.0  # seconds within a cue
MIN_FILL = 0.5  # of a cue's room that is taken before it may end within a sentence
SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*$")
CLAUSE_END = re.compile(r"[,;:–—][\"'”’)]*$")
TURN = re.compile(r"([^\s:][^:]{0,39}):\s+")  # a token has no space, but after who says it


_Cue = tuple[float, float, list[str]]


class CueLayout(NamedTuple):
    """Words [first, last) that stand in a cue, or several, without other words.

    start, end: seconds; None for those of the words. units: the text of a cue that has both times,
    by what stands between spaces; empty for words that are put into as many cues as they need.
    """

    first: int
    last: int
    start: float | None = None
    end: float | None = None
    units: tuple[str, ...] = ()


def write_subtitles(
    alignment: Alignment,
    path: Path,
    written: Sequence[str] | None = None,
    each_word: bool = False,
    layout: Sequence[CueLayout] = (),
) -> None:
    """Write a .srt or .vtt.

    ``written``: the text to show for each spoken word, with punctuation; "" for a word that an
    earlier one shows with it ("$5" is two words). ``each_word``: a cue for each of these instead of
    one for as many as fit. ``layout``: the cues that there are already.
    """
    text = subtitles(alignment, written, each_word, path.suffix.lower() == ".vtt", layout)
    write_whole(path, lambda part: part.write_text(text, encoding="utf-8"))


def subtitles(
    alignment: Alignment,
    written: Sequence[str] | None = None,
    each_word: bool = False,
    vtt: bool = False,
    layout: Sequence[CueLayout] = (),
) -> str:
    """Return the text of a .srt, or of a .vtt; arguments as for `write_subtitles`."""
    spoken = alignment.spoken
    shown = list(written) if written is not None else [word.text for word in spoken]
    parts = ["WEBVTT\n"] if vtt else []
    if alignment.recognised:
        # SubRip has no comments; a cue that lasts no time is never shown.
        mark = f"0\n00:00:00,000 --> 00:00:00,000\n[{RECOGNISED_MARK}]\n"
        parts.append(f"NOTE {RECOGNISED_MARK}\n" if vtt else mark)
    speaker = ""
    cues = _laid_out(spoken, shown, layout) if layout else _cues(spoken, shown, each_word)
    for number, (start, end, units) in enumerate(cues, 1):
        times = f"{_stamp(start, vtt)} --> {_stamp(end, vtt)}"
        turn = TURN.match(units[0])
        speaker = turn[1] if turn else speaker
        text = " ".join(units)
        text = "\n".join(_lines(text[turn.end() :] if vtt and turn else text))
        if vtt:
            voice = f"<v {html.escape(speaker, quote=False)}>" if speaker else ""
            text = voice + html.escape(text, quote=False)
        parts.append(f"{times}\n{text}\n" if vtt else f"{number}\n{times}\n{text}\n")
    return "\n".join(parts)


def cues_of(words: Sequence[Word], shown: Sequence[str]) -> list[tuple[float, float, str]]:
    """Group words into cues: seconds of the start and the end, and the text.

    A cue is of one sentence of one speaker; a long one is of several, which end with a clause where
    that is near.
    """
    return [
        (start, end, " ".join(units)) for start, end, units in _cues(words, shown, each_word=False)
    ]


def _cues(words: Sequence[Word], shown: Sequence[str], each_word: bool) -> list[_Cue]:
    cues: list[_Cue] = []
    units: list[tuple[float, float, str]] = []  # of the sentence so far

    def end_sentence() -> None:
        while units:
            count = 1 if each_word else _fitting(units)
            cues.append((units[0][0], units[count - 1][1], [text for _, _, text in units[:count]]))
            del units[:count]

    for word, text in zip(words, shown, strict=True):
        if units and not text:
            units[-1] = (units[-1][0], word.end, units[-1][2])
            continue
        paused = bool(units) and word.start - units[-1][1] >= MAX_PAUSE_S
        if paused or TURN.match(text) or (units and SENTENCE_END.search(units[-1][2])):
            end_sentence()
        units.append((word.start, word.end, text or word.text))
    end_sentence()
    return cues


def _laid_out(
    words: Sequence[Word], shown: Sequence[str], layout: Sequence[CueLayout]
) -> list[_Cue]:
    worded: list[tuple[_Cue, bool]] = []  # and whether it stood there
    sounds: list[_Cue] = []  # what has no words stands where its time is
    for first, last, start, end, units in layout:
        if units and start is not None and end is not None:
            cue: _Cue = (start, end, [*units])
            if first == last:
                sounds.append(cue)
            else:
                worded.append((cue, True))
        elif own := _cues(words[first:last], shown[first:last], each_word=False):
            if start is not None:
                own[0] = (min(start, own[0][1]), *own[0][1:])
            if end is not None:
                own[-1] = (own[-1][0], max(end, own[-1][0]), own[-1][2])
            worded += [(each, False) for each in own]
    sounds.sort(key=lambda sound: -sound[0])
    ordered: list[tuple[_Cue, bool]] = []
    for each in worded:
        while sounds and sounds[-1][0] < each[0][0]:
            ordered.append((sounds.pop(), True))
        ordered.append(each)
    ordered += [(sound, True) for sound in sounds[::-1]]
    cues, fixed = [cue for cue, _ in ordered], [stood for _, stood in ordered]
    for k in range(1, len(cues)):  # what is new gives way to what stood there
        (start, end, text), (then, stop, following) = cues[k - 1 : k + 1]
        if not fixed[k - 1] and start < then < end:
            cues[k - 1] = start, then, text
        elif not fixed[k] and then < end < stop:
            cues[k] = end, stop, following
    for k in range(len(cues) - 2, -1, -1):  # and begins no later than what follows it
        (start, end, text), following_start = cues[k], cues[k + 1][0]
        if not fixed[k] and start > following_start:
            cues[k] = following_start, end, text
        elif not fixed[k] and start < following_start < end:
            cues[k] = start, following_start, text
    return cues


def _fitting(units: Sequence[tuple[float, float, str]]) -> int:
    """Return the number of units, at least one, that the next cue of a sentence takes."""
    count, text = 1, units[0][2]
    ends: list[int] = []
    for _, end, more in units[1:]:
        if CLAUSE_END.search(text) and len(text) >= MIN_FILL * MAX_LINE * MAX_LINES:
            ends.append(count)
        longer = f"{text} {more}"
        lines = _lines(longer)
        fits = len(lines) <= MAX_LINES and max(map(len, lines)) <= MAX_LINE
        if not fits or end - units[0][0] > MAX_CUE_S:
            return ends[-1] if ends else count
        count, text = count + 1, longer
    return count


def _lines(text: str) -> list[str]:
    """Split a long text in two at the space that leaves its lines most alike."""
    if len(text) <= MAX_LINE:
        return [text]
    middle = len(text) // 2
    spaces = {text.rfind(" ", 0, middle), text.find(" ", middle)} - {-1}
    if not spaces:
        return [text]
    place = min(sorted(spaces), key=lambda k: max(k, len(text) - k - 1))
    return [text[:place], text[place + 1 :]]


def _stamp(seconds: float, vtt: bool) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02}:{minute:02}:{second:02}{'.' if vtt else ','}{thousandths:03}"
