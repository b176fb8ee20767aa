"""A small network that estimates the phone every 10 ms: numpy alone, 1.3 M weights.

Log-mel frames every 5 ms, one convolution with a stride of two, then residual dilated ones, which
see 315 ms on either side. A branch at every 40 ms can look further: what it finds in 900 ms on
either side is added, and one more convolution smooths the sum.
training.alignment.train_phones trains it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from alignment.arpabet import ARPABET
from alignment.result import PAUSE

SAMPLE_RATE_HZ = 16_000
HOP_SAMPLES, WINDOW_SAMPLES, FFT_SAMPLES = 80, 400, 512  # samples
BANDS = 40
MEL_BOTTOM_HZ, MEL_TOP_HZ = 80.0, 7600.0  # Hz
POWER_FLOOR = 1e-8  # 80 dB below the loudest band

STRIDE = 2
FRAME_S = STRIDE * HOP_SAMPLES / SAMPLE_RATE_HZ
HIDDEN_WIDTH = 224
BLOCK_DILATIONS = (1, 2, 4, 8) * 2  # of the blocks

# The branch that a network can have: a frame of it for every SLOWER frames.
SLOWER = 4
SLOW_WIDTH = 320
SLOW_DILATIONS = (1, 2, 4) * 2
DOWN_TAPS = 5

STEP_FRAMES = 2  # frames in one step of what is trained for sequences

SYMBOLS = (PAUSE, *sorted(ARPABET))
INDEX = {symbol: k for k, symbol in enumerate(SYMBOLS)}

PHONE_WEIGHTS = Path(__file__).with_name("phone_network.safetensors")

# A larger one with the branch, trained for whole sequences: which words are likely, not where their
# boundaries are, which the smaller one places better, above all beside what nobody wrote.
SEQUENCE_WEIGHTS = PHONE_WEIGHTS.with_name("sequence_network.safetensors")

Weights = Mapping[str, np.ndarray]


def mel(hertz: np.ndarray | float) -> np.ndarray:
    """Convert Hz to mel, by HTK's formula."""
    return 2595 * np.log10(1 + np.asarray(hertz) / 700)


def band_edges() -> np.ndarray:
    """Return the edges of the bands in Hz, even on the mel scale, (BANDS + 2,).

    Band k lies between edge k and edge k + 2, with its centre at edge k + 1.
    """
    return 700 * (10 ** (np.linspace(mel(MEL_BOTTOM_HZ), mel(MEL_TOP_HZ), BANDS + 2) / 2595) - 1)


@cache
def _filters() -> np.ndarray:
    """Return triangles between each three `band_edges`, (FFT_SAMPLES // 2 + 1, BANDS)."""
    edges = band_edges()
    hertz = np.arange(FFT_SAMPLES // 2 + 1)[:, None] * SAMPLE_RATE_HZ / FFT_SAMPLES
    rising = (hertz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - hertz) / (edges[2:] - edges[1:-1])
    return np.maximum(0.0, np.minimum(rising, falling)).astype(np.float32)


def band_power(samples: np.ndarray) -> np.ndarray:
    """Return the power in each band, (K, BANDS), float32, of 16 kHz mono (n,).

    Its frames are those of `features`.
    """
    signal = samples.astype(np.float32)
    frames = len(signal) // HOP_SAMPLES + 1
    padded = np.pad(signal, (WINDOW_SAMPLES // 2, WINDOW_SAMPLES // 2 + HOP_SAMPLES))
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW_SAMPLES)[::HOP_SAMPLES][
        :frames
    ]
    window = np.hanning(
        WINDOW_SAMPLES
    )  # numpy transforms single precision several times more slowly
    return np.concatenate(
        [
            (np.abs(np.fft.rfft(windows[k : k + 2000] * window, FFT_SAMPLES)) ** 2).astype(
                np.float32
            )
            @ _filters()
            for k in range(0, frames, 2000)
        ]
    )


def features(samples: np.ndarray) -> np.ndarray:
    """Log-mel energies (K, BANDS), float32, of 16 kHz mono (n,); frame k is centred at 80 k.

    Each band has mean 0 over the recording, so neither level nor microphone matters.
    """
    return normalised(band_power(samples))


def normalised(power: np.ndarray) -> np.ndarray:
    """Return the network's input, (K, BANDS), from the power in each band."""
    logarithms = np.log(power + POWER_FLOOR * float(power.max()) + 1e-12)
    return ((logarithms - logarithms.mean(axis=0)) / 3.0).astype(np.float32)


def with_tract(logarithms: np.ndarray, tract: float) -> np.ndarray:
    """Return log band power, (K, BANDS), as a vocal tract ``tract`` times as long would have it."""
    mels = mel(band_edges()[1:-1])
    bands = (mel(band_edges()[1:-1] * tract) - mels[0]) / (mels[1] - mels[0])
    return between(logarithms.T, bands).T


def between(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Interpolate rows of `values` at fractional places, held beyond the ends."""
    places = np.clip(places, 0, len(values) - 1)
    before = np.minimum(places.astype(int), max(len(values) - 2, 0))
    share = (places - before)[:, None].astype(np.float32)
    return values[before] * (1 - share) + values[np.minimum(before + 1, len(values) - 1)] * share


def posteriors(frames: np.ndarray, weights: Weights | None = None) -> np.ndarray:
    """Log posteriors (T, 40) of SYMBOLS from features (K, BANDS); row t is at 10 t ms."""
    weights = load_weights() if weights is None else weights
    return log_softmax(_layer(_hidden(frames, weights), weights, "output"))


def sequence_scores(frames: np.ndarray, weights: Weights | None = None) -> np.ndarray:
    """Return scores (T, 40) of SYMBOLS like `posteriors`, but trained for whole sequences.

    The sum along a path says how likely that path is among all others, not each frame how likely
    its phone is (see `training.alignment.sequence_loss`), in steps of STEP_FRAMES frames
    (`in_steps`).
    """
    weights = load_weights(SEQUENCE_WEIGHTS) if weights is None else weights
    return _layer(_hidden(frames, weights), weights, "sequence")


def posteriors_and_sequence_scores(frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sequence network's `posteriors` and `sequence_scores`, passing its layers once."""
    weights = load_weights(SEQUENCE_WEIGHTS)
    hidden = _hidden(frames, weights)
    logits = _layer(hidden, weights, "output")
    return log_softmax(logits), _layer(hidden, weights, "sequence")


def in_steps(scores: np.ndarray, frames: int) -> np.ndarray:
    """Sum the scores (T, n) over ``frames`` at a time, (T / frames, n); the last one is held."""
    whole = np.pad(scores, ((0, -len(scores) % frames), (0, 0)), mode="edge")
    return np.asarray(whole.reshape(-1, frames, whole.shape[1]).sum(axis=1))


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Return the log softmax of `logits` (T, n)."""
    logits = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))


def _hidden(frames: np.ndarray, weights: Weights) -> np.ndarray:
    """Return the last hidden layer, (T, HIDDEN_WIDTH)."""
    hidden = _rectified(frames, weights, "input", STRIDE)
    for number, dilation in enumerate(BLOCK_DILATIONS):
        hidden += _rectified(hidden, weights, f"block{number}", dilation=dilation)
    if "down.weight" not in weights:
        return hidden
    slow = _rectified(hidden, weights, "down", SLOWER)
    for number, dilation in enumerate(SLOW_DILATIONS):
        slow += _rectified(slow, weights, f"slow{number}", dilation=dilation)
    hidden += _layer(slow, weights, "up").reshape(-1, hidden.shape[1])[: len(hidden)]
    hidden += _rectified(hidden, weights, "merged")
    return hidden


def _layer(hidden: np.ndarray, weights: Weights, name: str) -> np.ndarray:
    return np.asarray(hidden @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])


def information(posteriors: np.ndarray) -> float:
    """Return a frame's mean information about its phone, nats: 0 when all look the same.

    In steady noise the network calls nothing unlikely, so every text would fit.
    """
    shares = np.exp(posteriors)
    mean = shares.mean(axis=0)
    whole = -(mean * np.log(mean + 1e-9)).sum()
    return float(whole + (shares * posteriors).sum(axis=1).mean())


def _rectified(
    frames: np.ndarray, weights: Weights, name: str, stride: int = 1, dilation: int = 1
) -> np.ndarray:
    """Convolve (K, in) to (ceil(K / stride), out), zeros beyond the ends, and rectify.

    The weight is (out, in, width).
    """
    taps = weights.get(f"{name}.taps")
    taps = _taps(weights[f"{name}.weight"]) if taps is None else taps
    width = len(taps) // frames.shape[1]
    reach = dilation * (width // 2)
    outputs = -(-len(frames) // stride)
    padded = np.pad(frames, ((reach, reach), (0, 0)))
    seen = [padded[tap * dilation :: stride][:outputs] for tap in range(width)]
    result = np.concatenate(seen, axis=1) @ taps
    result += weights[f"{name}.bias"]
    return np.maximum(result, 0.0, out=result)


def _taps(weight: np.ndarray) -> np.ndarray:
    """Return a convolution's weight (out, in, width) as one matrix, (width * in, out)."""
    return np.ascontiguousarray(weight.transpose(2, 1, 0)).reshape(-1, len(weight))


@cache
def load_weights(path: Path = PHONE_WEIGHTS) -> Weights:
    """Load a file's weights, convolutions also as `_taps`.

    Those of PHONE_WEIGHTS have "pairs", (40, 40): the logarithm of how often phones follow a phone.
    """
    from safetensors.numpy import load_file

    weights = {name: value.astype(np.float32) for name, value in load_file(path).items()}
    convolutions = [name for name, value in weights.items() if value.ndim == 3]
    taps = {name.replace(".weight", ".taps"): _taps(weights[name]) for name in convolutions}
    return {**weights, **taps}
