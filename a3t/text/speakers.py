"""Speakers of a transcript, by the names before what each says ("Speaker 1: …")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from a3t.text.transcript import Transcript


@dataclass(frozen=True, slots=True)
class Turn:
    """Words [first, last) that one speaker says; the name is "" where the text has none."""

    speaker: str
    first: int
    last: int


def turns_of(text: Transcript, speakers: Sequence[str] | None = None) -> tuple[Turn, ...]:
    """The speakers' turns: by the text's own names, or by those given for each of its words."""
    names = [word.speaker for word in text.words] if speakers is None else speakers
    result, first = [], 0
    for speaker, own in groupby(names):
        last = first + sum(1 for _ in own)
        result.append(Turn(speaker, first, last))
        first = last
    return tuple(result)


def with_names(text: Transcript, speakers: Sequence[str]) -> str:
    """The text, a line for each turn, with its speaker's name before it."""
    return "\n".join(
        f"{turn.speaker}: {text.said(turn.first, turn.last)}" for turn in turns_of(text, speakers)
    )
