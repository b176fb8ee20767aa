"""Changes that are close to each other: they stay several, and are made as one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from a3t.projects.document import (
    MAX_CHARACTERS,
    Change,
    Document,
    MissingWordsError,
    RecordedWords,
)

SCORE = 4  # the field of a row that says how sure it is, None while it waits for its times
NEAREST_S = 0.25  # of kept speech between two changes; less is too short for both joints


def made_as_one(changes: Sequence[Change], rows: Sequence[Sequence[Any]]) -> dict[str, Change]:
    """Return the change that is made for each, by its key.

    It is itself, or, where another is closer than NEAREST_S, one of all that they replace, and of
    the words between. Those whose words are gone, or haven't been found in the sound yet, are left
    out. rows: all tokens as they are `shown`.
    """
    ids = {row[0]: k for k, row in enumerate(rows)}
    placed: list[tuple[int, int, Change]] = []
    for change in changes:
        with suppress(MissingWordsError):
            first, last = change.place_in(ids, len(rows))
            if all(row[SCORE] is not None for row in rows[max(0, first - 1) : last + 1]):
                placed.append((first, last, change))
    placed.sort(key=lambda each: each[:2])
    found = {change.key: change for _, _, change in placed}
    group: list[tuple[int, int, Change]] = []
    for each in placed:
        if each[2].cut is not None:  # which is made of its sound alone
            group = []
            continue
        near = group and _is_near(group[-1][1], each[0], rows)
        united = _united([*group, each], rows) if near else None
        if united is not None and len(united.text) <= MAX_CHARACTERS:
            group.append(each)
            found |= {change.key: united for _, _, change in group}
        else:
            group = [each]
    return found


def reachable_keys(document: Document, rows: Sequence[Sequence[Any]]) -> set[str]:
    """Return the keys of all that has takes.

    These are the changes that are there, or that undo and redo bring back, alone and as they are
    made as one. rows: all tokens as they are `shown`.
    """
    states, back, ahead = {document.changes}, document, document
    for _ in document.done:
        back = back.undo() if back.done else back
        states.add(back.changes)
    for _ in document.undone:
        ahead = ahead.redo() if ahead.undone else ahead
        states.add(ahead.changes)
    made = [change for state in states for change in made_as_one(state, rows).values()]
    return {change.key for change in (*made, *(each for state in states for each in state))}


def _is_near(last: int, first: int, rows: Sequence[Sequence[Any]]) -> bool:
    return last >= first or bool(rows[first - 1][3] - rows[last][2] < NEAREST_S)


def _united(group: Sequence[tuple[int, int, Change]], rows: Sequence[Sequence[Any]]) -> Change:
    texts: list[str] = []
    recorded: list[RecordedWords] = []
    said = {int(row[0]): str(row[1]) for row in rows[group[0][0] : group[-1][1]]}
    for (_, last, change), (following, _, _) in zip(group, [*group[1:], (0, 0, None)], strict=True):
        own = change.recorded_words(said)
        recorded += [replace(each, at=each.at + len(texts)) for each in own]
        texts += change.text.split()
        for row in rows[last:following]:
            recorded.append(RecordedWords(len(texts), (int(row[0]),)))
            texts += row[1].split()
    change = group[0][2]
    return Change(change.after, tuple(said), " ".join(texts), recorded=tuple(recorded))
