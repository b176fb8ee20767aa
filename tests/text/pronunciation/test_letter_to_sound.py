"""The letter-to-sound network: against torch's own GRU, its shipped accuracy, its stress."""

import json
import random
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.text.pronunciation.letter_to_sound import LETTERS, LetterNetwork, shipped
from a3t.text.pronunciation.lexicon import Pronunciation
from training.text.letter_alignment import Costs, align, learn_costs
from training.text.train_letters import (
    LetterTraining,
    Tagger,
    errors,
    lexicon,
    split,
    tensors_of,
)
from training.training_runs import carry_out

Table = dict[str, list[Pronunciation]]


@pytest.fixture(scope="module")
def table() -> Table:
    """The lexicon, words and their pronunciations."""
    if not find_spec("misaki"):
        pytest.skip("needs misaki (Python < 3.13)")
    return lexicon()


@pytest.fixture(scope="module")
def costs(dictionary: dict[str, list[list[str]]]) -> Costs:
    """The cost of each letter's phones, learnt from two thousand words."""
    some = [(word, tuple(ways[0])) for word, ways in dictionary.items() if word.isalpha()]
    return learn_costs(some[::60], rounds=3)


def test_the_numpy_network_is_torchs() -> None:
    torch.manual_seed(0)
    classes = ["", "AH0", "AH1", "K S"]
    model = Tagger(len(classes)).eval()
    weights = {name: tensor.float().numpy() for name, tensor in tensors_of(model).items()}
    network = LetterNetwork(weights, {"classes": classes, "layers": 2})
    model.load_state_dict({k: v.half().float() for k, v in model.state_dict().items()})
    letters = [LETTERS.index(letter) + 1 for letter in "extra"]
    with torch.no_grad():
        expected = model(torch.tensor([letters]))[0].log_softmax(-1).numpy()
    np.testing.assert_allclose(network._scores(letters), expected, atol=1e-5)


def test_one_primary_stress() -> None:
    rng = random.Random(4)
    for _ in range(100):
        word = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 12)))
        phones = shipped().pronounce("a" + word)
        assert sum(phone.endswith("1") for phone in phones) == 1
    assert shipped().pronounce("") == shipped().pronounce("'") == ()


def test_words_that_it_never_saw(table: Table) -> None:
    """The card's figures, on a sample: at most 12 % of phones and 45 % of words wrong."""
    train, held = split(list(table))
    assert not set(train) & set(held)
    stems = tuple(word for word in held[:50] if len(word) > 3)
    assert not any(word.startswith(stems) for word in train)
    found = errors(shipped(), {word: table[word] for word in held[::50]})
    assert found["phones with stress"] < 12 and found["words with stress"] < 45


@pytest.mark.parametrize(
    ("word", "phones", "chunks"),
    [
        ("fox", "F AA1 K S", ["F", "AA1", "K S"]),
        ("knee", "N IY1", ["", "N", "IY1", ""]),
        ("ship", "SH IH1 P", ["", "SH", "IH1", "P"]),
    ],
)
def test_letters_make_phones(word: str, phones: str, chunks: list[str], costs: Costs) -> None:
    found = align(word, phones.split(), costs)
    assert found is not None
    assert " ".join(" ".join(chunk) for chunk in found).split() == phones.split()
    assert [" ".join(chunk) for chunk in found if chunk] == [chunk for chunk in chunks if chunk]


def test_more_phones_than_letters_can_make() -> None:
    assert align("a", "B AH0 N AE1 N".split(), {}) is None


@pytest.mark.slow
def test_a_training_learns_and_resumes(tmp_path: Path) -> None:
    words = [
        ("tat", [("T",), ("AE1",), ("T",)]),
        ("at", [("AE1",), ("T",)]),
        ("ta", [("T",), ("AE1",)]),
    ]
    judged = {"tata": [("T", "AE1", "T", "AE1")]}
    make = partial(LetterTraining, 4 * words, [("AE1",), ("T",)], judged)
    first = carry_out(make(6), tmp_path / "run")
    assert first.done and first.step == 6 * 2
    losses = [
        json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()
    ]
    assert {"valid_phones with stress"} <= losses[-1].keys()
    again = carry_out(make(40), tmp_path / "run")
    assert again.step == 40 * 2
    training = make(40)
    training.model.load_state_dict(again.average)
    assert training.network().pronounce("tat") == ("T", "AE1", "T")
