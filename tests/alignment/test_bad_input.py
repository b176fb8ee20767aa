"""Any input gives an alignment with honest scores, or one sentence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, AlignmentError
from alignment.aligners.network_aligner import NetworkAligner
from alignment.confidence.doubts import unwritten_speech
from tests.alignment.conftest import Check, Speech

SAID = "And you always want to see it in the superlative degree."


def align(samples: np.ndarray, rate: int, text: str, check: bool = True) -> Alignment:
    """As the editor does: the text normalised, its words looked up or guessed."""
    words = Transcript.from_text(text).spoken
    known = {word: Pronouncer().candidates(word) for word in words}
    return NetworkAligner().align(samples, rate, words, known, check)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "… — !?",
        "Привет, как дела?",
        "你好",
        "🙂",
        "a" * 500,
        "brrr pssst tsk hmm",
        "In the morning we walked through the forest and found an old hut.",
        " ".join(["hello", "world"] * 5000),
        f"{SAID} {SAID}",
    ],
    ids=lambda text: text[:12],
)
def test_texts_that_are_not_spoken_here(text: str, speech: Speech) -> None:
    with pytest.raises(InputError) as caught:
        align(*speech, text)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("kind", ["noise", "tone", "hum and clicks"])
def test_silence_is_reported_as_such(kind: str, speech: Speech) -> None:
    time = np.arange(48_000) / 16_000
    sound = {
        "noise": np.random.default_rng(1).normal(0, 0.1, len(time)),
        "tone": 0.3 * np.sin(2 * np.pi * 440 * time),
        "hum and clicks": 0.1 * np.sin(2 * np.pi * 50 * time) + (np.arange(48_000) % 16_000 == 0),
    }[kind]
    with pytest.raises(AlignmentError, match="no audible speech"):
        align(sound, 16_000, SAID)


def test_speech_played_backwards_is_refused(speech: Speech, one_sentence: Check) -> None:
    samples, rate = speech
    with pytest.raises(AlignmentError) as caught:
        align(samples[::-1], rate, SAID)
    one_sentence(caught.value)


def test_another_voice_over_it_is_borne_or_doubted(speech: Speech, aligned: Alignment) -> None:
    samples, rate = speech
    result = align(samples + np.roll(samples[::-1], rate), rate, SAID, check=False)
    for heard, clean in zip(result.spoken, aligned.spoken, strict=True):
        assert abs(heard.start - clean.start) < 0.1 or heard.score < 0.5 or result.score < 0.5


def test_speech_missing_from_the_text_is_named(speech: Speech, aligned: Alignment) -> None:
    assert not unwritten_speech(aligned)
    result = align(*speech, "And you always want", check=False)
    gap = unwritten_speech(result)[-1]
    assert gap.start < aligned.spoken[9].end
    assert gap.end > aligned.spoken[10].start
    assert gap.score < 0.5
    # Nothing of it is held against the words that are there.
    assert all(word.score > 0.5 for word in result.spoken[:3])


def anything(speech: Speech, text: str, start: int, samples: int, gain: float) -> None:
    """Aligns any text with a part of the recording."""
    part = speech[0][start : start + samples] * gain
    try:
        result = align(part, speech[1], text)
    except InputError as error:
        message = str(error)
        assert message.endswith(".")
        assert len(message) < 500
        assert "\n" not in message
    else:
        clock = 0.0
        for word in result.words:
            assert word.start == pytest.approx(clock, abs=1e-6)
            assert word.end > word.start
            assert 0.0 <= word.score <= 1.0
            clock = word.end
        assert clock == pytest.approx(len(part) / speech[1], abs=1e-6)
        assert result.score >= 0.5


TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(SAID.split()), max_size=30).map(" ".join),
    st.text(alphabet="bcdfghjklmnpqrstvwxz' ", max_size=40),
    st.text(alphabet="0123456789 $%.,:/@-", max_size=30),
)
PARTS = (TEXTS, st.integers(0, 60_000), st.integers(0, 12_000), st.sampled_from([1e-6, 0.1, 1, 90]))


@settings(derandomize=True, max_examples=20)
@given(*PARTS)
def test_any_text_with_any_part(
    speech: Speech, text: str, start: int, samples: int, gain: float
) -> None:
    anything(speech, text, start, samples, gain)
