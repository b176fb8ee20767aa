"""Durations: rounding that keeps totals, the ratio of sums, properties of the predictor."""

import math
from pathlib import Path

import pytest
import torch
import yaml
from hypothesis import given
from hypothesis import strategies as st

from a3t.model.variance.durations import DurationPredictor, rate_ratio, whole_frames, word_edges

CONF = Path(__file__).parents[2] / "a3t" / "model" / "conf" / "durations.yaml"


@given(st.lists(st.floats(1.0, 40.0), min_size=1, max_size=60))
def test_rounding_is_carried_so_that_totals_match(lengths: list[float]) -> None:
    frames = whole_frames(lengths)
    assert min(frames) >= 1
    for k in range(1, len(frames) + 1):  # at every place, not only at the end
        assert abs(sum(frames[:k]) - sum(lengths[:k])) <= 0.5 + 1e-6


@given(st.lists(st.floats(0.01, 5.0), min_size=1, max_size=30))
def test_every_phone_has_a_frame(lengths: list[float]) -> None:
    assert min(whole_frames(lengths)) >= 1


def test_the_ratio_is_sum_over_sum() -> None:
    """Not a mean of ratios (fault 7), and below five phones as well."""
    assert rate_ratio([10, 2], [5, 4]) == pytest.approx(12 / 9)
    assert rate_ratio([7], [5]) == pytest.approx(1.4)
    assert rate_ratio([], []) == 1.0


def test_word_edges() -> None:
    assert word_edges([-1, 0, 0, 0, 1, -1]) == [3, 1, 0, 2, 3, 3]


@pytest.fixture(scope="module")
def predictor() -> DurationPredictor:
    torch.manual_seed(0)
    return DurationPredictor.from_config(yaml.safe_load(CONF.read_text())).eval()


def test_a_text_alone_equals_the_same_text_in_a_padded_batch(
    predictor: DurationPredictor,
) -> None:
    phones, edges = torch.randint(2, 72, (2, 12)), torch.randint(0, 4, (2, 12))
    together = predictor(phones, edges, torch.tensor([12, 5]))
    alone = predictor(phones[1:, :5], edges[1:, :5], torch.tensor([5]))
    torch.testing.assert_close(together[1:, :5], alone, atol=1e-5, rtol=1e-5)


def test_every_parameter_gets_a_gradient() -> None:
    config = yaml.safe_load(CONF.read_text())
    model = DurationPredictor.from_config(config).train()
    for name, weight in model.named_parameters():
        if name.endswith("position_bias"):
            torch.nn.init.normal_(weight)
    model(torch.arange(72)[None], torch.arange(72)[None] % 4, torch.tensor([72])).sum().backward()
    # The vocabulary's last entry was not in the text; every weight has an entry that was.
    assert all(p.grad is not None and bool(p.grad.abs().max() > 0) for p in model.parameters())


def test_frames_are_finite_and_positive(predictor: DurationPredictor) -> None:
    frames = predictor.frames(["sp", "AH0", "T"], [-1, 0, 0])
    assert len(frames) == 3 and all(1.0 <= f <= 80.0 and math.isfinite(f) for f in frames)
    assert predictor.frames([], []) == []
