"""Boundaries between phones: moved to where they are, and how sure that is.

Where a phone ends is a convention, and aligners have habits of their own: the closure of a stop
after a pause is given to the pause, a nasal before a stop comes out too long, and quiet ends are
lost in noise. What they found, how sure the phone networks are around it, and the phones' lengths
and classes tell a small network in which direction and how far the boundary should move. It learnt
that from flite's exact times (training.alignment.train_boundaries, last in dca5206f).

The frames around a boundary in which neither of its two phones is clearly likelier than the other
say over how long a stretch it is undecided. How far from the truth boundaries are for each such
length was fitted, inside speech, to two of flite's voices, clean, in noise and in a room; beside a
pause, by what the word begins or ends with, to where the sound of real speech begins and ends
(`evaluation hand-labels` holds both against labels of other voices). SHARED_CONSONANT is not
fitted: no labels of such places were at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from alignment.arpabet import strip_stress
from alignment.network.phone_network import (
    FRAME_S,
    HOP_SAMPLES,
    INDEX,
    SAMPLE_RATE_HZ,
    Weights,
    information,
    load_weights,
)
from alignment.result import PAUSE, Alignment, Phone, Word

BOUNDARY_WEIGHTS = Path(__file__).with_name("boundaries.safetensors")

MAX_MOVE_S = 0.05  # seconds that a boundary is moved, at most

# Phones that end and begin alike.
PHONE_CLASSES = (
    (PAUSE,),
    ("P", "T", "K", "B", "D", "G", "CH", "JH"),
    ("F", "TH", "S", "SH", "HH", "V", "DH", "Z", "ZH"),
    ("M", "N", "NG"),
    ("L", "R", "W", "Y"),
)
VOWEL_CLASS = len(PHONE_CLASSES)
_CLASS = {symbol: k for k, symbols in enumerate(PHONE_CLASSES) for symbol in symbols}

AROUND_FRAMES = 8  # frames of 10 ms on either side that are looked at
LIKENESS_FLOOR_NATS = -8.0  # nats below the likeliest phone; less is no worse
CHANGE_WEIGHT_FRAMES = 6  # frames of 5 ms on either side in which the spectrum's change is weighed
LEVEL_FRAMES = 4  # frames of 5 ms on either side whose level is taken
MIN_LENGTH_S, MAX_LENGTH_S = 0.01, 0.2  # seconds of a phone; beyond, its length says no more
_OTHERS = 3 + 2 + 4 + 1 + 4 * (VOWEL_CLASS + 1)
SURROUNDINGS = _OTHERS + 2 * 5 * (2 * AROUND_FRAMES + 1) + 2 * len(INDEX)
SPREAD_REACH_FRAMES = 6  # frames on either side that are looked at
# Seconds within which two of three boundaries are, for a boundary that is decided at once, and for
# each second over which it is not.
INSIDE_S = (0.004, 0.23)
START_SPREADS_S = {
    "stop": (0.052, 0.04),
    "fricative": (0.024, 0.2),
    "other": INSIDE_S,
}  # after a pause
END_SPREADS_S = {"stop": (0.015, 0.5), "fricative": (0.03, 0.2), "other": (0.0, 0.76)}  # before one
# Of the length of a consonant that two words share, in which nothing says where.
SHARED_CONSONANT = 0.4
# So many times as much, inside a word and between two: beside l, r, w and y nothing changes at
# once, and a vowel is clear. Fitted to the labels by hand of the voices for that
# (evaluation.hearing.hand_labels), for the few of them nearer to 1.
GLIDING = (1.2, 1.8)
INTO_VOWEL, OUT_OF_VOWEL = 0.89, 0.71  # inside a word
CONSONANT = 0.9  # a word that begins with one
ONSET_S = 0.013  # at least, of a word that begins with a vowel: a glottal stop may go before it


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The inner boundaries of n phones and pauses, named by ``symbols``, in seconds.

    times (n - 1,): at the spectral change. found (n - 1,): where the network found them.
    """

    symbols: Sequence[str]
    times: np.ndarray
    found: np.ndarray
    duration: float


def correct(
    boundaries: Boundaries,
    frames: np.ndarray,
    scores: np.ndarray,
    second: np.ndarray,
) -> np.ndarray:
    """Return the boundaries' times, moved by at most `MAX_MOVE_S`, seconds, (n - 1,).

    ``frames`` (K, BANDS) and log posteriors ``scores`` (T, 40) of alignment.network.phone_network;
    ``second`` (T, 40): the larger network's.
    """
    if not len(boundaries.times):
        return boundaries.times
    known = surroundings(boundaries, frames, scores, second)
    return boundaries.times + moves(known, load_weights(BOUNDARY_WEIGHTS))


def moves(known: np.ndarray, weights: Weights) -> np.ndarray:
    """Return each boundary's move in seconds, (m,), from its `surroundings`, at most MAX_MOVE_S."""
    for layer in ("first", "second"):
        known = np.maximum(known @ weights[f"{layer}.weight"].T + weights[f"{layer}.bias"], 0.0)
    moved = known @ weights["last.weight"].T + weights["last.bias"]
    return np.clip(moved[:, 0] * MAX_MOVE_S, -MAX_MOVE_S, MAX_MOVE_S)


def surroundings(
    boundaries: Boundaries,
    frames: np.ndarray,
    scores: np.ndarray,
    second: np.ndarray,
) -> np.ndarray:
    """Return the features of each boundary, (n - 1, SURROUNDINGS), each value of about -2 to 2."""
    times, symbols = boundaries.times, boundaries.symbols
    # Twice: the weights were shaped for a first aligner's boundaries as well.
    crossings = boundaries.found
    others = np.stack([crossings, crossings, changes(frames, times, CHANGE_WEIGHT_FRAMES)], axis=1)
    apart = np.clip((others - times[:, None]) / MAX_MOVE_S, -1.0, 1.0)
    columns = [
        apart,
        _levels(frames, times),
        _lengths(times, boundaries.duration),
        _likeness(scores, times, symbols),
        _likeness(second, times, symbols),
        _phones(symbols),
        np.full((len(times), 1), information(scores)),
        _classes(symbols),
    ]
    return np.concatenate(columns, axis=1).astype(np.float32)


def changes(frames: np.ndarray, times: np.ndarray, reach: int) -> np.ndarray:
    """Return the centre of mass of the spectral change around each time, seconds, (m,).

    The change is taken over 20 ms within ``reach`` frames of 5 ms around times (m,); frames (K, B).
    """
    half = 2
    padded = np.pad(frames, ((half, half), (0, 0)), mode="edge")
    change = np.linalg.norm(padded[2 * half :] - padded[: len(frames)], axis=1)
    seconds = HOP_SAMPLES / SAMPLE_RATE_HZ
    places = np.round(times / seconds).astype(int)[:, None]
    places = np.clip(places + np.arange(-reach, reach + 1), 0, len(frames) - 1)
    weight = change[places]
    weight = weight - weight.min(axis=1, keepdims=True) + 1e-9
    return (weight * places).sum(axis=1) / weight.sum(axis=1) * seconds


def _levels(frames: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return the mean log energy just before and just after each time, (m, 2)."""
    level = frames.mean(axis=1)
    places = np.round(times * SAMPLE_RATE_HZ / HOP_SAMPLES).astype(int)[:, None]
    steps = np.arange(1, LEVEL_FRAMES + 1)
    last = len(level) - 1
    before, after = (level[np.clip(places + s, 0, last)].mean(axis=1) for s in (-steps, steps))
    return np.stack([before, after], axis=1)


def _lengths(times: np.ndarray, duration: float) -> np.ndarray:
    """Return the log lengths of two phones before and two after, (m, 4); ends count as short."""
    edges = np.concatenate([[0.0], times, [duration]])
    lengths = np.log(np.clip(np.diff(edges), MIN_LENGTH_S, MAX_LENGTH_S) / MIN_LENGTH_S)
    padded = np.pad(lengths, 1)
    return np.stack([padded[k : k + len(times)] for k in range(4)], axis=1) - 1.5


def _likeness(scores: np.ndarray, times: np.ndarray, symbols: Sequence[str]) -> np.ndarray:
    """Return the scores around each boundary, (m, 5 * (2 * AROUND_FRAMES + 1)).

    These are the scores of two phones on either side, at the boundary and up to `AROUND_FRAMES`
    from it, between frames by a straight line; and the difference of the two that meet.
    """
    below, count = _below_best(scores), len(times)
    places = times[:, None] / FRAME_S + np.arange(-AROUND_FRAMES, AROUND_FRAMES + 1)
    places = np.clip(places, 0, len(below) - 1)
    before = np.floor(places).astype(int)
    after, share = np.minimum(before + 1, len(below) - 1), places - before
    padded = np.pad(_indices(symbols), 1)  # a pause beyond the ends
    phones = [padded[k : k + count, None] for k in range(4)]
    near = [below[before, k] * (1 - share) + below[after, k] * share for k in phones]
    return np.concatenate([*near, near[1] - near[2]], axis=1)


def _below_best(scores: np.ndarray) -> np.ndarray:
    return np.maximum(scores - scores.max(axis=1, keepdims=True), LIKENESS_FLOOR_NATS) / 4.0


def _indices(symbols: Sequence[str]) -> np.ndarray:
    return np.array([INDEX[strip_stress(symbol)] for symbol in symbols])


def _phones(symbols: Sequence[str]) -> np.ndarray:
    """Return the two phones that meet, one-hot, (m, 2 * 40)."""
    one_hot = np.eye(len(INDEX))[_indices(symbols)]
    return np.concatenate([one_hot[:-1], one_hot[1:]], axis=1)


def _classes(symbols: Sequence[str]) -> np.ndarray:
    """Return the classes of the phones, one-hot: second left, left, right, second right."""
    kinds = [_CLASS.get(strip_stress(symbol), VOWEL_CLASS) for symbol in symbols]
    padded = np.array([0, *kinds, 0])
    one_hot = np.eye(VOWEL_CLASS + 1)
    count = len(kinds) - 1
    return np.concatenate([one_hot[padded[k : k + count]] for k in range(4)], axis=1)


def undecided(alignment: Alignment, posteriors: np.ndarray) -> np.ndarray:
    """Return the seconds around each inner boundary in which either phone could be, (n - 1,).

    `posteriors`: log, (T, 40), of alignment.network, of the same recording.
    """
    phones = alignment.phones
    symbols = np.array([INDEX[strip_stress(phone.symbol)] for phone in phones])
    times = np.array([phone.end for phone in phones[:-1]])
    places = np.floor(times / FRAME_S).astype(int)[:, None]
    places = places + np.arange(1 - SPREAD_REACH_FRAMES, SPREAD_REACH_FRAMES + 1)
    inside = (places >= 0) & (places < len(posteriors))
    near = np.clip(places, 0, len(posteriors) - 1)
    apart = posteriors[near, symbols[:-1, None]] - posteriors[near, symbols[1:, None]]
    likelier = 1 / (1 + np.exp(-np.clip(apart, -50, 50)))
    return np.asarray((4 * likelier * (1 - likelier) * inside).sum(axis=1) * FRAME_S)


def spreads(alignment: Alignment, posteriors: np.ndarray) -> np.ndarray:
    """Return the seconds, (n - 1,), by which two of three inner boundaries are off at most."""
    lengths = undecided(alignment, posteriors).tolist()
    phones = alignment.phones
    first = _word_starts(alignment.words)
    return np.array(
        [
            _spread(phones[k], phones[k + 1], k + 1 in first, length)
            for k, length in enumerate(lengths)
        ]
    )


def _spread(left: Phone, right: Phone, between_words: bool, undecided: float) -> float:
    """Return the spread of one boundary, seconds."""
    least, each = INSIDE_S
    if PAUSE in (left.symbol, right.symbol):
        beside = START_SPREADS_S if left.symbol == PAUSE else END_SPREADS_S
        least, each = beside[_kind(right.symbol if left.symbol == PAUSE else left.symbol)]
    spread = max(least + each * undecided, INSIDE_S[0])
    if PAUSE in (left.symbol, right.symbol):
        return spread
    spread *= _scale(left.symbol, right.symbol, between_words)
    if not between_words:
        return spread
    if left.symbol == right.symbol:
        return max(spread, SHARED_CONSONANT * (left.duration + right.duration))
    return max(spread, ONSET_S) if _is_vowel(right.symbol) else spread


def _scale(left: str, right: str, between_words: bool) -> float:
    """Return the spread between two phones as a multiple of what `INSIDE_S` gives."""
    if {left, right} & set(PHONE_CLASSES[4]):
        return GLIDING[between_words]
    if between_words:
        return 1.0 if _is_vowel(right) else CONSONANT
    if _is_vowel(left) == _is_vowel(right):
        return 1.0
    return OUT_OF_VOWEL if _is_vowel(left) else INTO_VOWEL


def _is_vowel(symbol: str) -> bool:
    return symbol[-1].isdigit()


def _kind(symbol: str) -> str:
    """Return the sort of sound that a word begins or ends with."""
    return (
        "stop"
        if symbol in PHONE_CLASSES[1]
        else "fricative"
        if symbol in PHONE_CLASSES[2]
        else "other"
    )


def _word_starts(words: Sequence[Word]) -> set[int]:
    """Return the numbers of the phones with which words and pauses begin."""
    return set(np.cumsum([len(word.phones) for word in words]).tolist())


def with_spreads(alignment: Alignment, posteriors: np.ndarray) -> Alignment:
    """Return the alignment with the ``spread`` of each phone but the last."""
    values = iter([*spreads(alignment, posteriors).round(4).tolist(), 0.0])

    def spread(word: Word) -> Word:
        phones = tuple(replace(phone, spread=next(values)) for phone in word.phones)
        return replace(word, phones=phones)

    return replace(alignment, words=tuple(spread(word) for word in alignment.words))
