"""The loss of sequences against all paths counted one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from training.alignment.examples import UNSURE
from training.alignment.sequence_loss import FORBIDDEN, LOOSE, TOGETHER, sequence_loss

torch = pytest.importorskip("torch")

PHONES, STEPS = 3, 6


def by_counting(scores: np.ndarray, targets: np.ndarray, pairs: np.ndarray) -> float:
    """`scores` (T, n), `targets` (T,): every path through the steps, one by one."""
    each = scores.reshape(STEPS, TOGETHER, PHONES).sum(1)
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
            total += 0.0 if first - LOOSE <= step <= last + LOOSE else FORBIDDEN
        for (a, _), (b, _) in itertools.pairwise(turns):
            total += 0.0 if UNSURE in (a, b) else pairs[a, b]
        right = np.logaddexp(right, total)
    return float(everything - right) / STEPS


@pytest.mark.parametrize("unsure", [False, True])
def test_the_right_phones_in_their_turn_are_weighed_against_all_paths(unsure: bool) -> None:
    random = np.random.default_rng(5)
    scores = random.standard_normal((2, STEPS * TOGETHER, PHONES)).astype(np.float32)
    targets = np.array([[0] * 3 + [1] + [2] * 8, [2] * 2 + [0] * 10])
    if unsure:
        targets[0, 4:8] = UNSURE
    shares = random.dirichlet(np.ones(PHONES), PHONES).astype(np.float32)
    given = (torch.from_numpy(each.copy()) for each in (scores, targets, np.log(shares)))
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


def test_a_short_phone_may_not_be_left_out() -> None:
    targets = torch.tensor([[0, 0, 0, 0, 1, 1, 2, 2, 2, 2]])
    pairs = torch.full((PHONES, PHONES), -1.1)
    heard = torch.nn.functional.one_hot(targets, PHONES).float()
    missed = heard.clone()
    missed[:, 4:6] = heard[:, 3:4]
    whole, part = (float(sequence_loss(8 * each, targets, pairs)) for each in (heard, missed))
    assert whole < 0.1 and part > 1.0
