"""The voice vector depends only on visible frames, not on their positions or on padding."""

from __future__ import annotations

import torch

from a3t.model.embeddings import VoiceVector
from tests.model.test_network import CONDITIONED, build, make_clip


def make_voice() -> VoiceVector:
    torch.manual_seed(0)
    return VoiceVector(mels=80, width=16, blocks=2, size=12)


def test_masked_frames_do_not_influence_the_voice() -> None:
    voice = make_voice()
    mel, visible = torch.randn(1, 50, 80), torch.ones(1, 50, dtype=torch.bool)
    visible[:, 20:30] = False
    hidden = mel.clone()
    hidden[:, 20:30] = 99.0
    frames = torch.tensor([50])
    torch.testing.assert_close(voice(mel, visible, frames), voice(hidden, visible, frames))
    assert not torch.allclose(voice(mel, visible, frames), voice(mel + 1, visible, frames))


def test_padding_has_no_say() -> None:
    voice = make_voice()
    mel = torch.randn(1, 50, 80)
    visible = torch.ones(1, 50, dtype=torch.bool)
    padded = torch.cat([mel, torch.randn(1, 9, 80)], dim=1)
    shown = torch.cat([visible, torch.zeros(1, 9, dtype=torch.bool)], dim=1)
    frames = torch.tensor([50])
    torch.testing.assert_close(voice(padded, shown, frames), voice(mel, visible, frames))


def test_without_visible_frames_the_voice_is_zero() -> None:
    nothing = torch.zeros(1, 50, dtype=torch.bool)
    vector = make_voice()(torch.randn(1, 50, 80), nothing, torch.tensor([50]))
    assert not vector.any() and vector.isfinite().all()


def test_it_reaches_every_block_and_every_part_of_it_learns() -> None:
    model = build(CONDITIONED)
    assert model.voice is not None
    for film in model.voice.films:
        torch.nn.init.normal_(film.weight)
    model(make_clip(60, 9, 0)).after.square().mean().backward()
    for name, parameter in model.voice.named_parameters():
        assert parameter.grad is not None and parameter.grad.any(), name
