"""The small network and the search over its posteriors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from alignment import refinement
from alignment.phone_net import FRAME_SECONDS, INDEX, RATE, SYMBOLS, features, posteriors
from alignment.records import Alignment
from alignment.refinement import phone_ends, refined

Speech = tuple[np.ndarray, int]


def brute_force(scores: np.ndarray, indices: np.ndarray, guesses: np.ndarray) -> float:
    """The best sum over all ways to cut T frames into the phones, each boundary within reach."""
    frames, reach = len(scores), round(refinement.REACH / FRAME_SECONDS)
    best = -np.inf
    for cuts in itertools.combinations(range(1, frames), len(indices) - 1):
        if any(abs(cut - guess) > reach for cut, guess in zip(cuts, guesses, strict=True)):
            continue
        best = max(best, path_sum(scores, indices, cuts))
    return best


def path_sum(scores: np.ndarray, indices: np.ndarray, cuts: tuple[int, ...]) -> float:
    edges = [0, *cuts, len(scores)]
    return sum(
        float(scores[a:b, index].sum())
        for a, b, index in zip(edges, edges[1:], indices)  # noqa: B905
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_the_best_path(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refinement, "REACH", 0.03)
    monkeypatch.setattr(refinement, "LEAVING", 0.0)
    random = np.random.default_rng(seed)
    frames, phones = 14, 5
    scores = random.normal(size=(frames, len(SYMBOLS)))
    indices = random.integers(0, len(SYMBOLS), phones)
    guesses = np.sort(random.choice(np.arange(1, frames), phones - 1, replace=False))
    firsts = refinement._viterbi(scores, indices, guesses)
    assert firsts is not None
    best = brute_force(scores, indices, guesses)
    assert path_sum(scores, indices, tuple(firsts)) == pytest.approx(best)


def test_boundaries_go_where_the_posteriors_cross() -> None:
    position = np.arange(101) * FRAME_SECONDS
    scores = np.full((101, len(SYMBOLS)), -20.0)
    scores[:, INDEX["S"]] = -(position - 0.4234) * 1000
    scores[:, INDEX["IY"]] = (position - 0.4234) * 1000
    for guess, found in ((0.5, 0.4234), (0.3, 0.4234), (0.9, 0.9 - refinement.REACH)):
        ends = refinement._crossings(scores, ["S", "IY1"], np.array([guess, 1.0]))
        assert ends == pytest.approx([found], abs=1e-6 if found == 0.4234 else FRAME_SECONDS)


@pytest.mark.parametrize("place", [0.487, 0.5, 0.513])
def test_boundaries_move_to_where_the_spectrum_changes(place: float) -> None:
    time = np.arange(RATE) / RATE
    sound = np.where(time < place, np.sin(2000 * time), np.sin(12_000 * time))
    sound = sound + 1e-3 * np.random.default_rng(0).normal(size=RATE)
    assert refinement._to_change(features(sound), np.array([0.5])) == pytest.approx(place, abs=7e-3)


def test_too_many_phones_stay_where_they_are() -> None:
    ends = np.arange(1, 51) * 0.002
    assert phone_ends(np.ones(1600), ["AH0"] * 50, ends) == pytest.approx(ends)


def test_features_do_not_know_the_level(speech: Speech) -> None:
    samples = speech[0]
    assert features(samples * 8) == pytest.approx(features(samples), abs=1e-3)
    assert features(samples).shape == (801, 40)
    assert np.isfinite(features(np.zeros(1000, np.float32))).all()


def test_posteriors_are_probabilities_every_10_ms(speech: Speech) -> None:
    result = posteriors(features(speech[0]))
    assert result.shape == (401, len(SYMBOLS))
    assert np.exp(result).sum(axis=1) == pytest.approx(1.0, abs=1e-4)


def test_the_network_hears_silence_and_phones(speech: Speech, aligned: Alignment) -> None:
    heard = posteriors(features(speech[0])).argmax(axis=1)
    hits = total = 0
    for phone in aligned.phones:
        inside = slice(round(phone.start * 100) + 1, round(phone.end * 100) - 1)
        hits += int((heard[inside] == INDEX[phone.symbol.rstrip("012")]).sum())
        total += len(heard[inside])
    assert hits / total > 0.6


def test_a_moved_boundary_is_found_again(aligned: Alignment, speech: Speech) -> None:
    phones = aligned.phones
    ends = np.array([phone.end for phone in phones])
    pushed = ends.copy()
    pushed[10:-10] += 0.02
    found = phone_ends(speech[0], [phone.symbol for phone in phones], pushed)
    kept = phone_ends(speech[0], [phone.symbol for phone in phones], ends)
    assert np.median(np.abs(found - kept)[10:-10]) < 0.01


def test_what_is_refined_still_covers_the_recording(aligned: Alignment, speech: Speech) -> None:
    result = refined(aligned, speech[0])
    ends = [phone.end for phone in result.phones]
    assert [phone.start for phone in result.phones] == [0.0, *ends[:-1]]
    assert ends[-1] == aligned.duration
    assert all(np.diff(ends) > 0)
    assert [w.text for w in result.words] == [w.text for w in aligned.words]


def test_the_torch_network_is_the_numpy_one() -> None:
    import torch

    from alignment.phone_training import network, weights_of

    torch.manual_seed(0)
    model = network().eval()
    frames = np.random.default_rng(0).normal(size=(60, 40)).astype(np.float32)
    with torch.no_grad():
        logits = model(torch.from_numpy(frames)[None])[0]
    expected = torch.log_softmax(logits, dim=-1).numpy()
    assert posteriors(frames, weights_of(model)) == pytest.approx(expected, abs=1e-4)
