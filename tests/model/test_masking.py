"""Masks: exact numbers, and every place as likely as any other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.model.masking import UseMasking, random_spans
from training.features.corpus_batches import MaskingConfig, ThesisMasking

WORDS = [-1, 0, 0, 0, 1, 1, -1, 2, 2, 2, 3, 3, 3, 3, -1]


@given(st.integers(1, 60), st.data())
def test_spans_have_the_requested_number_and_length(count: int, data: st.DataObject) -> None:
    masked = data.draw(st.integers(1, count))
    spans = data.draw(st.integers(1, 8))
    result = random_spans(count, masked, spans, np.random.default_rng(0))
    assert result.sum() == masked
    runs = int((np.diff(np.concatenate([[0], result.astype(int)])) == 1).sum())
    assert runs == min(spans, masked, count - masked + 1)


@pytest.mark.parametrize("scheme", [ThesisMasking(ratio=0.4), UseMasking()])
def test_start_middle_end_and_whole_targets_are_masked(
    scheme: ThesisMasking | UseMasking,
) -> None:
    rng = np.random.default_rng(0)
    masks = np.array([scheme.draw(WORDS, rng) for _ in range(2000)])
    share = masks.mean(0)
    assert (share > 0.05).all() and (share < 0.95).all()
    assert abs(share[0] - share[-1]) < 0.1  # no side is preferred
    assert (masks.sum(1) > 0).all()


def test_the_thesis_masks_four_fifths_in_spans_of_eight() -> None:
    rng = np.random.default_rng(0)
    mask = ThesisMasking().draw(list(range(100)), rng)
    assert mask.sum() == 80
    assert (np.diff(np.concatenate([[0], mask.astype(int)])) == 1).sum() == 10


def test_word_masks_hold_whole_words() -> None:
    rng = np.random.default_rng(0)
    scheme = UseMasking(words=1.0, target=0.0)
    words = np.array(WORDS)
    for _ in range(200):
        mask = scheme.draw(WORDS, rng)
        for word in range(4):
            assert len(set(mask[words == word])) == 1
        assert not mask.all()


def test_configuration_names_a_scheme() -> None:
    built = MaskingConfig("use", {"ratio": [0.1, 0.2], "words": 0.5}).build()
    assert built == UseMasking(ratio=(0.1, 0.2), words=0.5)
