"""Changes as the words around them are written: in sentences, with marks or without.

What was made of a change stays, though its text differs, and with it the key of its takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from a3t.projects.close_changes import made_as_one
from a3t.projects.document import Change, MissingWordsError
from a3t.projects.store.words import ENDED, sentence_case

TEXT, SPEAKER = 1, 6  # fields of a row


@dataclass(frozen=True)
class Rewritten:
    """Changes after the words around them were written otherwise.

    same: what was made, alone or of close changes, and what is made instead, where they differ.
    """

    changes: tuple[Change, ...]
    same: Mapping[Change, Change]


def rewritten(
    changes: Sequence[Change],
    before: Sequence[Sequence[Any]],
    after: Sequence[Sequence[Any]],
    in_sentences: bool,
) -> Rewritten:
    """Return the changes as they are written now, each with its take.

    before, after: all tokens as they are `shown`. in_sentences: whether those in capitals are
    written in sentences.
    """
    ids = {row[0]: k for k, row in enumerate(before)}
    now = [
        replace(each, text=_sentences(each, before, ids)) if in_sentences else each
        for each in changes
    ]
    old, new = made_as_one(changes, before), made_as_one(now, after)
    pairs = list(zip(changes, now, strict=True))
    pairs += [(old[a.key], new[b.key]) for a, b in pairs if a.key in old and b.key in new]
    same = {a: b for a, b in pairs if a.key != b.key}
    keys = {a.key: b.key for a, b in same.items()}
    return Rewritten(
        tuple(replace(each, take_of=keys.get(each.take_of, each.take_of)) for each in now), same
    )


def _sentences(change: Change, rows: Sequence[Sequence[Any]], ids: Mapping[int, int]) -> str:
    if any(map(str.islower, change.text)):
        return change.text
    begins = False
    with suppress(MissingWordsError):
        first, last = change.place_in(ids, len(rows))
        begins = first == 0 or ENDED.search(rows[first - 1][TEXT]) is not None
        if 0 < first < last:
            begins = begins or rows[first - 1][SPEAKER] != rows[first][SPEAKER]
    return sentence_case(change.text, begins)
