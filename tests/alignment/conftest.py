"""One real sentence, aligned once."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from alignment import Alignment
from alignment.aligners.network_aligner import NetworkAligner
from alignment.errors import InputError

WORDS = tuple("and you always want to see it in the superlative degree".split())

Lookup = Callable[[Sequence[str]], Mapping[str, Sequence[Sequence[str]]]]
Check = Callable[[BaseException], None]
Speech = tuple[np.ndarray, int]


@pytest.fixture(scope="session")
def words() -> tuple[str, ...]:
    """The recording's words."""
    return WORDS


@pytest.fixture(scope="session")
def speech(arctic: Path) -> Speech:
    """The samples of the recording, float32, and their rate (16 kHz)."""
    samples, rate = sf.read(arctic, dtype="float32")
    return samples, rate


@pytest.fixture(scope="session")
def lookup(dictionary: dict[str, list[list[str]]]) -> Lookup:
    """Words to their pronunciations in CMUdict."""
    return lambda words: {word: dictionary[word] for word in words if word in dictionary}


@pytest.fixture(scope="session")
def aligned(speech: Speech, words: tuple[str, ...], lookup: Lookup) -> Alignment:
    return NetworkAligner().align(*speech, words, lookup(words))


@pytest.fixture(scope="session")
def one_sentence() -> Check:
    """Asserts that an error is an InputError that one clear sentence says."""

    def check(error: BaseException) -> None:
        assert isinstance(error, InputError)
        text = str(error)
        assert re.fullmatch(r"[^\n]{20,400}\.", text), text
        assert "Traceback" not in text

    return check
