"""Invented words are dropped; misheard ones stay, for correction."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.source.recognised_transcript import (
    PARTS,
    hardly_heard,
    parts_of,
    without_invented,
)
from a3t.source.records import FoundTranscript
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from alignment.aligner import InMemory
from alignment.recognition.whisper import Whisper
from tests.conftest import ARCTIC

RATE = 16_000


@pytest.fixture
def speech(arctic: Path) -> np.ndarray:
    return np.asarray(soundfile.read(arctic)[0])


def quiet(seconds: float, level: float = 0.002) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(round(seconds * RATE)) * level


def kept(text: str, samples: np.ndarray) -> str:
    heard = FoundTranscript(Transcript.from_text(text))
    return without_invented(heard, samples, RATE, Pronouncer()).transcript.text


@pytest.mark.parametrize("invented", ["Thank you for watching!", "Please subscribe."])
def test_what_is_invented_in_silence_goes(invented: str, speech: np.ndarray) -> None:
    assert kept(f"{ARCTIC} {invented}", np.concatenate([speech, quiet(3)])) == ARCTIC
    assert kept(f"{invented} {ARCTIC}", np.concatenate([quiet(3), speech])) == ARCTIC


def test_what_is_misheard_stays(speech: np.ndarray) -> None:
    others = [("superlative", "comparative"), ("degree", "house"), ("degree", "of")]
    for text in (ARCTIC, *(ARCTIC.replace(*other) for other in others)):
        assert kept(text, np.concatenate([speech, quiet(3)])) == text


def test_a_sentence_in_long_silence_stays(speech: np.ndarray) -> None:
    assert kept(ARCTIC, np.concatenate([quiet(10), speech, quiet(15)])) == ARCTIC


def test_without_speech_nothing_is_kept() -> None:
    with pytest.raises(AlignmentError):
        kept("Thank you for watching!", quiet(4, 0.1))


def test_parts_hold_the_whole_and_fit() -> None:
    samples = np.random.default_rng(1).standard_normal(100 * RATE)
    parts = list(parts_of(InMemory(samples, RATE), (5.0, 9.0)))
    assert [parts[0][0], parts[-1][1]] == [0, len(samples)]
    assert all(a[1] == b[0] for a, b in zip(parts, parts[1:], strict=False))
    lengths = [(stop - start) / RATE for start, stop in parts]
    assert 5 <= lengths[0] <= 9 and all(PARTS[0] <= each <= 30 for each in lengths[1:-1])


def test_speech_that_is_hardly_understood_is_named() -> None:
    for by_whisper in (True, False):
        assert "English only" in hardly_heard([0.55] * 12, by_whisper)
        assert hardly_heard([0.9] * 12, by_whisper) == hardly_heard([0.5] * 5, by_whisper) == ""
    assert "fetch-recogniser" in hardly_heard([0.5] * 12, by_whisper=False)


@pytest.mark.parametrize(("heard", "is_refused"), [(("de", 0.9), True), (("en", 0.9), False)])
def test_a_model_of_several_languages_refuses_another(
    heard: tuple[str, float], is_refused: bool
) -> None:
    whisper = Whisper.__new__(Whisper)
    known = SimpleNamespace(is_multilingual=True)
    model: Any = SimpleNamespace(model=known, detect_language=lambda _: (*heard, []))
    whisper._whisper = model
    samples = quiet(1.0, 0.1)
    with pytest.raises(AlignmentError, match="de, 90%") if is_refused else nullcontext():
        whisper.require_english(samples, 16_000)
    known.is_multilingual = False  # an English one knows no other
    whisper.require_english(samples, 16_000)
