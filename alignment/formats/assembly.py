"""Labelled intervals, as files hold them, assembled into words of phones without gaps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from alignment.arpabet import phone_named
from alignment.errors import AlignmentError
from alignment.result import PAUSE, Alignment, Phone, Word, pause

# How aligners write silence and noise.
PAUSE_LABELS = frozenset({"", "sil", "sp", "spn", "pau", "<sil>", "<eps>", "<p:>", "<p>"})

# Boundaries nearer than this are the same boundary (files are written with few digits).
SAME_BOUNDARY = 0.005


class LabelledInterval(NamedTuple):
    """A labelled interval, in seconds, with its confidence (1 in files that hold none)."""

    start: float
    end: float
    label: str
    score: float = 1.0


def spoken_entries(entries: Iterable[LabelledInterval]) -> list[LabelledInterval]:
    """Without the pauses."""
    return [entry for entry in entries if entry.label.lower() not in PAUSE_LABELS]


def assemble(
    words: Sequence[LabelledInterval],
    phones: Sequence[LabelledInterval],
    duration: float,
    path: Path,
) -> Alignment:
    """Words with the phones whose middles lie in them, and pauses between them.

    `words` and `phones` without pauses, in order; `duration` of the recording, seconds; `path`
    for errors. Raises AlignmentError when a word has no phones or a phone is not ARPAbet.
    """
    result: list[Word] = []
    clock = 0.0
    following = 0
    for start, end, text, score in words:
        while following < len(phones) and _middle(phones[following]) < start:
            following += 1
        first = following
        while following < len(phones) and _middle(phones[following]) < end:
            following += 1
        inside = phones[first:following]
        if not inside:
            raise AlignmentError(
                f'{path.name} has no phones for "{_short(text)}" at {start:.2f} s: align it again.'
            )
        if start - clock > SAME_BOUNDARY:
            result.append(pause(clock, start))
            clock = start
        # The word's own boundaries win over its phones' outer ones; inner gaps are closed.
        edges = [clock, *(phone.start for phone in inside[1:]), end]
        parts = tuple(
            Phone(_arpabet(phone.label, text, path), edges[k], edges[k + 1], phone.score)
            for k, phone in enumerate(inside)
        )
        result.append(Word(text, clock, end, score, parts))
        clock = end
    if duration - clock > SAME_BOUNDARY:
        result.append(pause(clock, duration))
    else:
        duration = max(clock, 0.0)
    return Alignment(tuple(result), duration)


def _middle(entry: LabelledInterval) -> float:
    return (entry.start + entry.end) / 2


def _short(label: str) -> str:
    """Shortened for an error message: a broken file can hold labels of many lines."""
    return " ".join(label.split())[:40]


def _arpabet(label: str, word: str, path: Path) -> str:
    try:
        return phone_named(label)
    except ValueError as error:
        label, word = _short(label), _short(word)
        raise AlignmentError(f'{path.name}: in "{word}" "{label}" {error}') from None


def require_whole(alignment: Alignment, path: Path) -> Alignment:
    """The alignment itself, if it has words, and phones in order that cover it without a gap.

    Raises AlignmentError, naming the place, if not.
    """
    if not alignment.spoken:
        raise AlignmentError(f"{path.name} has no words: align the recording again.")
    numbers = [alignment.duration, alignment.score]
    parts: list[Word | Phone] = [*alignment.words, *alignment.phones]
    for part in parts:
        numbers += [part.start, part.end, part.score]
    if not all(math.isfinite(number) for number in numbers):
        raise AlignmentError(f"{path.name} has times that are not numbers: align it again.")
    for word in alignment.spoken:
        for phone in word.phones:
            _arpabet(phone.symbol, word.text, path)
    clock = 0.0
    for word in alignment.words:
        for phone in word.phones:
            if abs(phone.start - clock) > SAME_BOUNDARY or phone.end <= phone.start:
                raise AlignmentError(
                    f"{path.name} has a gap or an overlap at {clock:.3f} s "
                    f'("{_short(word.text or PAUSE)}"): correct it there.'
                )
            clock = phone.end
        if not word.phones or abs(word.end - clock) > SAME_BOUNDARY:
            raise AlignmentError(
                f'{path.name} has a word, "{_short(word.text)}", that its phones don\'t fill: '
                f"correct it at {word.start:.3f} s."
            )
    if abs(alignment.duration - clock) > SAME_BOUNDARY:
        raise AlignmentError(f"{path.name} ends at {clock:.3f} s, not at its own duration.")
    return alignment
