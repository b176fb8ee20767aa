"""PocketSphinx as aligner, on a real sentence: order, clock, level, repetition, refusals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment import Alignment, AlignmentError
from alignment.aligners.pocketsphinx import PocketSphinxAligner

Lookup = Callable[[Sequence[str]], Mapping[str, Sequence[Sequence[str]]]]
Check = Callable[[BaseException], None]
Speech = tuple[np.ndarray, int]

pytest.importorskip("pocketsphinx", reason="PocketSphinx is not installed")


@pytest.fixture(scope="module")
def aligned(speech: Speech, words: tuple[str, ...], lookup: Lookup) -> Alignment:
    return PocketSphinxAligner().align(*speech, words, lookup(words))


def covers(alignment: Alignment) -> None:
    """Words and phones lie end to end on [0, duration], each with a length."""
    for parts in (alignment.words, alignment.phones):
        edges = [part.start for part in parts] + [parts[-1].end]
        assert edges[0] == 0.0
        assert edges[-1] == alignment.duration
        assert [part.end for part in parts] == edges[1:]
        assert all(np.diff(edges) > 0)
    for word in alignment.words:
        assert (word.phones[0].start, word.phones[-1].end) == (word.start, word.end)
        assert 0 <= word.score <= 1
        assert all(0 <= phone.score <= 1 for phone in word.phones)


def edges(alignment: Alignment) -> np.ndarray:
    return np.array([phone.start for phone in alignment.phones])


def test_covers_the_recording(aligned: Alignment, speech: Speech) -> None:
    samples, rate = speech
    assert aligned.duration == len(samples) / rate
    covers(aligned)


def test_the_words_are_those_of_the_text(aligned: Alignment, words: tuple[str, ...]) -> None:
    assert tuple(word.text for word in aligned.spoken) == words
    assert all(word.score > 0.5 for word in aligned.spoken)
    assert aligned.score > 0.9


def test_phones_are_one_of_the_pronunciations(aligned: Alignment, lookup: Lookup) -> None:
    for word in aligned.spoken:
        assert [phone.symbol for phone in word.phones] in lookup([word.text])[word.text]


def test_the_pauses_are_where_it_is_quiet(aligned: Alignment, speech: Speech) -> None:
    samples, rate = speech

    def level(start: float, end: float) -> float:
        return float(np.sqrt(np.mean(samples[round(start * rate) : round(end * rate)] ** 2)))

    quiet = [word for word in aligned.words if word.is_pause]
    spoken = [level(word.start, word.end) for word in aligned.spoken]
    assert len(quiet) >= 2
    assert max(level(word.start, word.end) for word in quiet) < 0.25 * float(np.median(spoken))


@pytest.mark.parametrize("rate", [24_000, 44_100, 48_000])
def test_times_are_on_the_recordings_clock(
    rate: int, aligned: Alignment, speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    resampled = soxr.resample(speech[0], speech[1], rate)
    other = PocketSphinxAligner().align(resampled, rate, words, lookup(words))
    covers(other)
    assert [p.symbol for p in other.phones] == [p.symbol for p in aligned.phones]
    moved = np.abs(edges(other) - edges(aligned))
    assert np.median(moved) <= 0.001
    assert np.quantile(moved, 0.9) <= 0.01
    assert moved.max() <= 0.03


def test_silence_put_before_moves_every_time(
    aligned: Alignment, speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    samples, rate = speech
    hiss = np.random.default_rng(1).normal(0, 1e-4, rate).astype(np.float32)
    later = PocketSphinxAligner().align(np.concatenate([hiss, samples]), rate, words, lookup(words))
    moved = [word.start - 1.0 for word in later.spoken]
    assert moved == pytest.approx([word.start for word in aligned.spoken], abs=0.0301)


@pytest.mark.parametrize("gain", [1 / 8, 8.0])
def test_level_changes_nothing(
    gain: float, aligned: Alignment, speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    samples, rate = speech
    assert PocketSphinxAligner().align(samples * gain, rate, words, lookup(words)) == aligned


def test_the_same_input_gives_the_same_result(
    aligned: Alignment, speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    aligner = PocketSphinxAligner()
    with pytest.raises(AlignmentError):
        aligner.align(speech[0], speech[1], ["degree"] * 40, lookup(["degree"]))
    assert aligner.align(*speech, words, lookup(words)) == aligned


def test_a_word_outside_the_packaged_dictionary(
    aligned: Alignment, speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    said = {**lookup(words), "zuperlatiffe": lookup(["superlative"])["superlative"]}
    renamed = ["zuperlatiffe" if word == "superlative" else word for word in words]
    result = PocketSphinxAligner().align(*speech, renamed, said)
    assert edges(result) == pytest.approx(edges(aligned))
    assert result.spoken[-2].text == "zuperlatiffe"


def test_the_pronunciation_that_was_spoken_is_chosen(
    speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    said = dict(lookup(words))
    said["see"] = [["M", "AW1", "N"], ["S", "IY1"], ["S", "IY2"]]
    result = PocketSphinxAligner().align(*speech, words, said)
    assert [phone.symbol for phone in result.spoken[5].phones] == ["S", "IY1"]


def test_a_wrong_word_is_doubted(speech: Speech, words: tuple[str, ...], lookup: Lookup) -> None:
    wrong = [*words[:9], "mountain", "degree"]
    result = PocketSphinxAligner().align(*speech, wrong, lookup(wrong), check=False)
    scores = [word.score for word in result.spoken]
    # Sound is taken from its neighbours and given to them, so they are doubted with it; the others
    # are not.
    assert scores[9] < 0.5
    assert min(scores[:7]) > 0.5


@pytest.mark.parametrize(
    "text",
    [
        "the quick brown fox jumps over a lazy dog near the river bank",
        "monday",
        "superlative degree and mountains fall on empty houses while nobody there remembers",
    ],
)
def test_another_text_is_refused_naming_words(
    text: str, speech: Speech, lookup: Lookup, one_sentence: Check
) -> None:
    wrong = text.split()
    with pytest.raises(AlignmentError) as caught:
        PocketSphinxAligner().align(*speech, wrong, lookup(wrong))
    one_sentence(caught.value)
    assert caught.value.doubtful
    assert f'"{wrong[caught.value.doubtful[0]]}"' in str(caught.value)


SECOND = np.arange(16_000) / 16_000
CHORD = sum(0.1 * np.sin(2 * np.pi * f * SECOND) for f in (220, 277.2, 329.6, 440, 880))
BAD = {
    "empty": np.zeros(0),
    "short": np.ones(500),
    "silent": np.zeros(16_000),
    "nan": np.where(SECOND < 0.5, 0.1, np.nan),
    "infinite": np.where(SECOND < 0.5, 0.1, np.inf),
    "constant": np.full(16_000, 0.5),
    "stereo": np.zeros((16_000, 2)),
    "noise": np.random.default_rng(0).normal(0, 0.1, 32_000),
    "music": np.tile(CHORD * np.exp(-6 * (SECOND % 0.25)), 3),
    "clicks": np.where(np.arange(32_000) % 4_000 == 0, 0.9, 0.0),
}


@pytest.mark.parametrize("kind", BAD)
def test_non_speech_is_refused_in_one_sentence(
    kind: str, words: tuple[str, ...], lookup: Lookup, one_sentence: Check
) -> None:
    with pytest.raises(AlignmentError) as caught:
        PocketSphinxAligner().align(BAD[kind], 16_000, words, lookup(words))
    one_sentence(caught.value)


def test_a_low_rate_is_refused(speech: Speech, one_sentence: Check) -> None:
    with pytest.raises(AlignmentError, match="8000 Hz") as caught:
        PocketSphinxAligner().align(speech[0], 8_000, ["it"], {"it": [["IH1", "T"]]})
    one_sentence(caught.value)


@pytest.mark.parametrize(
    ("text", "said", "named"),
    [
        ([], {}, "no words"),
        (["it"], {}, '"it"'),
        (["it"], {"it": [[]]}, '"it"'),
        (["it"], {"it": [["ih", "t"]]}, '"it"'),
        (["it"], {"it": [["I", "T"]]}, "I"),
    ],
)
def test_unpronounceable_words_are_refused(
    text: list[str],
    said: dict[str, list[list[str]]],
    named: str,
    speech: Speech,
    one_sentence: Check,
) -> None:
    with pytest.raises(AlignmentError, match=named) as caught:
        PocketSphinxAligner().align(*speech, text, said)
    one_sentence(caught.value)


def test_far_more_words_than_the_recording_holds(
    speech: Speech, lookup: Lookup, one_sentence: Check
) -> None:
    many = ["superlative", "degree"] * 1000
    with pytest.raises(AlignmentError) as caught:
        PocketSphinxAligner().align(*speech, many, lookup(many))
    one_sentence(caught.value)


def test_clipping_and_an_offset_are_borne(
    aligned: Alignment, speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    samples, rate = speech
    clipped = np.clip(samples * 4 / np.abs(samples).max() + 0.2, -1, 1)
    result = PocketSphinxAligner().align(clipped, rate, words, lookup(words))
    assert np.median(np.abs(edges(result) - edges(aligned))) < 0.02


@st.composite
def sounds(draw: st.DrawFn) -> tuple[str, float, int, float]:
    kind = draw(st.sampled_from(["speech", "noise", "tone", "step", "impulse", "nan", "mixed"]))
    gain = draw(st.sampled_from([1e-9, 1e-4, 0.3, 1.0, 100.0]))
    return kind, draw(st.floats(0.0, 0.8)), draw(st.integers(0, 40_000)), gain


def sound(speech: np.ndarray, kind: str, seconds: float, start: int, gain: float) -> np.ndarray:
    n = round(seconds * 16_000)
    part = np.resize(speech[start : start + n], n) if n else np.zeros(0)
    time = np.arange(n) / 16_000
    noise = np.random.default_rng(start).normal(0, 0.1, n)
    made = {
        "speech": part,
        "noise": noise,
        "tone": np.sin(2 * np.pi * (80 + start / 10) * time),
        "step": np.where(time > seconds / 2, 0.5, -0.5),
        "impulse": np.where(np.arange(n) == n // 2, 1.0, 0.0),
        "nan": np.where(np.arange(n) == n // 2, np.nan, part),
        "mixed": part + noise,
    }
    return made[kind] * gain


@settings(derandomize=True, max_examples=25)
@given(
    sounds(),
    st.lists(
        st.sampled_from(["and", "you", "superlative", "a", "", "ß", "w0", "<s>", "(2)"]), max_size=6
    ),
    st.sampled_from([15_999, 16_000, 22_050, 48_000]),
)
def test_anything_gives_an_alignment_or_one_sentence(
    speech: Speech,
    lookup: Lookup,
    one_sentence: Check,
    what: tuple[str, float, int, float],
    text: list[str],
    rate: int,
) -> None:
    said = {**lookup(["and", "you", "superlative", "a"]), "ß": [["S"]], "<s>": [["S", "IY1"]]}
    said |= {"w0": [["W", "AA1"]], "(2)": [["T", "UW1"]], "": [["AH0"]]}
    samples = sound(speech[0], *what)
    try:
        result = PocketSphinxAligner().align(samples, rate, text, said)
    except AlignmentError as error:
        one_sentence(error)
    else:
        covers(result)
        assert result.score >= 0.5
