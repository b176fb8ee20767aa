"""The small network, and the search over its posteriors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from alignment import Alignment, Phone, Word
from alignment.aligners import refinement
from alignment.aligners.refinement import Acoustics, align_by_network, refine
from alignment.network.phone_network import (
    FRAME_SECONDS,
    INDEX,
    SMALL_WEIGHTS,
    SYMBOLS,
    features,
    load_weights,
    posteriors,
)
from alignment.network.search import LOST, best_path

Speech = tuple[np.ndarray, int]


def small(samples: np.ndarray) -> Acoustics:
    """As the network hears it that PocketSphinx is refined by."""
    return Acoustics.of(samples, load_weights(SMALL_WEIGHTS))


def paths(frames: int, optional: np.ndarray) -> Iterator[tuple[int, ...]]:
    """All ways through the states, each state a frame or more, optional ones or not."""
    states = range(len(optional))
    for kept in itertools.product(*[(True, False) if optional[k] else (True,) for k in states]):
        visited = [k for k in states if kept[k]]
        # No two states that can be left out stand side by side.
        for cuts in itertools.combinations(range(1, frames), len(visited) - 1):
            edges = [0, *cuts, frames]
            spans = zip(visited, edges, edges[1:], strict=False)
            yield tuple(k for k, a, b in spans for _ in range(a, b))


def value(
    path: tuple[int, ...],
    scores: np.ndarray,
    indices: np.ndarray,
    guesses: np.ndarray,
    reach: int,
    leaving: float,
) -> float:
    total = sum(float(scores[t, indices[k]]) for t, k in enumerate(path))
    for t in range(1, len(path)):
        if path[t] != path[t - 1]:
            away = abs(t - int(guesses[path[t]]))
            if away > reach:
                return -np.inf
            total -= min(leaving * away, LOST)
    return total


@pytest.mark.parametrize(("leaving", "reach"), [(0.0, 9), (0.4, 9), (2.0, 9), (0.4, 5)])
@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_the_best_path(seed: int, leaving: float, reach: int) -> None:
    random = np.random.default_rng(seed)
    frames, states = 9, 6
    scores = random.normal(size=(frames, len(SYMBOLS)))
    indices = random.integers(0, len(SYMBOLS), states)
    optional = np.array([True, False, False, True, False, True])
    guesses = np.sort(random.integers(0, frames, states))
    path = best_path(scores, indices, guesses, optional, reach, leaving)
    assert path is not None
    measure = (scores, indices, guesses, reach, leaving)
    best = max(value(each, *measure) for each in paths(frames, optional))
    assert value(tuple(path), *measure) == pytest.approx(best)


def crossing_scores(place: float) -> np.ndarray:
    """Posteriors of "S" before and "IY" after `place`, every 10 ms of a second."""
    position = np.arange(101) * FRAME_SECONDS
    scores = np.full((101, len(SYMBOLS)), -2000.0)
    scores[:, INDEX["S"]] = -(position - place) * 1000
    scores[:, INDEX["IY"]] = (position - place) * 1000
    return scores


@pytest.mark.parametrize("guess", [0.1, 0.42, 0.9])
def test_boundaries_go_where_the_posteriors_cross(guess: float) -> None:
    edges = ((Phone("S", 0.0, guess), 0.0), (Phone("IY1", guess, 1.0), guess))
    states = [refinement._State(phone, start, False, True) for phone, start in edges]
    starts = refinement._starts(crossing_scores(0.4234), states)
    assert starts == pytest.approx([0.0, 0.4234])


def test_features_do_not_know_the_level(speech: Speech) -> None:
    samples = speech[0]
    assert features(samples * 8) == pytest.approx(features(samples), abs=1e-3)
    assert features(samples).shape == (801, 40)
    assert np.isfinite(features(np.zeros(1000, np.float32))).all()


def test_posteriors_are_probabilities_every_10_ms(speech: Speech) -> None:
    result = posteriors(features(speech[0]))
    assert result.shape == (401, len(SYMBOLS))
    assert np.exp(result).sum(axis=1) == pytest.approx(1.0, abs=1e-4)


def test_the_network_distinguishes_silence_and_phones(speech: Speech, aligned: Alignment) -> None:
    heard = posteriors(features(speech[0])).argmax(axis=1)
    hits = total = 0
    for phone in aligned.phones:
        inside = slice(round(phone.start * 100) + 1, round(phone.end * 100) - 1)
        hits += int((heard[inside] == INDEX[phone.symbol.rstrip("012")]).sum())
        total += len(heard[inside])
    assert hits / total > 0.6


def test_a_refined_alignment_still_covers_the_recording(aligned: Alignment, speech: Speech) -> None:
    result = refine(aligned, small(speech[0]))
    ends = [phone.end for phone in result.phones]
    assert [phone.start for phone in result.phones] == [0.0, *ends[:-1]]
    assert ends[-1] == aligned.duration
    assert all(np.diff(ends) > 0)
    assert [w.text for w in result.spoken] == [w.text for w in aligned.spoken]


def test_a_pause_that_was_missed_is_found(aligned: Alignment, speech: Speech) -> None:
    samples, rate = speech
    cut = aligned.spoken[4].end
    place = round(cut * rate)
    quiet = np.random.default_rng(0).normal(0, 1e-4, rate // 2).astype(np.float32)
    longer = np.concatenate([samples[:place], quiet, samples[place:]])

    def later(time: float) -> float:
        return time if time < cut else time + 0.5

    words = []
    for word in aligned.words:
        phones = tuple(Phone(p.symbol, later(p.start), later(p.end - 1e-6)) for p in word.phones)
        # As an aligner would have it that gives the whole pause to the word after it.
        if word.start == cut:
            phones = (Phone(phones[0].symbol, cut, phones[0].end), *phones[1:])
        words.append(Word(word.text, phones[0].start, phones[-1].end, 1.0, phones))
    result = refine(Alignment(tuple(words), aligned.duration + 0.5), small(longer))
    middle = next(word for word in result.words if word.start <= cut + 0.25 < word.end)
    assert middle.is_pause
    assert middle.duration > 0.4
    assert [w.text for w in result.spoken] == [w.text for w in aligned.spoken]


def test_the_network_alone_agrees_with_both_together(aligned: Alignment, speech: Speech) -> None:
    words = aligned.spoken
    phones = [[phone.symbol for phone in word.phones] for word in words]
    sound = small(speech[0])
    alone = align_by_network([w.text for w in words], phones, aligned.duration, sound)
    assert alone is not None
    assert [w.start for w in alone.spoken] == pytest.approx([w.start for w in words], abs=0.08)
    assert alone.words[0].is_pause
    assert alone.words[-1].end == aligned.duration
    assert align_by_network(["a"] * 500, [["AH0"]] * 500, aligned.duration, sound) is None
