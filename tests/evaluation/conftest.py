"""One real recording for every test here: the CMU ARCTIC sentence that pysptk ships."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

RATE = 16000


@pytest.fixture(scope="session")
def sentence() -> np.ndarray:
    """ "And you always want to see it in the superlative degree.": (64000,) float64 at 16 kHz."""
    sf = pytest.importorskip("soundfile")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        util = pytest.importorskip("pysptk.util")
    samples, rate = sf.read(util.example_audio_file())
    assert rate == RATE
    return samples


@pytest.fixture(scope="session")
def phrase(sentence: np.ndarray) -> np.ndarray:
    """0.8 s from the middle of the sentence, for what is slow."""
    return sentence[20000 : 20000 + 12800]
