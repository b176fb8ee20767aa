"""Training the network of words, in small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from alignment.recognition.lattice import END, START
from alignment.recognition.word_network import PARTS, WordNetwork
from training.alignment.train_word_network import STREAMS, network, ranks_of, train, weights_of

COUNT = PARTS[-1] + 500
torch = pytest.importorskip("torch")


def test_what_ships_computes_what_was_trained() -> None:
    torch.manual_seed(3)
    model = network(COUNT).eval()
    ranks = np.arange(COUNT)
    ranks[END] = START
    ours = WordNetwork(weights_of(model), ranks)
    said = [5, 2500, 10_100, 7]
    with torch.no_grad():
        vectors, _ = model(torch.tensor([[START, *said]]))
        expected = model.parts.log_prob(vectors[0]).numpy()
    known = ours.beginning
    asked = np.array([3, 9_999, 2000, 10_499, 42])
    for place, word in enumerate([*said, END]):
        assert ours.scores(known, asked)[0] == pytest.approx(expected[place, asked], abs=1e-4)
        known = ours.after(known, [word])


def test_it_learns_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Words that follow one another: after one epoch and another the next word is known better."""
    words = np.tile(np.arange(2, 12), 49 * STREAMS // 10 + 1)[: 49 * STREAMS]
    ranks = ranks_of(words, COUNT)
    state, losses = tmp_path / "state.pt", []
    for epochs in (6, 12):
        torch.manual_seed(0)
        model = network(COUNT)
        train(model, ranks[words], epochs, state)
        ours = WordNetwork(weights_of(model), ranks)
        known = ours.after(ours.after(ours.beginning, [4]), [5])
        losses.append(-ours.scores(known, np.array([6]))[0, 0])
    assert torch.load(state, weights_only=True)["step"] == 12
    assert losses[1] < losses[0]


def test_frequent_words_come_first() -> None:
    words = np.array([START, 3, 3, 3, 4, START, 5, 5, 5, 5])
    ranks = ranks_of(words, 7)
    assert ranks[[5, 3, START, 4]].tolist() == [0, 1, 2, 3]
    assert ranks[END] == ranks[START]
