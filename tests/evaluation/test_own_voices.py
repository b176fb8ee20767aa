"""Evaluation of voice adaptation: speakers, material, test clips, and report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from a3t.corpora import Clip, is_unseen
from a3t.errors import InputError
from a3t.evaluation import own_voices
from a3t.evaluation.own_voices import OwnVoiceRow
from a3t.evaluation.reconstruction import HeldOutClip
from a3t.grid import HOP
from a3t.model.loading import load_networks
from a3t.voice.adaptation import AdaptationConfig
from tests.evaluation.test_systems import make_item

UNSEEN = next(f"librispeech-{k}" for k in range(10_000) if is_unseen(f"librispeech-{k}"))
SEEN = next(f"librispeech-{k}" for k in range(10_000) if not is_unseen(f"librispeech-{k}"))


def clip(voice: str, number: int, seconds: float = 5.0) -> Clip:
    corpus, _, speaker = voice.partition("-")
    return Clip(corpus, speaker, Path(f"{speaker}-{number:03}.wav"), "a text", seconds)


def test_speakers_are_unseen_and_have_enough() -> None:
    long = [clip(UNSEEN, k) for k in range(8)]
    short = [clip("commonvoice-x", k) for k in range(3)]
    found = own_voices.speakers([*long, *short, *(clip(SEEN, k) for k in range(9))], 15, 4)
    assert list(found) == [UNSEEN] and len(found[UNSEEN]) == 8
    assert own_voices.speakers(long, 25, 4) == own_voices.speakers(long, 15, 5) == {}


def test_material_is_cut_at_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_voices, "align_clip", lambda clip: make_item(160))
    pieces = own_voices.material_of([clip(UNSEEN, k) for k in range(9)], 3.5)
    assert [len(piece.mel) for piece in pieces] == [160, 112]  # 280 frames are 3.5 s; phones of 16
    for piece in pieces:
        assert piece.durations.sum() == len(piece.mel)
        assert len(piece.phones) == len(piece.durations) == len(piece.words)


def test_a_voice_is_compared_before_and_after() -> None:
    pytest.importorskip("pyworld", reason="the extra `eval` is not installed")
    item, network = make_item(320), load_networks("small").model
    noise = np.random.default_rng(0).normal(0, 0.05, len(item.mel) * HOP).astype(np.float32)
    test = HeldOutClip(**{**vars(item), "samples": noise})
    piece = own_voices.VoicePiece(
        "one", item.mel, item.phones, item.durations, item.words, None, 1.0
    )
    config = AdaptationConfig(steps=2, rank=2, batch_frames=200, crop=(60, 120))
    rows = list(
        own_voices.compare(
            network, lambda mel: np.resize(noise, len(mel) * HOP), "x", [piece], [test], config
        )
    )
    assert [row.system for row in rows] == ["copy-synthesis", "shipped", "adapted"]
    assert rows[1].level != rows[2].level and rows[2].processor_seconds > 0


def test_the_table_has_a_row_for_each_system() -> None:
    rows = [
        OwnVoiceRow("v", 10.0, f"c{k}", system, 0.7 + k / 10, 6.0, 0.8, -1.0, 5.0)
        for system in ("copy-synthesis", "shipped", "adapted")
        for k in range(2)
    ]
    written = own_voices.table(rows)
    assert "| 10 s | adapted | 0.750 ± 0.050 | 6.00" in written and "heard: v." in written
    with pytest.raises(InputError, match="fewer seconds"):
        own_voices.table([])
