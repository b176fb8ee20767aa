"""What the phone network is trained on, and that a training runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from alignment import Alignment
from alignment.network.phone_network import BANDS, INDEX, SYMBOLS, posteriors
from alignment.training.train_phones import (
    COPIES,
    SEGMENT,
    Example,
    copies,
    pairs,
    prepared,
    save,
    train,
    with_bands_hidden,
)

Speech = tuple[np.ndarray, int]


@pytest.fixture
def example(aligned: Alignment, speech: Speech) -> Example:
    return Example.of(speech[0], aligned)


def test_labels_follow_the_speed_of_each_copy(example: Example) -> None:
    frames, targets = prepared([example])
    assert frames.shape == (2 * len(targets), BANDS)
    heard = list(copies(example, np.ones(100, np.float32), np.random.default_rng(0)))
    assert len(heard) == COPIES
    at = 0
    shares = np.bincount(targets[: len(targets) // COPIES], minlength=len(SYMBOLS))
    for samples, speed in heard:
        assert len(samples) * speed == pytest.approx(len(example.samples))
        count = (len(samples) // 80 + 1) // 2
        part = np.bincount(targets[at : at + count], minlength=len(SYMBOLS))
        at += count
        assert np.abs(part / part.sum() - shares / shares.sum()).sum() < 0.15
    assert at == len(targets)


def test_followers_are_counted(example: Example) -> None:
    found = pairs([example])
    assert np.exp(found).sum(axis=1) == pytest.approx(1.0)
    symbols = [INDEX[symbol.rstrip("012")] for symbol, _ in example.phones]
    first, second = symbols[3], symbols[4]
    assert found[first, second] > np.median(found[first])


def test_bands_are_hidden_in_some_segments() -> None:
    inputs = np.ones((200, 4, BANDS), np.float16)
    hidden = with_bands_hidden(inputs, np.random.default_rng(0)) == 0
    assert 0.2 < hidden.any(axis=(1, 2)).mean() < 0.4
    assert hidden.sum(axis=2).max() == 6
    assert (inputs == 1).all()


def test_a_training_runs_and_its_weights_are_read(example: Example, tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    frames, targets = prepared([example])
    assert len(targets) > SEGMENT
    path = tmp_path / "net.safetensors"
    save(train(frames, targets, 2), pairs([example]), path)
    weights = {name: value.astype(np.float32) for name, value in load_file(path).items()}
    result = posteriors(frames[:100].astype(np.float32), weights)
    assert np.exp(result).sum(axis=1) == pytest.approx(1.0, abs=1e-4)
    assert weights["pairs"].shape == (len(SYMBOLS), len(SYMBOLS))
