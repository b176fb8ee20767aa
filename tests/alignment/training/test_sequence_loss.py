"""The loss of sequences against all paths counted one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from alignment.network.phone_network import TOGETHER
from alignment.training.examples import UNSURE
from alignment.training.sequence_loss import FORBIDDEN, sequence_loss

torch = pytest.importorskip("torch")

PHONES, STEPS = 3, 4


def by_counting(scores: np.ndarray, targets: np.ndarray, pairs: np.ndarray) -> float:
    """`scores` (T, n), `targets` (T,): every path through the steps, one by one."""
    each = scores.reshape(STEPS, TOGETHER, PHONES).sum(1)
    known = targets.reshape(STEPS, TOGETHER)
    totals = {True: -np.inf, False: -np.inf}
    for path in itertools.product(range(PHONES), repeat=STEPS):
        total = sum(each[step, phone] for step, phone in enumerate(path))
        total += sum(pairs[a, b] for a, b in itertools.pairwise(path) if a != b)
        outside = 0
        for step, phone in enumerate(path):
            near = known[max(step - 1, 0) : step + 2]
            outside += phone not in near and UNSURE not in near
        totals[False] = np.logaddexp(totals[False], total)
        totals[True] = np.logaddexp(totals[True], total + FORBIDDEN * outside)
    return float(totals[False] - totals[True]) / STEPS


@pytest.mark.parametrize("unsure", [False, True])
def test_the_loss_weighs_the_allowed_paths_against_all(unsure: bool) -> None:
    random = np.random.default_rng(5)
    scores = random.standard_normal((2, STEPS * TOGETHER, PHONES)).astype(np.float32)
    targets = random.integers(0, PHONES, (2, STEPS * TOGETHER))
    if unsure:
        targets[0, 2:4] = UNSURE
    shares = random.dirichlet(np.ones(PHONES), PHONES).astype(np.float32)
    given = (torch.from_numpy(each) for each in (scores, targets, np.log(shares)))
    expected = np.mean(
        [by_counting(*part, np.log(shares)) for part in zip(scores, targets, strict=True)]
    )
    assert float(sequence_loss(*given)) == pytest.approx(expected, abs=1e-4)


def test_it_falls_as_the_right_phones_score_more() -> None:
    targets = torch.tensor([[0, 0, 1, 1, 1, 1, 2, 2]])
    pairs = torch.full((PHONES, PHONES), -1.1)
    losses = [
        float(sequence_loss(much * torch.nn.functional.one_hot(targets, PHONES), targets, pairs))
        for much in (0.0, 1.0, 3.0)
    ]
    assert losses[0] > losses[1] > losses[2] > 0
