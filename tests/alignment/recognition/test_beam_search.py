"""The tree of words, the search through it against every text, and its confidence."""

from copy import deepcopy
from itertools import product

import numpy as np
import pytest

from alignment.network.phone_network import INDEX, SYMBOLS
from alignment.recognition.beam_search import (
    ROOT,
    SILENCE_NODE,
    BeamSearch,
    Endings,
    LexiconTree,
    Rivals,
    Search,
    confidences,
    search,
)
from alignment.recognition.lattice import BEGINNING, Arc

START, END = 0, 1
WORDS = ["<s>", "</s>", "a", "an", "at", "and", "the"]
WAYS = [
    (2, ("AH",)),
    (3, ("AE", "N")),
    (4, ("AE", "T")),
    (5, ("AE", "N", "D")),
    (6, ("DH", "AH")),
    (6, ("DH", "IY")),
]


class Bigrams:
    """A full table, (count, count): P(word | the word before)."""

    def __init__(self, seed: int) -> None:
        table = np.random.default_rng(seed).uniform(0.05, 1.0, (len(WORDS), len(WORDS)))
        table[:, START] = 1e-9
        self.table = np.log(table / table.sum(axis=1, keepdims=True))
        self.beginning = START

    def follow(self, context: np.ndarray, word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.table[context, word], word


def exhaustive(sound: np.ndarray, model: Bigrams, options: Search) -> tuple[float, list[int]]:
    """The best score of all texts of up to three words, and the text, each phone one step or more
    and a pause anywhere or nowhere."""
    best = (-np.inf, [0])
    for length in (1, 2, 3):
        for ways in product(WAYS, repeat=length):
            chain: list[tuple[int, bool]] = [(INDEX["sp"], True)]
            for _, phones in ways:
                chain += [(INDEX[phone], False) for phone in phones] + [(INDEX["sp"], True)]
            total = np.full(len(chain) + 1, -np.inf)
            total[0] = 0.0
            for t, frame in enumerate(sound):
                new = np.full(len(chain) + 1, -np.inf)
                for k, (phone, _) in enumerate(chain, 1):
                    entered = [total[k], total[k - 1] if t or k == 1 else -np.inf]
                    if k >= 2 and chain[k - 2][1]:
                        entered.append(total[k - 2] if t or k == 2 else -np.inf)
                    new[k] = max(entered) + frame[phone]
                total = new
            words = [START, *(word for word, _ in ways), END]
            told = sum(model.table[a, b] for a, b in zip(words, words[1:], strict=False))
            score = max(total[-1], total[-2]) + told - options.word * length
            best = max(best, (score, words[1:-1]))
    return best


@pytest.mark.parametrize("seed", range(3))
def test_the_search_finds_what_an_exhaustive_one_finds(seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = np.log(random.dirichlet(np.full(len(SYMBOLS), 0.1), 9) + 1e-6)
    model, tree = Bigrams(seed), LexiconTree.of(WAYS)
    options = Search(together=1, acoustic=1.0, word=9.0, beam=1e9, most=10**6, exits=10**6)
    found = search(scores, tree, tree.best_below(np.zeros(len(WORDS))), model, options)
    score, words = exhaustive(scores, model, options)
    assert np.isfinite(score)
    assert [each.word for each in found] == words
    assert found[0].start == 0
    assert all(a.end == b.start for a, b in zip(found, found[1:], strict=False))


def test_looking_ahead_changes_nothing_but_the_order_of_the_search() -> None:
    scores = np.log(np.random.default_rng(9).dirichlet(np.full(len(SYMBOLS), 0.1), 20) + 1e-6)
    model, tree = Bigrams(3), LexiconTree.of(WAYS)
    wide = Search(together=2, acoustic=1.0, beam=1e9, most=10**6, exits=10**6)
    ahead = tree.best_below(np.log(np.random.default_rng(1).uniform(0.1, 1, len(WORDS))))
    nothing = np.zeros(len(tree.phone))
    found, plain = (search(scores, tree, each, model, wide) for each in (ahead, nothing))
    # The same words at the same times; how sure they are depends on what is being followed.
    assert [each[:3] for each in found] == [each[:3] for each in plain]


def test_words_that_begin_alike_share_their_nodes() -> None:
    tree = LexiconTree.of(WAYS)
    assert len(tree.phone) == 2 + 12 - 4  # of 12 phones, AE, AE N and DH are shared
    below, _ = tree.children.spread(np.array([ROOT]))
    after, _ = tree.children.spread(np.array([SILENCE_NODE]))
    assert {SILENCE_NODE} == set(below.tolist()) - set(after.tolist())
    children, parents = tree.children.spread(np.arange(2, len(tree.phone)))
    assert (tree.parent[children] == parents + 2).all()
    ends, place = tree.ends.spread(np.arange(len(tree.phone)))
    assert sorted(tree.ending[ends].tolist()) == sorted(word for word, _ in WAYS)
    assert len(place) == len(WAYS)
    best = tree.best_below(np.arange(len(WORDS), dtype=float))
    first = {SYMBOLS[tree.phone[k]]: best[k] for k in below if k != SILENCE_NODE}
    assert first == {"AH": 2, "AE": 5, "DH": 6}


def test_no_way_to_an_end_is_no_word() -> None:
    tree = LexiconTree.of([(3, ("AE", "N"))])
    scores = np.zeros((1, len(SYMBOLS)))
    assert search(scores, tree, np.zeros(len(tree.phone)), Bigrams(0)) == []


@pytest.fixture
def heard() -> BeamSearch:
    """A search that has heard 40 steps of noise, all ways followed."""
    scores = np.log(np.random.default_rng(5).dirichlet(np.full(len(SYMBOLS), 0.1), 40) + 1e-6)
    tree = LexiconTree.of(WAYS)
    wide = Search(together=1, acoustic=1.0, word=1.0, beam=1e9, most=10**6, exits=10**6)
    ahead = tree.best_below(np.zeros(len(WORDS)))
    beam = BeamSearch(tree, ahead, Bigrams(2), wide, keeps_lattice=True)
    beam.hear(scores[:25])
    beam.hear(scores[25:])
    return beam


def test_what_comes_after_a_settled_word_is_what_came_after_it(heard: BeamSearch) -> None:
    path = heard.path()
    words = heard.found(path)
    assert len(words) > 4
    for _ in range(2):
        heard.settle(path[1])
        path, words = heard.path(), words[2:]
        assert [each[:3] for each in heard.found(path)] == [each[:3] for each in words]
    assert len(heard._records) == len(heard._builder.totals) < 40


def test_settling_on_another_way_follows_all_that_lead_through_it(heard: BeamSearch) -> None:
    lattice: list[Arc] = []
    heard.path(lambda arcs: lattice.extend(arcs) or [], near=1e9)  # type: ignore[func-returns-value]
    before = heard._scores.max()
    for record in sorted({arc.before for arc in lattice} - {BEGINNING})[::40]:
        again = deepcopy(heard)
        again.settle(record)
        through = {record}
        for arc in lattice:  # by rising record
            through |= {arc.record} if arc.before in through else set()
        assert bool(len(again._nodes)) == (lattice[-1].record in through)
        if len(again._nodes):
            assert again._scores.max() <= before + 1e-9
            assert again.found(again.path())[0].start == heard.found([record])[0].end


def test_after_a_rest_nothing_is_kept_but_the_last_words(heard: BeamSearch) -> None:
    heard.settle(heard.path()[-1])
    heard.rest()
    assert heard.path() == [] and not heard._records
    heard.hear(np.log(np.random.default_rng(6).dirichlet(np.full(40, 0.1), 20) + 1e-6))
    assert heard.found(heard.path())[0].start == pytest.approx(0.4)


# Records: 0 "a" ends at step 20; 1 another word there; 2 "b" at 50 after "a"; 3 "b" at 52 after
# the other word; 4 "c" at 50 after "a".
ENDINGS = Endings(
    np.array([-1, -1, 0, 1, 0]), np.array([7, 8, 9, 9, 5]), np.array([20, 20, 50, 52, 50])
)


SECONDS = 0.02


def sure(scores: list[float], latest: list[int]) -> list[float]:
    rivals = [
        Rivals(40, np.array(scores), np.array(latest)),
        Rivals(70, np.array(scores), np.array(latest)),
    ]
    return confidences([0, 2], ENDINGS, rivals, SECONDS)


def test_words_without_rivals_are_sure() -> None:
    assert min(sure([0.0, -1.0], [2, 2])) > 0.99


def test_a_word_is_shared_by_all_that_have_it_at_its_time() -> None:
    """Record 3 has the same second word, 40 ms later; 4 shares the first alone."""
    both, second_alone, first_alone = (sure([0.0, -1.0], [2, other]) for other in (2, 3, 4))
    assert second_alone[1] == both[1] and second_alone[0] < both[0]
    assert first_alone[0] == both[0] and first_alone[1] < both[1]


@pytest.mark.parametrize("rival", [3, 4])
def test_the_likelier_a_rival_the_less_sure_a_word(rival: int) -> None:
    place = 0 if rival == 3 else 1
    found = [sure([0.0, -behind], [2, rival])[place] for behind in (0.0, 2.0, 10.0, 40.0)]
    assert found == sorted(found) and found[0] < found[-1]
    assert all(0 < each < 1 for each in found)
