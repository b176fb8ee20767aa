"""Rival scores: the advantage of the best alternative in a word's place."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from alignment import PAUSE, Alignment, Phone, Word
from alignment.confidence.rival_scores import (
    _BEST,
    _SUM,
    _as_written,
    _of_anything,
    _Place,
    _Ways,
    fit_of,
    summed_advantages,
)
from alignment.network.phone_network import (
    INDEX,
    SYMBOLS,
    features,
    sequence_scores,
)
from tests.alignment.conftest import Speech

FRAMES = 6
FEW = [INDEX[symbol] for symbol in (PAUSE, "S", "IY", "T")]
PLACE = _Place((INDEX["S"],), (INDEX["IY"],), (INDEX["T"],), 0, FRAMES)


def runs(path: tuple[int, ...]) -> list[int]:
    return [symbol for symbol, _ in itertools.groupby(path)]


def worth(path: tuple[int, ...], scores: np.ndarray) -> float:
    return float(sum(scores[t, symbol] for t, symbol in enumerate(path)))


@pytest.fixture(params=range(2))
def scores(request: pytest.FixtureRequest) -> np.ndarray:
    result = np.full((FRAMES, len(SYMBOLS)), -100.0)
    random = np.random.default_rng(request.param)
    result[:, FEW] = -random.exponential(2.0, (FRAMES, len(FEW)))
    return result


each_ways = pytest.mark.parametrize("ways", [_BEST, _SUM], ids=["best", "sum"])


@each_ways
def test_a_word_is_found_between_its_neighbours_with_or_without_pauses(
    scores: np.ndarray, ways: _Ways
) -> None:
    said = [INDEX["S"], INDEX["IY"], INDEX["T"]]
    paths = itertools.product(FEW, repeat=FRAMES)
    fitting = [path for path in paths if [s for s in runs(path) if s != FEW[0]] == said]
    # A pause stands between words, not before the first or after the last.
    fitting = [path for path in fitting if FEW[0] not in (path[0], path[-1])]
    together = ways.both.reduce([worth(path, scores) for path in fitting])
    assert _as_written(scores, [PLACE], ways)[0] == pytest.approx(together)


@each_ways
def test_anything_may_stand_in_its_place(scores: np.ndarray, ways: _Ways) -> None:
    pairs = np.random.default_rng(1).normal(-2.0, 1.0, (len(SYMBOLS), len(SYMBOLS)))
    found: list[float] = []
    for path in itertools.product(FEW, repeat=FRAMES):
        for first, stop in itertools.combinations(range(1, FRAMES + 1), 2):
            if set(path[:first]) == {INDEX["S"]} and set(path[stop:]) == {INDEX["T"]}:
                phones = runs(path[first:stop])
                steps = itertools.pairwise([INDEX["S"], *phones, INDEX["T"]])
                found.append(worth(path, scores) + sum(pairs[a, b] for a, b in steps))
        if runs(path) == [INDEX["S"], INDEX["T"]]:
            found.append(worth(path, scores))
    together = ways.both.reduce(found)
    assert _of_anything(scores, [PLACE], pairs, ways)[0] == pytest.approx(together)


@each_ways
def test_places_do_not_disturb_each_other(scores: np.ndarray, ways: _Ways) -> None:
    pairs = np.full((len(SYMBOLS), len(SYMBOLS)), -2.0)
    short = replace(PLACE, before=(INDEX["T"], INDEX["IY"]), start=1, stop=FRAMES - 1)
    for search in (
        lambda s, places: _as_written(s, places, ways),
        lambda s, places: _of_anything(s, places, pairs, ways),
    ):
        both = search(scores, [PLACE, short])
        assert both == pytest.approx([search(scores, [each])[0] for each in (PLACE, short)])


def test_something_else_fits_better_than_a_wrong_word(aligned: Alignment, speech: Speech) -> None:
    heard = sequence_scores(features(speech[0]))
    right = summed_advantages(aligned, heard)
    assert right.shape == (len(aligned.spoken),)
    assert np.median(right) < 0
    place = max(range(len(aligned.spoken)), key=lambda k: aligned.spoken[k].duration)
    word = aligned.spoken[place]
    wrong = tuple(
        Phone("OY1" if phone.symbol[0] in "AEIOU" else "ZH", phone.start, phone.end)
        for phone in word.phones
    )
    words = tuple(
        Word(each.text, each.start, each.end, each.score, wrong) if each is word else each
        for each in aligned.words
    )
    changed = summed_advantages(Alignment(words, aligned.duration), heard)
    assert changed[place] > right[place] + 20
    far = [k for k in range(len(right)) if abs(k - place) > 3]
    assert changed[far] == pytest.approx(right[far])


def test_a_recording_without_words_has_none() -> None:
    silence = Alignment((), 1.0)
    assert summed_advantages(silence, np.zeros((101, len(SYMBOLS)))).shape == (0,)


def test_what_is_said_fits_better_than_other_words(aligned: Alignment, speech: Speech) -> None:
    heard = sequence_scores(features(speech[0]))
    said = [tuple(p.symbol.rstrip("012") for p in word.phones) for word in aligned.spoken]
    other = ("B", "OY", "Z")
    for k in range(len(said)):
        right, wrong, missing = fit_of(
            aligned, (k, k + 1), [[said[k], other], [other], [()]], heard
        )
        assert right > max(wrong, missing)
        assert fit_of(aligned, (k, k), [[()]], heard) > fit_of(aligned, (k, k), [[other]], heard)
