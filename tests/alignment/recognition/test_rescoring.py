"""Choosing again among the ways that the search followed, with a model of whole sentences."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from alignment.network.phone_network import SYMBOLS
from alignment.recognition.beam_search import LexiconTree, Search, search
from alignment.recognition.lattice import BEGINNING, Arc
from alignment.recognition.ngrams import NGrams, load_ngrams
from alignment.recognition.rescoring import (
    Rescoring,
    WordNetwork,
    load_word_network,
)
from training.alignment.train_word_network import save_word_network


@pytest.fixture(scope="module")
def ngrams() -> NGrams:
    return load_ngrams()


@pytest.fixture(scope="module")
def network() -> WordNetwork:
    return load_word_network()


def numbers(ngrams: NGrams, text: str) -> list[int]:
    return [ngrams.words.index(word) for word in text.split()]


def nats(network: WordNetwork, words: list[int]) -> float:
    """log P of a sentence, its end included."""
    known, total = network.beginning, 0.0
    for word in [*words, 1]:
        total += float(network.scores(known, np.array([word]))[0, 0])
        known = network.after(known, [word])
    return total


def test_it_gives_all_words_together_a_probability_of_one(
    network: WordNetwork, ngrams: NGrams
) -> None:
    known = network.after(network.beginning, numbers(ngrams, "the"))
    # A sentence's beginning shares its rank with the end.
    each = np.exp(network.scores(known, np.arange(1, ngrams.count)))
    assert each.sum() == pytest.approx(1.0, abs=1e-4)


def test_it_prefers_english(network: WordNetwork, ngrams: NGrams) -> None:
    said = numbers(ngrams, "she said that she would come to see them in the morning")
    for seed in range(5):
        shuffled = np.random.default_rng(seed).permutation(said).tolist()
        assert nats(network, said) > nats(network, shuffled) + 10


def test_several_texts_at_once_are_as_each_alone(network: WordNetwork, ngrams: NGrams) -> None:
    first, second = (network.after(network.beginning, [w]) for w in numbers(ngrams, "we cheese"))
    both = type(first).stacked([first, second])
    words = np.array(numbers(ngrams, "have the extraordinarily"))
    after = network.after(both, numbers(ngrams, "are is"))
    for place, (known, word) in enumerate(
        zip((first, second), numbers(ngrams, "are is"), strict=True)
    ):
        alone = network.scores(network.after(known, [word]), words)
        assert network.scores(after, words)[place] == pytest.approx(alone[0], abs=1e-4)
        assert network.scores(after.of(place), words) == pytest.approx(alone, abs=1e-4)


def test_what_is_written_is_read_again(tmp_path: Path, network: WordNetwork) -> None:
    save_word_network(network, tmp_path / "again.safetensors")
    again = load_word_network(tmp_path / "again.safetensors")
    assert np.array_equal(again.ranks, network.ranks)
    for name, value in network.weights.items():
        # A byte each: half a step of the row's largest.
        step = np.abs(value).max(axis=-1, keepdims=True) / 127
        assert np.all(np.abs(again.weights[name] - value) <= step * 0.51 + 1e-6)


def test_a_word_without_those_before_it_is_left_out(network: WordNetwork, ngrams: NGrams) -> None:
    the, cat = numbers(ngrams, "the cat")
    lattice = [Arc(0, BEGINNING, the, 0.0), Arc(2, 1, cat, 9.0), Arc(3, 0, 1, 0.0)]
    lattice.append(Arc(3, 2, 1, 0.0))
    assert Rescoring(network, ngrams)(lattice) == [0]


WORDS = "the a cat sat on mat hat"


def lattice_of(ngrams: NGrams, random: np.random.Generator) -> list[Arc]:
    """Three words, each one of two, and a record for each of the six."""
    words = random.permutation(numbers(ngrams, WORDS))[:6].reshape(3, 2).tolist()
    arcs = [Arc(k, BEGINNING, words[0][k], random.normal()) for k in range(2)]
    for place in (1, 2):
        for k, before in product(range(2), repeat=2):
            record = 2 * place + k
            arcs.append(Arc(record, 2 * place - 2 + before, words[place][k], random.normal()))
    return sorted([*arcs, *(Arc(6, 4 + k, 1, random.normal()) for k in range(2))])


@pytest.mark.parametrize("seed", range(2))
def test_the_likeliest_text_is_found(seed: int, network: WordNetwork, ngrams: NGrams) -> None:
    """Against every way through the lattice."""
    lattice = lattice_of(ngrams, np.random.default_rng(seed))
    by_ends = {(arc.before, arc.record): arc for arc in lattice}
    best, likeliest = -np.inf, []
    for ways in product(range(2), repeat=3):
        records = [ways[0], 2 + ways[1], 4 + ways[2]]
        path = [*zip([BEGINNING, *records], [*records, 6], strict=True)]
        arcs = [by_ends[ends] for ends in path]
        total = sum(arc.gain for arc in arcs) + 2.0 * nats(network, [a.word for a in arcs[:-1]])
        if total > best:
            best, likeliest = total, records
    rescoring = Rescoring(network, ngrams, share=1.0, weight=2.0, most=8)
    assert rescoring(lattice) == likeliest
    scores = [score for _, score in rescoring.likeliest(lattice)]
    assert scores == sorted(scores, reverse=True) and len(scores) > 1


@pytest.mark.parametrize("seed", range(2))
def test_trigrams_alone_choose_what_the_search_chose(
    seed: int, network: WordNetwork, ngrams: NGrams
) -> None:
    words = numbers(ngrams, WORDS)
    ways = zip(ngrams.pronounced.tolist(), ngrams.pronunciations, strict=True)
    tree = LexiconTree.of([(word, way) for word, way in ways if word in words])
    random = np.random.default_rng(seed)
    scores = np.log(random.dirichlet(np.full(len(SYMBOLS), 0.1), 60) + 1e-4)
    options = Search(acoustic=0.5)
    nothing = np.zeros(len(tree.phone))
    found = search(scores, tree, nothing, ngrams, options)
    again = search(
        scores, tree, nothing, ngrams, options, Rescoring(network, ngrams, share=0.0, most=20)
    )
    assert len(found) > 1
    assert again == found
