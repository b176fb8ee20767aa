"""Whisper as the recogniser, with a stand-in package: tests can't download its models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from alignment import AlignmentError
from alignment.recognition import recognised_text, whisper

FASTER = """
class Segment:
    def __init__(self, text):
        self.text = text

class WhisperModel:
    def __init__(self, path, device, compute_type):
        if not path.endswith("small.en"):
            raise RuntimeError("Unable to open file 'model.bin'")

    def transcribe(self, audio, language, condition_on_previous_text):
        assert audio.dtype == "float32" and audio.ndim == 1 and abs(audio).max() <= 1
        seconds = len(audio) / 16000
        return iter([Segment(" We met,"), Segment(f" {seconds:.0f} times.")]), None
"""

UTILS = """
def download_model(name, local_files_only):
    assert local_files_only
    if name not in ("small.en", "broken"):
        raise FileNotFoundError(name)
    return "models/" + name
"""

OPENAI = """
def load_model(path, device):
    class Model:
        def transcribe(self, audio, **options):
            assert audio.dtype == "float32"
            return {"text": " Two words. ", "segments": []}
    return Model()
"""

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a stand-in of one of the two packages."""
    sources = {
        "faster_whisper": {"__init__": FASTER, "utils": UTILS},
        "whisper": {"__init__": OPENAI},
    }
    monkeypatch.delenv("A3T_WHISPER", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def put(name: str) -> None:
        (tmp_path / name).mkdir()
        for file, source in sources[name].items():
            (tmp_path / name / f"{file}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)

    yield put
    whisper._loaded.cache_clear()
    for name in list(sys.modules):
        if name.split(".")[0] in sources:
            del sys.modules[name]


TONE = np.sin(np.arange(48_000) * 0.1).astype(np.float32)


def test_faster_whisper_is_the_default_if_it_has_a_model(install: Install) -> None:
    install("faster_whisper")
    assert recognised_text(TONE, 24_000, ["not", "used"], {}).text == "We met, 2 times."


def test_openai_whisper_is_used_if_its_model_file_exists(install: Install, tmp_path: Path) -> None:
    install("whisper")
    assert whisper.find_whisper() is None
    (tmp_path / "cache" / "whisper").mkdir(parents=True)
    (tmp_path / "cache" / "whisper" / "base.pt").touch()
    assert recognised_text(TONE, 16_000, None, {}, "whisper").text == "Two words."


def test_a_model_that_is_named_wins_or_is_missed(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("faster_whisper")
    monkeypatch.setenv("A3T_WHISPER", "large-v3")
    with pytest.raises(AlignmentError, match="large-v3"):
        whisper.find_whisper()
    monkeypatch.setenv("A3T_WHISPER", "broken")
    with pytest.raises(AlignmentError, match="broken"):
        recognised_text(TONE, 16_000, None, {})


def test_without_whisper_only_who_asks_for_it_is_refused(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whisper, "find_spec", lambda name: None)
    assert whisper.find_whisper() is None
    with pytest.raises(AlignmentError, match="a3t\\[asr\\]"):
        recognised_text(TONE, 16_000, None, {}, "whisper")


def test_an_unknown_recogniser_is_refused() -> None:
    with pytest.raises(AlignmentError, match="sphinx4"):
        recognised_text(TONE, 16_000, None, {}, "sphinx4")
