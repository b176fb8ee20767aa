"""The word-level edit script between two texts (thesis 4.3.5 compares old and new phones).

It begins with the minimal one: as many words as possible are kept (a longest common subsequence),
and among the ways to keep that many, one with the fewest separate edits. Equal choices are settled
the same way every time: of two equal neighbours the first is kept. Then short words that are kept
between two edits with new words are synthesised with them: each edit has two joints, which cost
more than a "the" between them is worth.

The lengths of common subsequences are computed a row at a time on the bits of Python's integers
(Crochemore, Iliopoulos, Pinzon & Reid 2001): 10,000 words against 10,000 take a fraction of a
second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from a3t.spans import Span

SHORT_WORDS = frozenset(
    "a an the of to in on at by as is it and or but for from with that this was be his her its my "
    "your our their he she we i you they so if".split()
)
"""Words that are said in a tenth of a second, and differently beside other words."""
_LONGEST_ISLAND = 2  # words
# What a number goes on with after its tens, and after its hundreds and thousands.
_TENS = frozenset("twenty thirty forty fifty sixty seventy eighty ninety".split())
_SCALES = frozenset("hundred thousand million billion trillion".split())
_ONES = frozenset("one two three four five six seven eight nine".split())
_TEENS = frozenset(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)

Operation = Literal["replace", "insert", "delete"]
_State = tuple[int, int, bool]
_Moves = tuple[bool, bool, bool]

_SEARCH_LIMIT = 200_000
"""States; past it (long texts with hardly a word in common) fewest edits is no longer sought."""


@dataclass(frozen=True)
class WordEdit:
    """One change: words [old[0], old[1]) of the old text become words [new[0], new[1]) of the new.

    An insertion has an empty `old` range that says where, a deletion an empty `new` range.
    """

    op: Operation
    old: Span
    new: Span


def edit_script(old: Sequence[str], new: Sequence[str]) -> list[WordEdit]:
    """Return the edits that turn the spoken words ``old`` into ``new``, in order.

    Kept words stand between them. Identical sequences give []. Either may be empty.
    """
    result: list[WordEdit] = []
    for edit in minimal_script(old, new):
        edit = _with_figure_before(edit, old, new)
        if result and _is_island(result[-1], edit, old):
            first = result.pop()
            edit = WordEdit("replace", (first.old[0], edit.old[1]), (first.new[0], edit.new[1]))
        result.append(edit)
    return result


def _with_figure_before(edit: WordEdit, old: Sequence[str], new: Sequence[str]) -> WordEdit:
    """Add the word before an edit where a number goes on or ends: forty, forty-one.

    Its last word is long and falls, the others are not.
    """
    (i, i_end), (j, j_end) = edit.old, edit.new
    if edit.op == "replace" or i == 0 or j == 0:
        return edit
    before, first = old[i - 1], new[j] if edit.op == "insert" else old[i]
    goes_on = before in _TENS and first in _ONES
    if goes_on or (before in _SCALES and first in _ONES | _TEENS | _TENS | {"and"}):
        return WordEdit("replace", (i - 1, i_end), (j - 1, j_end))
    return edit


def _is_island(before: WordEdit, after: WordEdit, old: Sequence[str]) -> bool:
    """Return whether the words between two edits are too few for the joints beside them."""
    made = [edit.new[1] - edit.new[0] for edit in (before, after)]
    kept = old[before.old[1] : after.old[0]]
    if not kept:
        return True
    if not all(made) or len(kept) > _LONGEST_ISLAND:
        return False  # where words are only taken out, nothing is made that could take it in
    return all(word in SHORT_WORDS for word in kept) and sum(made) > len(kept) + 1


def minimal_script(old: Sequence[str], new: Sequence[str]) -> list[WordEdit]:
    """Return the script with the fewest words deleted and inserted, kept words between edits."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    a, b = old[first : len(old) - last], new[first : len(new) - last]
    edits: list[WordEdit] = []
    i = j = 0
    for kept_i, kept_j in [*_kept(a, b), (len(a), len(b))]:
        if kept_i > i or kept_j > j:
            op: Operation = "replace"
            if kept_i == i:
                op = "insert"
            elif kept_j == j:
                op = "delete"
            edits.append(WordEdit(op, (first + i, first + kept_i), (first + j, first + kept_j)))
        i, j = kept_i + 1, kept_j + 1
    return edits


def _rising(a: Sequence[str], b: Sequence[str]) -> list[int]:
    """Return, for each prefix of ``a``, where one more word of ``b`` lengthens the common part.

    Bit j of row i is LCS(a[:i], b[:j+1]) - LCS(a[:i], b[:j]).
    """
    places: dict[str, int] = {}
    for j, word in enumerate(b):
        places[word] = places.get(word, 0) | 1 << j
    full = (1 << len(b)) - 1
    flat = full  # the complement of the row
    rows = [0]
    for word in a:
        hits = flat & places.get(word, 0)
        flat = ((flat + hits) | (flat - hits)) & full
        rows.append(full ^ flat)
    return rows


def _kept(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Return the words that stay as pairs (i, j), rising: a[i] == b[j], as many as possible."""
    if not a or not b:
        return []
    across, down = _rising(a, b), _rising(b, a)

    def moves(i: int, j: int) -> _Moves:
        """Return whether keeping a[i-1]=b[j-1], dropping a[i-1] or dropping b[j-1] is free."""
        keep = i > 0 and j > 0 and a[i - 1] == b[j - 1]
        drop_a = i > 0 and not down[j] >> (i - 1) & 1
        drop_b = j > 0 and not across[i] >> (j - 1) & 1
        return keep, drop_a, drop_b

    # From the ends backwards: opening an edit costs 1, everything else nothing. A state is
    # (words of a left, words of b left, inside an edit?).
    start: _State = (len(a), len(b), False)
    parent: dict[_State, _State] = {}
    queue: deque[tuple[_State, _State]] = deque([(start, start)])
    goal: _State | None = None
    while queue and len(parent) < _SEARCH_LIMIT:
        state, came_from = queue.popleft()
        if state in parent:
            continue
        parent[state] = came_from
        i, j, inside = state
        if i == 0 and j == 0:
            goal = state
            break
        keep, drop_a, drop_b = moves(i, j)
        # Free moves go to the front, the last one put there first: keep, then drop b, then drop a.
        for allowed, following in ((drop_a, (i - 1, j, True)), (drop_b, (i, j - 1, True))):
            if allowed:
                (queue.appendleft if inside else queue.append)((following, state))
        if keep:
            queue.appendleft(((i - 1, j - 1, False), state))
    if goal is None:
        return _any_kept(len(a), len(b), moves)

    pairs = []
    state = goal
    while state != start:
        came_from = parent[state]
        if came_from[0] - state[0] == 1 and came_from[1] - state[1] == 1:
            pairs.append((state[0], state[1]))
        state = came_from
    return pairs


def _any_kept(i: int, j: int, moves: Callable[[int, int], _Moves]) -> list[tuple[int, int]]:
    """Keep as many pairs as possible, by the first allowed move at every step."""
    pairs = []
    while i or j:
        keep, _, drop_b = moves(i, j)
        if keep:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif drop_b:
            j -= 1
        else:
            i -= 1
    return pairs[::-1]
