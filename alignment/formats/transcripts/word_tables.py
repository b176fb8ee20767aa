"""Words or sentences with their times, a line or an interval each: CTM, labels, TSV, TextGrid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from alignment.formats.tables import PAUSE_LABELS
from alignment.formats.transcripts.cues import Cue, Parsed, in_order

_REAL = r"\d{1,9}(?:[.,]\d{0,20})?"
_CTM = re.compile(rf"\S+[ \t]+\S+[ \t]+({_REAL})[ \t]+({_REAL})[ \t]+(\S+)(?:[ \t]+\S+){{0,3}}")
_LABEL = re.compile(rf"({_REAL})\t({_REAL})(?:\t(.*))?")
_HTK = re.compile(r"(\d{1,15})[ \t]+(\d{1,15})[ \t]+([^\d\s].*)")
_TSV = re.compile(r"(\d{1,12})\t(\d{1,12})\t(.*)")
_TSV_HEAD = "start\tend\ttext"

WORD_TIERS = ("words", "word")
SEEN = 50  # lines that tell a kind
OTHER_TIERS = ("phones", "phone", "segments", "mau", "kan", "syllables", "points")


def _lines(text: str) -> Iterator[str]:
    lines = (line.strip(" \r") for line in text.splitlines())
    return (line for line in lines if line.strip() and not line.startswith((";;", "\\")))


def _all_like(text: str, pattern: re.Pattern[str]) -> bool:
    first = list(islice(_lines(text), SEEN))
    return bool(first) and all(pattern.fullmatch(line) for line in first)


def is_ctm(text: str) -> bool:
    return _all_like(text, _CTM)


def is_label_track(text: str) -> bool:
    """Audacity's labels; two times and a tab between each."""
    return _all_like(text, _LABEL)


def is_htk(text: str) -> bool:
    """HTK's labels: whole numbers of 100 ns."""
    return _all_like(text, _HTK) and _in_htk_order(text)


def _in_htk_order(text: str) -> bool:
    """True if the lines' times follow each other: "12 30 people came" is a sentence."""
    found = [match for line in islice(_lines(text), SEEN) if (match := _HTK.fullmatch(line))]
    return all(int(match[1]) < int(match[2]) for match in found) and (
        len(found) > 1 or int(found[0][2]) > 10_000
    )


def is_tsv(text: str) -> bool:
    return text.lstrip("\ufeff").startswith(_TSV_HEAD)


def read_ctm(text: str) -> Parsed:
    return _cues(text, _CTM, lambda m: Cue(_real(m[1]), _real(m[1]) + _real(m[2]), m[3]))


def read_label_track(text: str) -> Parsed:
    return _cues(text, _LABEL, lambda m: Cue(_real(m[1]), _real(m[2]), (m[3] or "").strip()))


def read_htk(text: str) -> Parsed:
    return _cues(text, _HTK, lambda m: Cue(int(m[1]) / 1e7, int(m[2]) / 1e7, m[3].strip()))


def read_tsv(text: str) -> Parsed:
    """Whisper's table, in milliseconds."""
    return _cues(text, _TSV, lambda m: Cue(int(m[1]) / 1e3, int(m[2]) / 1e3, m[3].strip()))


def _cues(text: str, line: re.Pattern[str], cue: Callable[[re.Match[str]], Cue]) -> Parsed:
    found = [cue(match) for each in _lines(text) if (match := line.fullmatch(each))]
    return in_order([each for each in found if _is_said(each.text)])


def _real(number: str) -> float:
    return float(number.replace(",", "."))


def _is_said(label: str) -> bool:
    return label.lower() not in PAUSE_LABELS


def is_textgrid(text: str) -> bool:
    head = text[:300]
    return "ooTextFile" in head and "TextGrid" in head


def read_textgrid_words(text: str) -> Parsed:
    """The words of a TextGrid, of each speaker if its tiers are named "anna - words"; else the
    intervals of its one tier, or of that with most text."""
    from praatio.utilities.textgrid_io import parseTextgridStr

    try:
        tiers = [
            {**tier, "entries": list(tier["entries"])}
            for tier in parseTextgridStr(text)["tiers"]
            if tier["class"] == "IntervalTier"
        ]
        chosen = _chosen(tiers)
        cues = [
            Cue(float(start), float(end), str(label).strip(), name)
            for tier, name in chosen
            for start, end, label in tier["entries"]
        ]
    except Exception:  # praatio raises whatever its parser stumbles over
        return Parsed([])
    return in_order([cue for cue in cues if _is_said(cue.text)])


def _chosen(tiers: Sequence[Any]) -> list[tuple[Any, str]]:
    """The tiers to read, each with the name of who speaks, if there are several."""
    named = [(tier, *tier["name"].rpartition(" - ")[::2]) for tier in tiers]
    words = [(tier, name) for tier, name, kind in named if kind.strip().lower() in WORD_TIERS]
    if words:
        return [(tier, name.strip() if len(words) > 1 else "") for tier, name in words]
    other = [tier for tier, _, kind in named if kind.strip().lower() not in OTHER_TIERS]
    most = max(other, key=lambda tier: sum(len(e[2]) for e in tier["entries"]), default=None)
    return [(most, "")] if most is not None else []
