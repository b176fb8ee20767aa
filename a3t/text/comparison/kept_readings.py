"""Keeps the old text's readings of what a new text shares with it.

A reading depends on what stands around: a text all in capitals has no initials, "ANNA:" begins a
line or is a heading, "St." is a street or a saint. A change must not reach the words beyond it,
which have been spoken. So what a text settles as a whole, the old one settles for the words that
both have, and a word whose neighbours are the same is read as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit, minimal_script
from a3t.text.comparison.respelling import with_old_words
from a3t.text.normaliser.normalise import Conventions
from a3t.text.transcript import Transcript, conventions_of

_BESIDE = 2  # written tokens on either side that a reading may depend on
_MARKS = ".,;:!?…—–-\"'“”‘’()[]*_"


def with_kept_readings(old: Transcript, new: Transcript) -> Transcript:
    """The new text, in which the written tokens of the old one have the words that they had.

    Tokens beside a change are read again, by the old text's `Conventions`: two kilogram*s* for one.
    New tokens are read by the new text's own.
    """
    earlier, own = conventions_of(old.text), conventions_of(new.text)
    names = {**own.names, **earlier.names}
    if names != own.names:
        new = new.read_by(Conventions(own.capitals_mean, names))
    again = new
    if earlier.capitals_mean != own.capitals_mean:
        again = new.read_by(Conventions(earlier.capitals_mean, names))
    (old_keys, old_ranges), (new_keys, new_ranges) = _tokens(old), _tokens(new)
    _, again_ranges = _tokens(again)
    kept, sizes = _kept(old_keys, new_keys), (len(old_keys), len(new_keys))
    alike = len(again_ranges) == len(new_ranges)
    for source, ranges, chosen in (
        (again, again_ranges, {j: j for j in kept if alike}),
        (old, old_ranges, {j: i for j, i in kept.items() if _is_beside_kept(j, i, kept, *sizes)}),
    ):
        same = [
            WordEdit("replace", ranges[i], new_ranges[j])
            for j, i in chosen.items()
            if source.spoken[slice(*ranges[i])] != new.spoken[slice(*new_ranges[j])]
        ]
        if same:
            new = with_old_words(source, new, same)
            new_ranges = _tokens(new)[1]
    return new


def _tokens(text: Transcript) -> tuple[list[str], list[Span]]:
    """The writing of each token, marks and capitals aside, and its words."""
    keys, ranges = [], []
    for _, group in groupby(enumerate(text.words), lambda pair: pair[1].token):
        words = [*group]
        keys.append(words[0][1].written.strip(_MARKS).casefold())
        ranges.append((words[0][0], words[-1][0] + 1))
    return keys, ranges


def _kept(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The new tokens that stand in the old text, and where."""
    kept: dict[int, int] = {}
    i = j = 0
    ends = WordEdit("insert", (len(old), len(old)), (len(new), len(new)))
    for edit in [*minimal_script(old, new), ends]:
        kept |= zip(range(j, edit.new[0]), range(i, edit.old[0]), strict=True)
        i, j = edit.old[1], edit.new[1]
    return kept


def _is_beside_kept(j: int, i: int, kept: dict[int, int], old: int, new: int) -> bool:
    """True if the neighbours of new token j are those of old token i; old, new: their numbers."""
    return all(
        kept.get(j + k) == i + k or not (0 <= i + k < old or 0 <= j + k < new)
        for k in range(-_BESIDE, _BESIDE + 1)
    )
