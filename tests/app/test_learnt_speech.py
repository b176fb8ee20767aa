"""Speech by a prompt on the page, whose voice is learnt first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from a3t.model.saved_voices import OF_RECORDING
from app.progress import Watch
from app.service import Service
from tests.conftest import ARCTIC
from tests.voice.conftest import quick


@pytest.mark.parametrize("learns", [False, True])
def test_a_prompt_is_learnt_where_that_is_asked_for(
    service: Service, upload: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, learns: bool
) -> None:
    monkeypatch.setattr("a3t.voice.of_recording.AdaptationConfig", quick)
    monkeypatch.setattr("a3t.voice.of_recording.PROMPT_PAYS_FROM", 1.0)
    monkeypatch.setenv("A3T_CACHE", str(tmp_path))
    seen: list[tuple[float, str]] = []
    watch = Watch(lambda share, step: seen.append((share, step)))
    sound, record, said = service.tts(upload, ARCTIC, "Nobody knew.", watch, learns=learns)
    assert sound.is_file() and said == ARCTIC
    voice = json.loads(record.read_text(encoding="utf-8")).get("voice")
    assert (voice and voice["name"]) == (OF_RECORDING if learns else None)
    assert any("of 3" in step for _, step in seen) == learns
    assert [share for share, _ in seen] == sorted(share for share, _ in seen)
