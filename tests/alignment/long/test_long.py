"""Long recordings: rough search, division into pieces, and joining."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment import PAUSE, Alignment, AlignmentError, Phone, Word
from alignment.aligner import InMemory
from alignment.aligners import network_aligner
from alignment.aligners.network_aligner import NetworkAligner
from alignment.long import whole as long_recordings
from alignment.long.pieces import (
    ELSEWHERE,
    SEARCH_FLOOR_NATS,
    SEARCH_FRAME_S,
    Anchors,
    _path,
    _Text,
    find_anchors,
    pieces,
)
from alignment.long.whole import align_long, doubtful_runs
from alignment.network.phone_network import INDEX, SYMBOLS
from tests.alignment.conftest import Lookup, Speech

PHONES = SYMBOLS[1:]


def text(words: int, seed: int) -> list[list[str]]:
    """Words of two to seven phones."""
    draw = np.random.default_rng(seed)
    return [list(draw.choice(PHONES, draw.integers(2, 8))) for _ in range(words)]


def spoken(
    words: Sequence[Sequence[str]], seed: int, numbers: Sequence[int]
) -> tuple[list[np.ndarray], list[int]]:
    """Log posteriors below the best of someone who says the words, and each frame's number; one
    frame in five is heard as another phone, and every seventh word ends with a pause."""
    draw = np.random.default_rng(seed)
    frames: list[np.ndarray] = []
    owners: list[int] = []
    for number, word in zip(numbers, words, strict=True):
        symbols = [*word, PAUSE] if number % 7 == 6 else word
        for symbol in symbols:
            for _ in range(draw.integers(3, 8) if symbol != PAUSE else 20):
                frame = np.full(len(SYMBOLS), SEARCH_FLOOR_NATS) + draw.uniform(0, 3, len(SYMBOLS))
                heard = symbol if draw.random() > 0.2 else draw.choice(PHONES)
                frame[INDEX[symbol]] = -1.5
                frame[INDEX[heard]] = 0.0
                frames.append(frame)
                owners.append(number)
    return frames, owners


def way(frames: Sequence[np.ndarray], words: Sequence[Sequence[str]]) -> np.ndarray:
    """The word of each frame."""
    parts = _Text.of(words)
    path = _path(np.array(frames, dtype=np.float16), parts)
    return np.where(path < 0, ELSEWHERE, parts.words[path])


def agreement(found: np.ndarray, owners: Sequence[int]) -> float:
    """Share of frames whose word is the right one, or a neighbour (pauses belong to either)."""
    truth = np.array(owners)
    right = np.where(truth == ELSEWHERE, found == truth, np.abs(found - truth) <= 1)
    return float(right.mean())


def test_the_text_is_followed_beyond_the_settled_part() -> None:
    words = text(700, 0)
    frames, owners = spoken(words, 1, range(700))
    assert len(frames) > 9000  # a minute is settled at a time
    assert agreement(way(frames, words), owners) > 0.99


@pytest.mark.parametrize(("left_out", "put_in"), [(0, 60), (60, 0), (60, 60)])
def test_a_wrong_paragraph_leaves_the_rest_aligned(left_out: int, put_in: int) -> None:
    words, others = text(300, 2), text(60, 3)
    before, a = spoken(words[:120], 4, range(120))
    within, _ = spoken(others[:put_in], 5, range(put_in))
    first = 120 + left_out
    after, b = spoken(words[first:], 6, range(first, 300))
    found = way([*before, *within, *after], words)
    edges = len(before), len(before) + len(within)
    assert agreement(found[: edges[0] - 50], a[:-50]) > 0.98
    assert agreement(found[edges[1] + 50 :], b[50:]) > 0.98
    if put_in:
        assert (found[edges[0] : edges[1]] == ELSEWHERE).mean() > 0.9


@st.composite
def ways(draw: st.DrawFn) -> tuple[Anchors, int]:
    """Any way forward through a text."""
    words = draw(st.integers(1, 60))
    runs = draw(
        st.lists(
            st.tuples(st.integers(0, 12), st.sampled_from("spp-w"), st.integers(1, 900)),
            min_size=1,
            max_size=12,
        )
    )
    found: list[int] = []
    quiet: list[bool] = []
    word = 0
    for ahead, kind, frames in runs:
        word = min(word + ahead, words - 1)
        found += [ELSEWHERE if kind == "-" else word] * frames
        quiet += [kind == "p"] * frames
    below = np.where(np.array(found) < 0, -1.2, -0.3 * draw(st.integers(0, 9)))
    return Anchors(np.array(found), np.array(quiet), below), words


@settings(derandomize=True)
@given(ways())
def test_pieces_cover_the_recording_and_the_text(case: tuple[Anchors, int]) -> None:
    anchors, words = case
    parts = pieces(anchors, words)
    assert (parts[0].start, parts[-1].stop) == (0, len(anchors.words))
    assert (parts[0].first, parts[-1].end) == (0, words)
    for part in parts:
        assert part.stop > part.start
        assert part.end >= part.first
    for one, two in zip(parts, parts[1:], strict=False):
        assert (one.stop, one.end) == (two.start, two.first)


def evenly(
    samples: np.ndarray,
    rate: int,
    words: Sequence[str],
    said: Mapping[str, Sequence[Sequence[str]]],
) -> Alignment:
    """Stands in for an aligner: words side by side. A sample of 1 is an accident, of 0.5 doubt."""
    if samples.max() >= 1.0:
        raise AlignmentError("This piece can't be aligned at all, so it is refused.")
    duration = len(samples) / rate
    edges = np.linspace(0, duration, len(words) + 1).tolist()
    score = 0.2 if samples.max() >= 0.5 else 0.9
    return Alignment(
        tuple(
            Word(word, a, b, 0.9, (Phone(said[word][0][0], a, b, 0.9),))
            for word, a, b in zip(words, edges, edges[1:], strict=False)
        ),
        duration,
        score,
    )


@pytest.fixture
def minutes(monkeypatch: pytest.MonkeyPatch) -> tuple[InMemory, list[str]]:
    """100 s at 16 kHz, a word and a pause each second, and anchors that say so."""
    rate, seconds = 16_000, 100
    frames = round(seconds / SEARCH_FRAME_S)
    places = np.arange(frames) * SEARCH_FRAME_S
    words = np.minimum((places + 0.2).astype(int), seconds - 1)
    quiet = (places % 1.0 >= 0.8) & (places < seconds - 1)
    anchors = Anchors(words, quiet, np.full(frames, -0.2))
    monkeypatch.setattr(long_recordings, "find_anchors", lambda *_: anchors)
    return InMemory(np.zeros(rate * seconds, np.float32), rate), [f"w{k}" for k in range(seconds)]


@pytest.mark.parametrize("level", [0.0, 0.5, 1.0])
def test_a_failing_piece_is_named_and_the_rest_aligned(
    level: float, minutes: tuple[InMemory, list[str]]
) -> None:
    recording, words = minutes
    recording.data[55 * 16_000] = level
    result = align_long(evenly, recording, words, {word: [["T"]] for word in words})
    assert [word.text for word in result.spoken] == words
    assert result.words[0].start == 0.0
    assert result.words[-1].end == result.duration == 100.0
    assert [word.start for word in result.words[1:]] == [word.end for word in result.words[:-1]]
    assert all(phone.duration > 0 for phone in result.phones)
    named = doubtful_runs(result)
    if level == 0.0:
        assert named == []
        assert result.score > 0.5
        return
    [(first, end)] = named
    assert first <= 54 <= end
    assert end - first < 30
    assert all(word.score >= 0.5 for word in [*result.spoken[:first], *result.spoken[end:]])
    for place, word in enumerate([*result.spoken[:first], *result.spoken[end:]]):
        expected = place if place < first else place + end - first
        assert word.start == pytest.approx(expected, abs=1.0)


def test_a_recording_that_counts_as_long(
    speech: Speech,
    aligned: Alignment,
    words: tuple[str, ...],
    lookup: Lookup,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(network_aligner, "LONG_S", 15.0)
    samples, rate = speech
    repeats = int(network_aligner.LONG_S / aligned.duration) + 1
    wrong = "mountains fall on empty houses while nobody there remembers anything now".split()
    said = {**lookup(words), **lookup(wrong)}
    assert set(said) >= {*words, *wrong}
    text = [word for k in range(repeats) for word in (wrong if k == 2 else words)]
    result = NetworkAligner().align(np.tile(samples, repeats), rate, text, said)
    assert [word.text for word in result.spoken] == text
    assert result.words[-1].end == result.duration
    [(first, end)] = doubtful_runs(result)
    assert abs(first - 2 * len(words)) <= 1
    assert abs(end - 3 * len(words)) <= 1
    away = [
        word.start - (k // len(words)) * aligned.duration - aligned.spoken[k % len(words)].start
        for k, word in enumerate(result.spoken)
        if not first <= k < end
    ]
    assert np.mean(np.abs(away) < 0.05) > 0.95
    other = (wrong * 20)[: len(text)]
    with pytest.raises(AlignmentError):
        NetworkAligner().align(np.tile(samples, repeats), rate, other, said)


@pytest.mark.parametrize("level", [0.0, 1e-4])
def test_words_are_found_beyond_a_long_silence(
    speech: Speech, words: tuple[str, ...], lookup: Lookup, level: float
) -> None:
    """In a silence alone the network hears whatever it likes."""
    samples, rate = speech
    silence = np.random.default_rng(1).normal(0, level, 80 * rate).astype(samples.dtype)
    whole = np.concatenate([samples, silence, samples])
    known = lookup(words)
    twice = [*words, *words]
    anchors = find_anchors(InMemory(whole, rate), [known[word][0] for word in twice])
    assert len(anchors.words) == len(anchors.quiet) == len(anchors.below)
    found = pieces(anchors, len(twice))
    assert [(piece.first, piece.end) for piece in found if piece.words] == [
        (0, len(words)), (len(words), len(twice)),
    ]  # fmt: skip
    assert all(piece.seconds < 2 * len(samples) / rate + 4 for piece in found if piece.words)
    assert not any(piece.foreign for piece in found)
