"""The choice of number format: requests are honoured, and "auto" is measured."""

from __future__ import annotations

import pytest
import torch

from a3t.voice.kernel import precision
from a3t.voice.kernel.precision import seconds_of_products, use_bfloat16


def test_a_requested_precision_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(bfloat16: bool) -> float:
        raise AssertionError

    monkeypatch.setattr(precision, "seconds_of_products", never)
    assert use_bfloat16("bfloat16") and not use_bfloat16("float32")
    with pytest.raises(ValueError, match="float16"):
        use_bfloat16("float16")


@pytest.mark.parametrize(("low", "expected"), [(0.5, True), (0.95, False), (2.4, False)])
def test_the_faster_precision_is_used_and_float32_on_a_tie(
    monkeypatch: pytest.MonkeyPatch, low: float, expected: bool
) -> None:
    monkeypatch.setattr(precision, "seconds_of_products", lambda b: low if b else 1.0)
    assert use_bfloat16("auto") is expected


def test_measuring_takes_a_moment_and_leaves_the_random_numbers_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    assert 0 < seconds_of_products(True, rounds=1) < 60
    assert torch.equal(torch.rand(2), expected)
