"""Pitch, energy and voice: prediction, conditioning, and the comb."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from a3t.audio.analysis.mel import log_mel
from a3t.model.conformer import VoiceVector
from a3t.model.variance.adaptors import (
    END_FRAMES,
    MIDDLE_LOG2_HZ,
    SLOPE_FRAMES,
    STEEPEST,
    EnergyAdaptor,
    PitchAdaptor,
    decided,
    energy_loss,
    frame_energy,
    pitch_loss,
    relative_energy,
    spread_out,
    visible_level,
)
from tests.model.test_network import CONDITIONED, PITCHED, build, make_clip


def test_pitch_conditions_only_masked_voiced_frames() -> None:
    torch.manual_seed(0)
    adaptor = PitchAdaptor(16)
    pitch = torch.tensor([[7.5, 0.0, 7.5, 8.0]])
    told = adaptor.condition(pitch, torch.tensor([[True, True, False, True]]))
    assert not told[0, 2].any()
    torch.testing.assert_close(told[0, 1], adaptor.embed.bias)  # no voice: all features are 0
    assert not torch.allclose(told[0, 0], told[0, 3])


def test_the_given_pitch_changes_the_mel_of_masked_frames() -> None:
    model = build(PITCHED).eval()
    clip = make_clip(60, 9, 0)
    low, high = (replace(clip, pitch=torch.full((1, 60), octave)) for octave in (7.0, 8.0))
    assert not torch.allclose(model(low).after, model(high).after, atol=1e-3)
    said = model.told_pitch(clip, model(clip).pitch.detach())
    told = replace(clip, pitch=said)
    torch.testing.assert_close(model(clip).after, model(told).after)


def test_pitch_loss_counts_octaves_of_voices_only() -> None:
    clip = replace(
        make_clip(4, 1, 0), pitch=torch.tensor([[MIDDLE_LOG2_HZ + 1.0, 0.0, MIDDLE_LOG2_HZ, 0.0]])
    )
    sure = torch.tensor([[[99.0, 1.0], [-99.0, 9.0], [99.0, 0.5], [-99.0, 9.0]]])
    assert pitch_loss(sure, clip).item() == pytest.approx(4 * 0.25, rel=1e-4)
    said = torch.tensor([[MIDDLE_LOG2_HZ + 1.0, 0.0, MIDDLE_LOG2_HZ + 0.5, 0.0]])
    torch.testing.assert_close(decided(sure), said)


def test_the_comb_is_the_mel_of_pulses() -> None:
    """Harmonics and the valleys between them have their places in low and high voices."""
    for hertz in (120.0, 190.0, 250.0):
        wave = np.zeros(24_000)
        wave[np.round(np.arange(0, 24_000, 24_000 / hertz)).astype(int)[:-1]] = 1.0
        true = log_mel(wave)[40]
        comb = PitchAdaptor(8).comb(torch.tensor([[math.log2(hertz)]]))[0, 0]
        low = slice(0, 30)  # to 1.1 kHz, where the filters tell harmonics apart
        together = np.corrcoef(true[low].numpy(), comb[low].numpy())[0, 1]
        assert together > 0.9, hertz


def test_a_melody_is_widened_about_its_mean_in_masked_frames() -> None:
    pitch = torch.tensor([[7.0, 0.0, 7.4, 7.2, 8.0]])
    masked = torch.tensor([[True, True, True, True, False]])
    unseen = torch.zeros_like(masked)
    torch.testing.assert_close(
        spread_out(pitch, masked, unseen, 2.0), torch.tensor([[6.8, 0.0, 7.6, 7.2, 8.0]])
    )
    assert spread_out(pitch, masked, ~masked, 1.0) is pitch
    nothing = torch.zeros(1, 5)
    assert torch.equal(spread_out(nothing, masked, ~masked, 2.0), nothing)


def test_a_rise_is_added_where_a_voice_is_predicted() -> None:
    model = build(PITCHED).eval()
    clip = replace(make_clip(60, 9, 0), pitch=None)
    rise = torch.linspace(0.0, 0.3, 60)[None]
    heard: list[torch.Tensor] = []
    assert model.pitch is not None
    condition = model.pitch.condition
    model.pitch.condition = lambda pitch, masked: heard.append(pitch) or condition(pitch, masked)  # type: ignore[method-assign,func-returns-value]
    with torch.inference_mode():
        flat, risen = model(clip), model(replace(clip, rise=rise))
    torch.testing.assert_close(flat.pitch, risen.pitch)
    voiced = heard[0] > 0
    torch.testing.assert_close(heard[1], torch.where(voiced, heard[0] + rise, heard[0]))


def test_energy_is_the_root_mean_square_of_the_linear_mel() -> None:
    mel = torch.rand(2, 5, 80) * 4 - 3
    expected = (10**mel).square().mean(-1).sqrt().log10()
    torch.testing.assert_close(frame_energy(mel), expected)


def test_the_level_is_that_of_the_visible_frames() -> None:
    energy = torch.tensor([[0.0, 9.0, 1.0, 2.0, 3.0, 4.0, 9.0]])
    visible = torch.tensor([[True, False, True, True, True, True, False]])
    assert visible_level(energy, visible).item() == 3.0
    assert visible_level(energy, torch.zeros_like(visible)).item() == 0.0


def test_a_louder_recording_is_filled_as_much_louder() -> None:
    """Neither predictions, inputs nor loss change with the gain."""
    clip = make_clip(60, 9, 0)
    louder = replace(clip, mel=clip.mel + 0.5)
    torch.testing.assert_close(relative_energy(clip), relative_energy(louder))
    predicted = torch.zeros(1, 60)
    torch.testing.assert_close(energy_loss(predicted, clip), energy_loss(predicted, louder))


def test_the_loss_is_that_of_masked_frames() -> None:
    clip = make_clip(60, 9, 0)
    predicted = relative_energy(clip)
    assert energy_loss(predicted, clip).item() == 0
    visible = torch.where(clip.masked, predicted, 7.0)
    assert energy_loss(visible, clip).item() == 0
    assert energy_loss(predicted + 0.25, clip).item() == pytest.approx(0.25, rel=1e-4)


def test_only_masked_frames_are_conditioned() -> None:
    adaptor = EnergyAdaptor(16)
    torch.nn.init.normal_(adaptor.embed.weight)
    added = adaptor.condition(torch.ones(1, 3), torch.tensor([[True, False, True]]))
    assert not added[0, 1].any() and added[0, 0].any()


def test_weights_without_energy_and_voice_are_a_valid_start() -> None:
    """Every block does what it did, until training changes it."""
    old, new = build(PITCHED).eval(), build(CONDITIONED).eval()
    new.load_state_dict(new.state_dict() | old.state_dict())
    clip = make_clip(60, 9, 0)
    torch.testing.assert_close(new(clip).after, old(clip).after)


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


def test_a_widened_contour_goes_on_from_the_voice_beside_it() -> None:
    """Near what is visible it stays as predicted; its middle, and an end by itself, are wider."""
    frames = torch.arange(120.0, dtype=torch.float64)[None]
    masked = (frames >= 20) & (frames < 100)
    pitch = 7.0 + torch.where(masked, 0.2 * torch.sin(frames / 25), 0.2 * torch.sin(frames / 6))
    pitch[0, 60] = 0.0
    found = spread_out(pitch, masked, ~masked, 2.0)
    assert torch.equal(found[~masked], pitch[~masked]) and found[0, 60] == 0
    inside = masked & (pitch > 0)
    mean = pitch[inside].mean()
    wider = ((found - mean) / (pitch - mean))[0]
    assert wider[20] < 1.1 and wider[99] < 1.1 and wider[58] == pytest.approx(2.0, abs=0.1)
    alone = spread_out(pitch, masked, ~masked & (frames < 50), 2.0)
    assert ((alone - mean) / (pitch - mean))[0, 99] == pytest.approx(2.0, abs=0.01)
    torch.testing.assert_close(alone[0, :25], found[0, :25], atol=1e-3, rtol=0)


def test_each_run_is_widened_about_its_own_mean() -> None:
    """Two edits of one window, one high and one low, aren't driven apart."""
    masked = torch.tensor([[True] * 10 + [False] * 60 + [True] * 10])
    pitch = torch.where(torch.arange(80)[None] < 40, 7.0, 8.0)
    assert torch.equal(spread_out(pitch, masked, ~masked, 2.0), pitch)


def slopes(pitch: torch.Tensor) -> torch.Tensor:
    return (pitch[..., SLOPE_FRAMES:] - pitch[..., :-SLOPE_FRAMES]).abs()


def test_a_melody_is_widened_as_far_as_the_voice_beside_it_is_steep() -> None:
    """A fall of 0.25 octaves in 0.3 s, beside a voice that moves by 0.16 octaves in 0.1 s."""
    frames = torch.arange(200.0, dtype=torch.float64)[None]
    pitch = 7.0 + 0.02 * (frames % 30 - 15).abs()
    masked = (frames >= 60) & (frames < 140)
    pitch[masked] = 7.3 - 0.25 * ((frames[masked] - 90) / 24).clamp(0, 1)
    found = spread_out(pitch, masked, ~masked, 4.0)
    inside = slopes(found[:, 60:140]).max()
    assert slopes(pitch[:, 60:140]).max() < inside <= 0.16 + 1e-9
    assert torch.equal(found[~masked], pitch[~masked])
    flat = torch.where(masked, pitch, 7.0)  # a voice that hardly moves
    assert slopes(spread_out(flat, masked, ~masked, 4.0)[:, 60:140]).max() <= STEEPEST[0] + 1e-9
    none = torch.zeros_like(masked)
    assert slopes(spread_out(pitch, masked, none, 9.0)[:, 60:140]).max() <= STEEPEST[1] + 1e-9


def test_a_steep_word_leaves_the_others_of_its_sentence_their_melody() -> None:
    """Each voiced stretch is bounded by itself, about its own place in the sentence."""
    frames = torch.arange(120.0, dtype=torch.float64)[None]
    voiced = (frames % 40 >= 5) & (frames % 40 < 35)
    pitch = torch.where(voiced, 7.2 - 0.001 * frames, 0.0)
    steep = voiced & (frames >= 80)
    pitch[steep] += 0.04 * (frames[steep] - 100)
    masked = torch.ones_like(voiced)
    found = spread_out(pitch, masked, ~masked, 2.0)
    added = torch.where(voiced, 2 * pitch - pitch[voiced].mean(), 0.0)
    torch.testing.assert_close(found[0, :80], added[0, :80])
    last = voiced[0] & (frames[0] >= 80)
    assert found[0, last].mean().item() == pytest.approx(added[0, last].mean().item(), abs=0.02)
    torch.testing.assert_close(slopes(found[0, 85:110]), slopes(pitch[0, 85:110]))


def test_a_voice_does_not_turn_at_its_end() -> None:
    pitch = torch.full((1, 60), 7.0, dtype=torch.float64)
    pitch[0, 10:40] = torch.linspace(7.2, 7.0, 30)
    pitch[0, 35:40] += torch.linspace(0.02, 0.1, 5)
    pitch[0, :10] = pitch[0, 40:] = 0.0
    masked = torch.ones(1, 60, dtype=torch.bool)
    found = spread_out(pitch, masked, ~masked, 1.0 + 1e-9)[0]
    torch.testing.assert_close(found[10 : 40 - END_FRAMES], pitch[0, 10 : 40 - END_FRAMES])
    assert (torch.diff(found[25:40]) <= 1e-6).all()
    padded = torch.nn.functional.pad(pitch, (0, 30))
    more = torch.nn.functional.pad(masked, (0, 30))
    alone = spread_out(padded, more, torch.zeros_like(more), 1.0 + 1e-9)[0, :60]
    assert torch.equal(alone, found)
