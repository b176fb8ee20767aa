"""One real recording for every test here: `a3t.example`."""

from dataclasses import replace

import numpy as np
import pytest
import soundfile

from a3t.audio.analysis.mel import log_mel
from a3t.example import RECORDING
from a3t.grid import HOP, SAMPLE_RATE
from a3t.model.variance.durations import DurationPredictor
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.vocoder import load_vocoder
from evaluation.clips import HeldOutClip
from evaluation.metrics import resampled
from evaluation.systems import networks
from evaluation.systems.interface import Gap
from evaluation.tables.tasks import GapTask, edit_task, prompt_task, reconstructions

RATE = 16000


def noisy(signal: np.ndarray, deviation: float) -> np.ndarray:
    return signal + np.random.default_rng(0).normal(scale=deviation, size=len(signal))


@pytest.fixture(scope="session")
def sentence() -> np.ndarray:
    """ "And you always want to see it in the superlative degree.": (64000,) float64 at 16 kHz."""
    samples, rate = soundfile.read(RECORDING)
    assert rate == RATE
    return samples


@pytest.fixture(scope="session")
def phrase(sentence: np.ndarray) -> np.ndarray:
    """0.8 s from the middle of the sentence, for what is slow."""
    return sentence[20000 : 20000 + 12800]


@pytest.fixture(scope="module")
def item(sentence: np.ndarray) -> HeldOutClip:
    samples = resampled(sentence[16000:40000], 16000, SAMPLE_RATE).astype(np.float32)
    mel = log_mel(samples).numpy()
    durations = np.full(9, len(mel) // 9)
    durations[-1] += len(mel) % 9
    phones, words = np.arange(9) + 5, np.arange(9) // 3
    return HeldOutClip("arctic", "awb", True, 16000, samples, mel, phones, durations, words)


WORDS = ("and", "you", "always")


@pytest.fixture(scope="module")
def tasks(item: HeldOutClip) -> dict[str, GapTask]:
    predictor = DurationPredictor(width=16, hidden=16, blocks=1).eval()
    predict = networks.duration_predictor(predictor)
    given, predicted = reconstructions(item, WORDS, predict)
    edit = edit_task(
        item, "edit-1", "insert", (1, 1), ["quiet"], list(WORDS), predictor, Pronouncer()
    )
    prompt = prompt_task(item, replace(item, name="other"), WORDS, predictor)
    return {task.kind: task for task in (given, predicted, edit, prompt)}


@pytest.fixture(scope="module")
def vocoder() -> object:
    return networks.as_vocoder(load_vocoder("griffin-lim"))


def make_gap(first: int = 3, last: int = 6, seed: int = 5) -> Gap:
    """Nine phones of 4 to 8 frames, [first, last) of them hidden, and two frames of nothing."""
    rng = np.random.default_rng(seed)
    durations = rng.integers(4, 9, 9)
    ends = np.concatenate([[0], durations.cumsum()])
    mel = rng.normal(-1, 0.5, (int(ends[-1]) + 2, 80)).astype(np.float32)
    span = (int(ends[first]), int(ends[last]))
    mel[slice(*span)] = 0
    sound = rng.normal(0, 0.05, (len(mel) - span[1] + span[0]) * HOP).astype(np.float32)
    gap = Gap(mel, rng.integers(3, 70, 9), durations, span, np.arange(9) // 3, sound, "one")
    gap.__dict__["voice"] = rng.normal(size=256).astype(np.float32)  # as if it had been embedded
    return gap
