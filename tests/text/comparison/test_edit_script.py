"""The edit script: the first implementation's eight failures, and minimality as a property."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from a3t.text.comparison.edit_script import SHORT_WORDS, WordEdit, edit_script, minimal_script
from a3t.text.transcript import Transcript


def apply_script(old: list[str], new: list[str], edits: list[WordEdit]) -> list[str]:
    """`old` with each edit's range replaced by its words of `new`; gives `new` back."""
    words: list[str] = []
    position = 0
    for edit in edits:
        words += [*old[position : edit.old[0]], *new[edit.new[0] : edit.new[1]]]
        position = edit.old[1]
    return [*words, *old[position:]]


CASES = {
    "identical": ("the cat sat down", "the cat sat down", []),
    "change the last word": (
        "the cat sat down", "the cat sat up", [("replace", (3, 4), (3, 4))],
    ),
    "prepend words": (
        "the cat sat", "yesterday evening the cat sat", [("insert", (0, 0), (0, 2))],
    ),
    "append words": (
        "the cat sat", "the cat sat on my chair", [("insert", (3, 3), (3, 6))],
    ),
    "delete one of two equal neighbours": (
        "it was very very good", "it was very good", [("delete", (3, 4), (3, 3))],
    ),
    "end a sentence differently": (
        "The cat sat down.", "The cat sat down, and slept.", [("insert", (4, 4), (4, 6))],
    ),
    "two edits in one sentence": (
        "the quick fox jumps over the lazy dog",
        "the slow fox jumps over the happy dog",
        [("replace", (1, 2), (1, 2)), ("replace", (6, 7), (6, 7))],
    ),
    "delete the first word": (
        "well the cat sat", "the cat sat", [("delete", (0, 1), (0, 0))],
    ),
    "repeated words": (
        "the dog and the cat and the bird",
        "the dog and the bird",
        [("delete", (4, 7), (4, 4))],
    ),
    "replace, insert and delete": (
        "a b c d e f g", "x a c d y e f",
        [("insert", (0, 0), (0, 1)), ("delete", (1, 2), (2, 2)),
         ("insert", (4, 4), (4, 5)), ("delete", (6, 7), (7, 7))],
    ),
    "insertion beside deletion is one replacement": (
        "one two three", "one four five three", [("replace", (1, 2), (1, 3))],
    ),
    "everything": ("a b", "c d e", [("replace", (0, 2), (0, 3))]),
}  # fmt: skip


def spoken(text: str) -> tuple[str, ...]:
    return Transcript.from_text(text).spoken


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES)
def test_cases(old: str, new: str, expected: list[tuple]) -> None:
    assert edit_script(spoken(old), spoken(new)) == [WordEdit(*edit) for edit in expected]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The cat sat down.", "the CAT, sat down!"),
        ("Mr. Brown paid $20.", "Mister Brown paid twenty dollars"),
        ("It's 20 percent", "it’s twenty %"),
        ("a well-known café", "A well known cafe"),
        ("“Yes,” she said — twice.", "Yes she said twice"),
    ],
)
def test_writing_alone_changes_nothing(old: str, new: str) -> None:
    assert edit_script(spoken(old), spoken(new)) == []


def test_either_side_may_be_empty() -> None:
    assert edit_script([], []) == []
    assert edit_script(["a"], []) == [WordEdit("delete", (0, 1), (0, 0))]
    assert edit_script([], ["a"]) == [WordEdit("insert", (0, 0), (0, 1))]


words = st.lists(st.sampled_from("a b c d the".split()), max_size=14)


@given(words, words)
def test_applied_to_the_old_words_it_gives_the_new_ones_minimally(
    old: list[str], new: list[str]
) -> None:
    edits = minimal_script(old, new)
    assert apply_script(old, new, edits) == new
    changed = sum(e.old[1] - e.old[0] + e.new[1] - e.new[0] for e in edits)
    assert changed == Indel.distance(old, new)
    for edit in edits:
        removes, adds = edit.old[1] > edit.old[0], edit.new[1] > edit.new[0]
        kinds = {(True, True): "replace", (False, True): "insert", (True, False): "delete"}
        assert edit.op == kinds[removes, adds]
    for before, after in zip(edits, edits[1:], strict=False):
        assert after.old[0] > before.old[1] and after.new[0] > before.new[1]


def fewest_edits(old: list[str], new: list[str]) -> int:
    """By brute force: (words changed, edits) minimised together, forwards, with recursion."""
    from functools import cache

    @cache
    def best(i: int, j: int, inside: bool) -> tuple[int, int]:
        options = []
        if i < len(old) and j < len(new) and old[i] == new[j]:
            options.append(best(i + 1, j + 1, False))
        for di, dj in ((1, 0), (0, 1)):
            if i + di <= len(old) and j + dj <= len(new):
                changed, edits = best(i + di, j + dj, True)
                options.append((changed + 1, edits + (not inside)))
        return min(options) if options else (0, 0)

    return best(0, 0, False)[1]


@given(words, words)
def test_among_minimal_scripts_it_has_the_fewest_edits(old: list[str], new: list[str]) -> None:
    assert len(minimal_script(old, new)) == fewest_edits(old, new)


def test_long_texts() -> None:
    """10,000 words with a change at each end and some between; and two with nothing in common."""
    rng = random.Random(1)
    vocabulary = [f"w{n}" for n in range(300)]
    old = [rng.choice(vocabulary) for _ in range(10_000)]
    new = ["new", *old[3:4000], "x", "y", *old[4010:9000], *old[9005:-1]]
    edits = minimal_script(old, new)
    assert apply_script(old, new, edits) == new
    assert sum(e.old[1] - e.old[0] + e.new[1] - e.new[0] for e in edits) == Indel.distance(old, new)
    assert len(edits) <= 4
    other = [word + "x" for word in old[:3000]]
    assert edit_script(old, other) == [WordEdit("replace", (0, 10_000), (0, 3000))]
    shuffled = rng.sample(old[:2000], 2000)  # past the search limit: still minimal in words
    edits = minimal_script(old[:2000], shuffled)
    assert apply_script(old[:2000], shuffled, edits) == shuffled
    changed = sum(e.old[1] - e.old[0] + e.new[1] - e.new[0] for e in edits)
    assert changed == Indel.distance(old[:2000], shuffled)


def test_a_rewritten_sentence_is_one_edit() -> None:
    old = spoken("We looked at the results of the first test on Monday.")
    new = spoken("They have seen the figures of an older trial on Friday.")
    assert edit_script(old, new) == [WordEdit("replace", (0, len(old)), (0, len(new)))]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the quick fox jumps over", "the slow fox leaps over"),  # a word worth its joints
        ("um the um cat", "the cat"),  # where nothing is made, nothing can take "the" in
        ("cats and dogs", "cat and dog"),  # two edits of a word each
    ],
)
def test_other_islands_stay(old: str, new: str) -> None:
    assert edit_script(old.split(), new.split()) == minimal_script(old.split(), new.split())


short = st.lists(st.sampled_from("big cat runs the of".split()), max_size=14)


@given(short, short)
def test_only_short_words_are_made_again(old: list[str], new: list[str]) -> None:
    edits, minimal = edit_script(old, new), minimal_script(old, new)
    assert apply_script(old, new, edits) == new and len(edits) <= len(minimal)
    kept = {k for edit in minimal for k in range(*edit.old)}
    again = {k for edit in edits for k in range(*edit.old)} - kept
    assert {old[k] for k in again} <= SHORT_WORDS
