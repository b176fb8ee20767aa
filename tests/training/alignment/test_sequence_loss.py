"""The loss of sequences against all paths counted one by one."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from alignment.recognition.lattice import END_WORD, START_WORD
from alignment.recognition.rescoring import VOCABULARY_PARTS, WordNetwork
from training.alignment import train_word_network
from training.alignment.examples import UNSURE
from training.alignment.sequence_loss import FORBIDDEN, LOOSE, TOGETHER, sequence_loss
from training.alignment.train_word_network import WordModel, ranks_of, train, weights_of

torch = pytest.importorskip("torch")

PHONES, STEPS = 3, 6


def by_counting(scores: np.ndarray, targets: np.ndarray, pairs: np.ndarray) -> float:
    """`scores` (T, n), `targets` (T,): every path through the steps, one by one."""
    each = scores.astype(float).reshape(STEPS, TOGETHER, PHONES).sum(1)
    each -= np.logaddexp.reduce(each, axis=1, keepdims=True)
    each[(targets.reshape(STEPS, TOGETHER) == UNSURE).any(1)] = 0.0
    everything = right = -np.inf
    for path in itertools.product(range(PHONES), repeat=STEPS):
        total = sum(each[step, phone] for step, phone in enumerate(path))
        total += sum(pairs[a, b] for a, b in itertools.pairwise(path) if a != b)
        everything = np.logaddexp(everything, total)
    turns = [(phone, len(list(run))) for phone, run in itertools.groupby(targets)]
    ends = np.cumsum([length for _, length in turns])
    for changes in itertools.combinations(range(1, STEPS), len(turns) - 1):
        place = np.searchsorted(changes, np.arange(STEPS), side="right")
        total = 0.0
        for step, own in enumerate(place):
            phone, length = turns[own]
            first, last = (ends[own] - length) // TOGETHER, (ends[own] - 1) // TOGETHER
            total += 0.0 if phone == UNSURE else each[step, phone]
            loose = 0 if phone == UNSURE else LOOSE
            total += 0.0 if first - loose <= step <= last + loose else FORBIDDEN
        for (a, _), (b, _) in itertools.pairwise(turns):
            total += 0.0 if UNSURE in (a, b) else pairs[a, b]
        right = np.logaddexp(right, total)
    return float(everything - right) / STEPS


@pytest.mark.parametrize("unsure", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_the_right_phones_in_their_turn_are_weighed_against_all_paths(
    unsure: bool, scale: float
) -> None:
    random = np.random.default_rng(5)
    scores = scale * random.standard_normal((2, STEPS * TOGETHER, PHONES)).astype(np.float32)
    targets = np.array([[0] * 3 + [1] + [2] * 8, [2] * 2 + [0] * 10])
    if unsure:
        targets[0, 4:8] = UNSURE
    shares = random.dirichlet(np.ones(PHONES), PHONES).astype(np.float32)
    given = (torch.from_numpy(each.copy()) for each in (scores, targets, np.log(shares)))
    expected = np.mean(
        [by_counting(*part, np.log(shares)) for part in zip(scores, targets, strict=True)]
    )
    assert float(sequence_loss(*given)) == pytest.approx(expected, abs=1e-4, rel=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
@pytest.mark.parametrize(
    "targets",
    [
        [UNSURE] * 5 + [1] * 3 + [2] * 4,
        [1] * 3 + [2] * 4 + [UNSURE] * 5,
        [0] * 4 + [UNSURE] * 3 + [1] * 5,
        [UNSURE] * 5 + [1] * 2 + [UNSURE] * 5,  # known in steps only that are not sure
        [0] * 3 + [1] + [2] * 8,
    ],
)
def test_no_scores_bring_more_than_pairs_cost(targets: list[int], scale: float) -> None:
    """Gradient descent on the scores alone ends at what the phones' pairs can make up for."""
    torch.manual_seed(0)
    pairs = (3 * torch.randn(PHONES, PHONES)).log_softmax(1)
    known = [phone for phone, _ in itertools.groupby(targets)]
    changes = [(a, b) for a, b in itertools.pairwise(known) if UNSURE in (a, b)]
    scores = (scale * (torch.randn(1, len(targets), PHONES) - 3.0)).requires_grad_()
    optimizer = torch.optim.Adam([scores], lr=scale)
    for _ in range(12):
        optimizer.zero_grad()
        loss = sequence_loss(scores, torch.tensor([targets]), pairs)
        loss.backward()
        assert scores.grad.isfinite().all()
        assert loss.item() * STEPS > len(changes) * float(pairs.min()) - math.log(2**STEPS) - 1e-3
        optimizer.step()


def test_it_falls_as_the_right_phones_score_more() -> None:
    targets = torch.tensor([[0, 0, 1, 1, 1, 1, 2, 2]])
    pairs = torch.full((PHONES, PHONES), -1.1)
    losses = [
        float(sequence_loss(much * torch.nn.functional.one_hot(targets, PHONES), targets, pairs))
        for much in (0.0, 1.0, 3.0)
    ]
    assert losses[0] > losses[1] > losses[2] > 0


def test_a_short_phone_may_not_be_left_out() -> None:
    targets = torch.tensor([[0, 0, 0, 0, 1, 1, 2, 2, 2, 2]])
    pairs = torch.full((PHONES, PHONES), -1.1)
    heard = torch.nn.functional.one_hot(targets, PHONES).float()
    missed = heard.clone()
    missed[:, 4:6] = heard[:, 3:4]
    whole, part = (float(sequence_loss(8 * each, targets, pairs)) for each in (heard, missed))
    assert whole < 0.1 and part > 1.0


COUNT = VOCABULARY_PARTS[-1] + 500


def test_what_ships_computes_what_was_trained() -> None:
    torch.manual_seed(3)
    model = WordModel(COUNT).eval()
    ranks = np.arange(COUNT)
    ranks[END_WORD] = START_WORD
    ours = WordNetwork(weights_of(model), ranks)
    said = [5, 2500, 10_100, 7]
    with torch.no_grad():
        vectors, _ = model(torch.tensor([[START_WORD, *said]]))
        expected = model.parts.log_prob(vectors[0]).numpy()
    known = ours.beginning
    asked = np.array([3, 9_999, 2000, 10_499, 42])
    for place, word in enumerate([*said, END_WORD]):
        assert ours.scores(known, asked)[0] == pytest.approx(expected[place, asked], abs=1e-4)
        known = ours.after(known, [word])


def test_it_learns_and_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words that follow one another: after one epoch and another the next word is known better."""
    monkeypatch.setattr(train_word_network, "STREAMS", 8)
    words = np.tile(np.arange(2, 12), 40)[: 49 * 8]
    ranks = ranks_of(words, COUNT)
    losses = []
    for epochs in (3, 6):
        torch.manual_seed(0)
        model = WordModel(COUNT)
        train(model, ranks[words], epochs, tmp_path)
        ours = WordNetwork(weights_of(model), ranks)
        known = ours.after(ours.after(ours.beginning, [4]), [5])
        losses.append(-ours.scores(known, np.array([6]))[0, 0])
    assert torch.load(tmp_path / "checkpoint.pt", weights_only=True)["step"] == 6
    assert losses[1] < losses[0]


def test_frequent_words_come_first() -> None:
    words = np.array([START_WORD, 3, 3, 3, 4, START_WORD, 5, 5, 5, 5])
    ranks = ranks_of(words, 7)
    assert ranks[[5, 3, START_WORD, 4]].tolist() == [0, 1, 2, 3]
    assert ranks[END_WORD] == ranks[START_WORD]
