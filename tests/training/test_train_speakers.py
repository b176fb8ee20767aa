"""The speaker encoder: what it must not hear, its training, and the loss it gives A3T."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.errors import InputError
from a3t.learning.loop import speaker_loss
from a3t.model.speaker_encoder import SpeakerEncoder, load_speaker_encoder
from tests.model.test_network import make_clip
from tests.training.stores import made_up_clip, write_store
from training.features.store import StoreWriter
from training.train_speakers import equal_error_rate, main


def encoder() -> SpeakerEncoder:
    torch.manual_seed(0)
    return SpeakerEncoder().eval()


def test_neither_level_nor_what_does_not_count_is_heard() -> None:
    mel = torch.randn(1, 50, 80)
    counted = torch.arange(50)[None] < 40
    vector, _ = encoder()(mel, counted)
    assert vector.shape == (1, 128)
    torch.testing.assert_close(vector.norm(dim=-1), torch.ones(1))
    louder, _ = encoder()(mel + 0.7, counted)
    torch.testing.assert_close(vector, louder, atol=1e-5, rtol=1e-4)
    far = mel.clone()
    far[:, 56:] = 9.0  # nothing there: reach is 12 frames
    torch.testing.assert_close(vector, encoder()(far, counted)[0])


def test_the_equal_error_rate_is_that_of_another_library() -> None:
    from sklearn.metrics import roc_curve

    rng = np.random.default_rng(0)
    same = rng.random(4000) < 0.3
    scores = rng.normal(size=4000) + 1.2 * same
    accepted, right, _ = roc_curve(same, scores)
    place = np.argmin(np.abs(accepted - (1 - right)))
    expected = (accepted[place] + 1 - right[place]) / 2
    assert equal_error_rate(scores, same) == pytest.approx(expected, abs=2e-3)
    assert equal_error_rate(same.astype(float), same) == 0.0


def test_the_loss_falls_on_what_is_filled_alone() -> None:
    clip = make_clip(120, 20, seed=1)
    filled = (clip.mel + torch.randn(1, 120, 80)).requires_grad_()
    apart, matching = speaker_loss(encoder(), filled, clip)
    (apart + matching).backward()  # type: ignore[no-untyped-call]
    assert filled.grad is not None
    assert filled.grad[clip.masked].abs().sum() > 0
    assert filled.grad[~clip.masked].abs().sum() == 0
    same, nothing = speaker_loss(encoder(), clip.mel, clip)
    assert nothing == 0.0 and same < apart
    little = replace(clip, masked=clip.masked & (torch.arange(120) < 50))
    assert speaker_loss(encoder(), filled, little)[0] == 0.0  # 10 frames have no voice


def test_it_learns_and_what_it_learnt_can_be_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "features"
    write_store(store, {"train": 4, "dev": 2}, phones=120, longest=8)
    arguments = ["--features", str(tmp_path / "features"), "--out", str(tmp_path / "run")]
    assert main([*arguments, "--steps", "2", "--threads", "1"]) == 1
    assert "voices that training does not hear" in capsys.readouterr().err
    with pytest.raises(InputError):
        load_speaker_encoder(str(tmp_path / "run" / "packed"))

    rng = np.random.default_rng(1)
    with StoreWriter(store / "test") as writer:
        for k in range(6):
            writer.add(f"t{k}", made_up_clip(rng, 0, 120, 8), f"other{k % 2}", "test")
    assert main([*arguments, "--steps", "2", "--threads", "1"]) == 0
    assert "equal error rate" in capsys.readouterr().out
    loaded = load_speaker_encoder(str(tmp_path / "run" / "packed"))
    assert not any(weight.requires_grad for weight in loaded.parameters())
