"""Evaluation of voice adaptation: speakers, material, test clips, and report."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from a3t.errors import InputError
from a3t.grid import HOP
from a3t.model.loading import load_networks
from a3t.voice.adaptation import AdaptationConfig
from evaluation.clips import HeldOutClip
from evaluation.edits.listing import set_of
from evaluation.voices import own_voices
from evaluation.voices.own_voices import OwnVoiceRow
from tests.evaluation.test_systems import make_item
from training.corpora import Clip, is_unseen

SEEN = next(f"librispeech-{k}" for k in range(10_000) if not is_unseen(f"librispeech-{k}"))


def clip(voice: str, number: int, seconds: float = 5.0) -> Clip:
    corpus, _, speaker = voice.partition("-")
    return Clip(corpus, speaker, Path(f"{speaker}-{number:03}.wav"), "a text", seconds)


def unseen(corpus: str, half: str) -> str:
    """A voice of this half that no training heard."""
    names = (f"{corpus}-{name}" for name in ("2416", "3947", *map(str, range(1000))))
    return next(name for name in names if is_unseen(name) and set_of(name) == half)


def test_speakers_are_unseen_of_one_half_and_have_enough() -> None:
    home, read = unseen("commonvoice", "report"), unseen("librispeech", "report")
    clips = [clip(voice, k) for voice in (home, read) for k in range(8)]
    clips += [clip(SEEN, k) for k in range(9)]
    clips += [clip(unseen("commonvoice", "choose"), k) for k in range(9)]
    found = own_voices.speakers(clips, 20, 4)
    assert set(found) == {home, read}
    for own in found.values():
        assert len(own.tests) == 4 and own.seconds == 20 and not set(own.tests) & set(own.material)
    assert own_voices.speakers(clips, 21, 4) == {}


def test_corpora_take_turns() -> None:
    home, read = unseen("commonvoice", "choose"), unseen("librispeech", "choose")
    other = next(
        f"commonvoice-{k}" for k in range(1000)
        if is_unseen(f"commonvoice-{k}") and set_of(f"commonvoice-{k}") == "choose"
        and f"commonvoice-{k}" != home
    )  # fmt: skip
    clips = [
        clip(voice, k) for voice, count in ((home, 9), (other, 7), (read, 5)) for k in range(count)
    ]
    assert list(own_voices.speakers(clips, 5, 2, "choose")) == [home, read, other]


def test_a_long_clip_is_cut_at_a_pause() -> None:
    item = make_item(320)  # ten phones of 32 frames; the first, fifth and last are pauses
    assert own_voices.shortened(item, 320) is item
    for frames, phones in ((250, 5), (319, 5), (100, 3)):  # no pause in the second half: anywhere
        short = own_voices.shortened(item, frames)
        assert len(short.phones) == len(short.durations) == len(short.words) == phones
        assert len(short.mel) == short.durations.sum() == 32 * phones
        assert len(short.samples) == 32 * phones * HOP


def test_material_is_cut_at_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_voices, "_aligned", lambda clip: make_item(160))
    pieces = own_voices.material_of([clip("librispeech-3947", k) for k in range(9)], 3.5)
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
    config = AdaptationConfig(
        steps=1, rank=2, batch_frames=200, crop=(60, 120), precision="float32"
    )
    rows = list(
        own_voices.compare(
            network,
            lambda mel: np.resize(noise, len(mel) * HOP),
            "x",
            10.0,
            [piece],
            [test],
            config,
        )
    )
    systems = ["copy-synthesis", "shipped", "adapted", "recorded elsewhere"]
    assert [row.system for row in rows] == systems
    assert math.isnan(rows[3].similarity)  # there is no other clip
    assert rows[1].level != rows[2].level and rows[2].processor_seconds > 0


def test_what_is_recorded_elsewhere_is_the_other_clips(monkeypatch: pytest.MonkeyPatch) -> None:
    def embedding(samples: np.ndarray, rate: int) -> np.ndarray:
        if not samples.any():
            raise InputError("No speech was found.")
        return np.array([1.0 if len(samples) == 320 * HOP else samples[0], 0.0])

    monkeypatch.setattr(own_voices.metrics, "speaker_embedding", embedding)
    item = make_item(320)
    clips = [
        HeldOutClip(**{**vars(item), "samples": np.full(320 * HOP, k, np.float32)})
        for k in range(1, 4)
    ]
    assert own_voices._elsewhere(clips) == [2.5, 2.0, 1.5]


def test_the_table_is_by_corpus_and_together_with_paired_differences() -> None:
    rows = [
        OwnVoiceRow(voice, 10.0, 9.9, f"c{k}", system, value + k / 10, 6.0, 0.8, -1.0, 5.0, 120.0)
        for voice, gain in (("librispeech-1", 0.05), ("commonvoice-2", 0.01))
        for system, value in (("copy-synthesis", 0.8), ("shipped", 0.6), ("adapted", 0.6 + gain))
        for k in range(3)
    ]
    written = own_voices.voice_table(rows)
    assert "| 10 s | librispeech (1) | adapted | 0.750 ± 0.058 | 6.00" in written
    assert "| 10 s | librispeech (1) | difference | 0.050" in written
    assert "| 10 s | all (2) | difference | 0.030 (0.0" in written
    assert "heard: commonvoice-2 (120 Hz), librispeech-1 (120 Hz)." in written
    with pytest.raises(InputError, match="fewer seconds"):
        own_voices.voice_table([])
