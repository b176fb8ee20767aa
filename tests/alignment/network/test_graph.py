"""The graph of pronunciations of a text, and the best path through it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment.network.graph import (
    FILLER,
    NOISE,
    NOTHING_UNWRITTEN,
    REPEAT,
    SILENCE,
    WORD,
    Costs,
    Graph,
    Visit,
)
from alignment.network.phone_network import INDEX, SYMBOLS

THE, MAN, RAN = [("DH", "AH0"), ("DH", "IY0")], [("M", "AE1", "N")], [("R", "AE1", "N")]
EACH = 8  # frames of a phone
STRANGE = ("S", "K", "OW", "CH", "Z", "UH")


def said(*symbols: str, sure: float = 0.97) -> np.ndarray:
    """Log posteriors, (T, 40), of phones that are each heard for EACH frames."""
    rest = np.log((1 - sure) / (len(SYMBOLS) - 1))
    scores = np.full((EACH * len(symbols), len(SYMBOLS)), rest)
    for place, symbol in enumerate(symbols):
        scores[EACH * place : EACH * (place + 1), INDEX[symbol]] = np.log(sure)
    return scores


def path(words: list[list[tuple[str, ...]]], *symbols: str) -> list[Visit]:
    found = Graph.of(words).best_path(said(*symbols))
    assert found is not None
    assert found[0].start == 0
    assert found[-1].stop == EACH * len(symbols)
    assert all(left.stop == right.start for left, right in pairwise(found))
    return found


def kinds(found: list[Visit]) -> list[tuple[int, str]]:
    names = (*SYMBOLS, "anything")
    return [(visit.state.kind, names[visit.state.symbol]) for visit in found]


def spoken(found: list[Visit]) -> list[tuple[int, str]]:
    """Each word's phones, without what is between words."""
    return [(v.state.word, SYMBOLS[v.state.symbol]) for v in found if v.state.kind == WORD]


def test_words_and_pauses_stand_where_they_are_heard() -> None:
    found = path([THE, MAN], "sp", "DH", "AH", "sp", "M", "AE", "N")
    assert kinds(found) == [
        (SILENCE, "sp"), (WORD, "DH"), (WORD, "AH"), (SILENCE, "sp"),
        (WORD, "M"), (WORD, "AE"), (WORD, "N"),
    ]  # fmt: skip
    assert [visit.start for visit in found] == [EACH * k for k in range(7)]


def test_the_spoken_pronunciation_is_chosen() -> None:
    for vowel, number in (("AH", 0), ("IY", 1)):
        found = path([THE, MAN], "DH", vowel, "M", "AE", "N")
        assert {v.state.pronunciation for v in found if v.state.word == 0} == {number}


@pytest.mark.parametrize(
    ("between", "kind"),
    [
        (("sp", "AH", "M", "sp"), FILLER),
        (("ER", "ER", "sp"), FILLER),
        (("sp", "ER", "M", "sp"), FILLER),
        (("sp", "EH", "sp"), FILLER),
        (("sp", "DH", "AH"), REPEAT),
        (("M", "AE", "sp"), REPEAT),
        (("sp", *STRANGE, "sp"), NOISE),
        (("sp", *STRANGE, *["sp"] * 4, *STRANGE, "M", "EH", "N", *STRANGE, "sp"), NOISE),
    ],
)
def test_unwritten_sound_is_named_and_moves_no_neighbour(
    between: tuple[str, ...], kind: int
) -> None:
    found = path([THE, MAN, RAN], "sp", "DH", "AH", *between, "M", "AE", "N", "R", "AE", "N")
    assert kind in {visit.state.kind for visit in found}
    assert spoken(found) == [
        (0, "DH"), (0, "AH"), (1, "M"), (1, "AE"), (1, "N"), (2, "R"), (2, "AE"), (2, "N"),
    ]  # fmt: skip
    ends = [visit.stop for visit in found if visit.state.kind == WORD and visit.state.word == 0]
    starts = [visit.start for visit in found if visit.state.kind == WORD and visit.state.word == 1]
    # A repetition of the first word can stand before or after the pause.
    if kind != REPEAT or between[0] != "sp":
        assert ends[-1] == 3 * EACH
        assert starts[0] == (3 + len(between)) * EACH


def test_a_word_said_twice_is_no_noise_when_both_are_said_strangely() -> None:
    """As where a dialect has other vowels: the first is the word, the second its repetition."""
    symbols = ("sp", "DH", "AH", "sp", "M", "AE", "N", "sp", "M", "AE", "N", "sp", "R", "AE", "N")
    scores = said(*symbols)
    for place in (5, 9):  # the vowel is hardly heard as the one that is written
        frames = slice(EACH * place, EACH * (place + 1))
        scores[frames] = said("EH")
        scores[frames, INDEX["AE"]] = -4.5
    found = Graph.of([THE, MAN, RAN]).best_path(scores)
    assert found is not None
    man = [visit for visit in found if visit.state.kind == WORD and visit.state.word == 1]
    assert [visit.start for visit in man] == [EACH * 4, EACH * 5, EACH * 6]
    assert NOISE not in {visit.state.kind for visit in found}
    assert REPEAT in {visit.state.kind for visit in found}


HELD = ("AA", "EH", "AA", "ER", "N")


def test_a_hesitation_may_waver_between_vowels_where_it_is_expected() -> None:
    scores = said("DH", "AH", "sp", *HELD, "sp", "M", "AE", "N", sure=0.6)
    dear = Costs(40.0, 40.0, 40.0, 40.0)
    cheap = dear._replace(held=2.0)
    for before, expected in ({}, False), ({1: cheap}, True), ({0: cheap}, False):
        found = Graph.of([THE, MAN], dear, before_words=before).best_path(scores)
        assert found is not None
        assert (FILLER in {visit.state.kind for visit in found}) is expected
        if expected:
            fillers = [visit for visit in found if visit.state.kind == FILLER]
            assert (fillers[0].start, fillers[-1].stop) == (3 * EACH, 8 * EACH)


def test_a_written_hesitation_has_any_vowel_for_its_own() -> None:
    um = [("AH1", "M")]
    scores = said("DH", "AH", "sp", "EH", "AA", "N", "sp", "M", "AE", "N", sure=0.6)
    found = Graph.of([THE, um, MAN], held={1}).best_path(scores)
    assert found is not None
    assert {visit.state.kind for visit in found} == {WORD, SILENCE}
    own = [visit for visit in found if visit.state.kind == WORD and visit.state.word == 1]
    assert (own[0].start, own[-1].stop, len(own)) == (3 * EACH, 6 * EACH, 2)


def test_what_touches_a_word_costs_more() -> None:
    """The same sound: with silence on both sides, and on one of them only."""
    costs = Costs(noise=22.0, joined=6.0)
    for after, expected in (("sp",), True), ((), False):
        scores = said("DH", "AH", "sp", "S", *after, "M", "AE", "N", sure=0.6)
        found = Graph.of([THE, MAN], costs).best_path(scores)
        assert found is not None
        assert (NOISE in {visit.state.kind for visit in found}) is expected


def test_nothing_is_inserted_where_the_text_matches() -> None:
    found = path([THE, MAN, RAN], "DH", "AH", "M", "AE", "N", "R", "AE", "N")
    assert {visit.state.kind for visit in found} == {WORD}


@pytest.mark.parametrize("shortest", [1, 2, 3])
def test_too_few_frames_have_no_path(shortest: int) -> None:
    graph = Graph.of([THE, MAN], shortest=shortest)
    enough = 5 * shortest
    assert graph.best_path(said("DH", "AH")[: enough - 1]) is None
    found = graph.best_path(said("DH", "AH")[:enough])
    assert found is not None
    assert {visit.stop - visit.start for visit in found} == {shortest}


def total(found: list[Visit], scores: np.ndarray) -> float:
    return float(sum(scores[v.start : v.stop, v.state.symbol].sum() for v in found))


@settings(derandomize=True)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(0, 9))
def test_no_way_to_say_it_is_likelier(seed: int, shortest: int, more: int) -> None:
    """Against every segmentation of the text into frames, with or without its pauses."""
    frames = 5 * shortest + more
    scores = np.log(np.random.default_rng(seed).dirichlet(np.ones(len(SYMBOLS)), frames))
    words = Graph.of([THE, MAN], NOTHING_UNWRITTEN, shortest)
    found = words.best_path(scores)
    assert found is not None
    best = -np.inf
    for vowel in ("AH", "IY"):
        for pauses in np.ndindex(2, 2, 2):
            symbols = ["sp"] * pauses[0] + [p for p in ("DH", vowel) for _ in range(shortest)]
            symbols += ["sp"] * pauses[1] + [p for p in ("M", "AE", "N") for _ in range(shortest)]
            symbols += ["sp"] * pauses[2]
            best = max(best, likeliest([INDEX[symbol] for symbol in symbols], scores))
    assert total(found, scores) == pytest.approx(best, rel=1e-5)


def likeliest(symbols: list[int], scores: np.ndarray) -> float:
    """The best total of these symbols in this order, each for a frame or more."""
    totals = np.full(len(symbols) + 1, -np.inf)
    totals[0] = 0.0
    for frame in scores:
        entered = np.maximum(totals[1:], totals[:-1]) + frame[symbols]
        totals = np.append(-np.inf, entered)
    return float(totals[-1])
