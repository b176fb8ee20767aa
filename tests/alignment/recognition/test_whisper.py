"""The choice of a recogniser; tests/fetching runs a real, tiny model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from alignment import AlignmentError
from alignment.recognition import whisper, whisper_model

Put = Callable[[str], Path]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts a model's file where fetched ones are; the package seems to be installed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("A3T_RECOGNISER")
    monkeypatch.setattr(whisper, "is_installed", lambda: True)

    def put(name: str) -> Path:
        folder = whisper.fetched_model(name)
        folder.mkdir(parents=True)
        (folder / "model.bin").touch()
        return folder

    return put


def test_the_best_fetched_model_is_used_unless_another_is_named(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert whisper_model("auto") is None and whisper_model("network") is None
    tiny = put("tiny.en")
    base = put("base.en")
    assert whisper_model("auto") == whisper_model("whisper") == base
    assert whisper_model("tiny.en") == whisper_model(str(tiny)) == tiny
    monkeypatch.setenv("A3T_RECOGNISER", "tiny.en")
    assert whisper_model("auto") == tiny
    assert whisper_model("network") is None
    monkeypatch.setenv("A3T_RECOGNISER", "network")
    assert whisper_model("auto") is None


def test_what_is_not_there_is_named(put: Put, tmp_path: Path) -> None:
    for name in ("small.en", "sphinx4", str(tmp_path)):
        with pytest.raises(AlignmentError, match=name):
            whisper_model(name)
    with pytest.raises(AlignmentError, match="a3t fetch-recogniser"):
        whisper_model("whisper")


def test_without_the_package_only_who_asks_for_whisper_is_refused(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("base.en")
    monkeypatch.setattr(whisper, "is_installed", lambda: False)
    assert whisper_model("auto") is None
    with pytest.raises(AlignmentError, match="a3t\\[whisper\\]"):
        whisper_model("base.en")
