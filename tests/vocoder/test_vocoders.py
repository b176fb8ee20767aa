"""Properties of the vocoders that need no package: spans, lengths, determinism, bad input."""

import io
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from a3t.audio.analysis.mel import log_mel, mel_filters
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.pretrained import save_checkpoint
from a3t.vocoder import Vocoder, builtin, load_vocoder, vocode_span
from a3t.vocoder.base import placed_normal, placed_uniform
from a3t.vocoder.builtin import BuiltinVocoder, SpectralVocoder, fit_to_mel, mel_filters_at_bins
from a3t.vocoder.stft import GriffinLim, griffin_lim, magnitude_of, spectrum, unit, waveform
from a3t.vocoder.texture import aperiodicity, pulsed, textured

TINY = {
    "width": 16,
    "hidden": 24,
    "blocks": 2,
    "iterations": 2,
    "pitches": 20,
    "texture": (300, 1500),
    "pulses": 2,
    "pulse_phases": 0.65,
}


def voice(seconds: float = 1.0) -> Tensor:
    """A vowel of 120-150 Hz with three formants, and a little breath."""
    time = torch.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    turn = torch.cumsum(2 * torch.pi * (120 + 30 * time / seconds) / SAMPLE_RATE, 0)
    total = torch.zeros_like(time)
    for harmonic in range(1, 50):
        hertz = 135.0 * harmonic
        level = sum(1 / (1 + ((hertz - f) / 120) ** 2) for f in (600, 1200, 2600))
        total = total + level * torch.cos(harmonic * turn)
    breath = torch.randn(len(time), generator=torch.Generator().manual_seed(0))
    return 0.3 * total / total.abs().max() + 0.001 * breath


def tiny(refined: int = 0) -> SpectralVocoder:
    torch.manual_seed(0)
    model = SpectralVocoder(**TINY, refined=refined)
    for parameter in model.parameters():  # out of the near-nothing it begins with
        parameter.data += 0.1 * torch.randn_like(parameter)
    return model


@pytest.fixture(params=["builtin", "refined", "griffin-lim"])
def vocoder(request: pytest.FixtureRequest) -> Vocoder:
    if request.param == "griffin-lim":
        return GriffinLim(iterations=4)
    return BuiltinVocoder(tiny(refined=4 if request.param == "refined" else 0))


def test_analysis_and_synthesis_are_inverse_and_on_the_grid() -> None:
    samples = voice()[: 79 * HOP]
    window = torch.hann_window(1200)
    for size in (1200, 2048):
        again = waveform(spectrum(samples[None], window, size), window, size)
        torch.testing.assert_close(again[0], samples, atol=1e-5, rtol=0)
    # The same magnitudes as the transform that the mel is made from.
    ours = spectrum(samples[None], window, 2048).abs()[0]
    reference = torch.stft(
        samples, 2048, HOP, 1200, window, center=True, pad_mode="constant", return_complex=True
    )
    torch.testing.assert_close(ours, reference.abs().T[:-1], atol=1e-4, rtol=0)


def test_sound_stays_where_it_is_in_time() -> None:
    clicks = torch.zeros(60 * HOP)
    clicks[[20 * HOP, 33 * HOP + 100, 47 * HOP + 211]] = 0.9
    made = GriffinLim(iterations=8)(log_mel(clicks))
    energy = made.square().view(-1, HOP).sum(1)
    for frame in (20, 33, 47):
        near = energy[frame - 5 : frame + 6]
        centre = float((near * torch.arange(-5, 6)).sum() / near.sum())
        assert abs(centre) < 1.0  # frames; the window smears, but to both sides alike


def test_a_span_equals_the_whole(vocoder: Vocoder) -> None:
    mel = log_mel(voice(2.0))
    whole = vocoder(mel)
    assert whole.shape == (len(mel) * HOP,)
    for first, last in ((0, 3), (60, 100), (len(mel) - 5, len(mel))):
        span = vocode_span(vocoder, mel, first, last)
        torch.testing.assert_close(span, whole[first * HOP : last * HOP], atol=1e-5, rtol=0)
        finished = vocoder(mel, finished=[(first, last)])[first * HOP : last * HOP]
        torch.testing.assert_close(finished, whole[first * HOP : last * HOP], atol=1e-5, rtol=0)


def test_the_receptive_field_is_as_stated(vocoder: Vocoder) -> None:
    mel = log_mel(voice(4.0))
    centre, reach = 160, vocoder.receptive_frames
    other = mel.clone()
    other[: centre - reach] -= 1
    other[centre + reach + 1 :] -= 1
    own = slice(centre * HOP, (centre + 1) * HOP)
    torch.testing.assert_close(vocoder(other)[own], vocoder(mel)[own], atol=1e-5, rtol=0)
    other[centre - 1] -= 1
    assert not torch.allclose(vocoder(other)[own], vocoder(mel)[own], atol=1e-4)


def test_a_gain_of_pulses_belongs_to_its_frames() -> None:
    vocoder, mel = BuiltinVocoder(tiny(refined=4)), log_mel(voice(4.0))
    gain = torch.ones(len(mel), 601)
    assert torch.equal(vocoder(mel, pulse_gain=gain), vocoder(mel))
    gain[150:170] = 0.2
    whole = vocoder(mel, pulse_gain=gain)
    assert not torch.allclose(whole[150 * HOP : 170 * HOP], vocoder(mel)[150 * HOP : 170 * HOP])
    reach = vocoder.receptive_frames
    near = slice(155 - reach, 165 + reach)
    alone = vocoder(mel[near], near.start, pulse_gain=gain[near])[reach * HOP :][: 10 * HOP]
    torch.testing.assert_close(alone, whole[155 * HOP : 165 * HOP], atol=1e-5, rtol=0)


def test_it_is_deterministic_and_leaves_the_callers_randomness_alone(vocoder: Vocoder) -> None:
    mel = log_mel(voice(0.5))
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    first = vocoder(mel)
    assert torch.equal(before, torch.random.get_rng_state())
    torch.manual_seed(4)
    assert torch.equal(vocoder(mel), first)


@pytest.mark.parametrize(
    "bad",
    [torch.zeros(0, 80), torch.zeros(5, 79), torch.zeros(80), torch.full((4, 80), float("nan"))],
    ids=["empty", "width", "flat", "nan"],
)
def test_a_bad_mel_is_refused(vocoder: Vocoder, bad: Tensor) -> None:
    with pytest.raises(InputError):
        vocoder(bad)
    with pytest.raises(InputError):
        vocode_span(vocoder, torch.zeros(10, 80), 4, 11)


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_the_shortest_mels(vocoder: Vocoder, frames: int) -> None:
    samples = vocoder(torch.full((frames, 80), -10.0))
    assert samples.shape == (frames * HOP,) and bool(samples.isfinite().all())


def test_griffin_lim_reproduces_the_mel() -> None:
    mel = log_mel(voice())
    made = log_mel(GriffinLim()(mel))[: len(mel)]
    quiet_noise = log_mel(0.05 * torch.randn(len(mel) * HOP))[: len(mel)]
    error = (made - mel).abs().mean()
    assert error < 0.1 < (quiet_noise - mel).abs().mean()
    # More iterations make the spectrum more consistent.
    rough = log_mel(GriffinLim(iterations=0)(mel))[: len(mel)]
    assert error < 0.5 * (rough - mel).abs().mean()


def test_mel_inversion_gives_the_mel_back_without_negative_magnitudes() -> None:
    mel = log_mel(voice())
    magnitude = magnitude_of(mel, 60)
    assert magnitude.min() >= 0
    again = (magnitude @ mel_filters().T).clamp(min=1e-10).log10()
    assert (again - mel).abs().mean() < 0.02


def test_updates_bring_magnitudes_to_the_mel_and_keep_their_fine_structure() -> None:
    mel = log_mel(voice())[None]
    filters = mel_filters_at_bins()
    comb = 1e-2 * (1.2 + torch.cos(torch.arange(601) * 2.0)).expand(1, mel.shape[1], 601)
    errors = []
    for updates in (0, 1, 4, 16):
        fitted = fit_to_mel(comb, 10**mel, filters, updates)
        errors.append(float(((fitted @ filters.T).log10() - mel).abs().mean()))
        assert fitted.min() > 0
    assert errors == sorted(errors, reverse=True) and errors[-1] < 0.1 * errors[0]
    torch.testing.assert_close(fitted[..., 400:], comb[..., 400:])  # above 7600 Hz: untouched


def test_every_parameter_gets_a_gradient() -> None:
    model = tiny(refined=4)
    mel = log_mel(voice(0.5))[None]
    model(mel, torch.randn(1, mel.shape[1] * HOP)).square().mean().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert bool(parameter.grad.isfinite().all()) and float(parameter.grad.abs().sum()) > 0, name


def test_griffin_lim_from_the_true_phase_changes_nothing() -> None:
    window = torch.hann_window(1200)
    samples = voice(0.5)[: 39 * HOP]
    true = spectrum(samples[None], window)
    again = griffin_lim(true.abs(), unit(true), window, 5, 0.9)
    torch.testing.assert_close(again[0], samples, atol=1e-4, rtol=0)


def test_relaxed_magnitudes_are_more_consistent_and_keep_the_mel() -> None:
    mel = log_mel(voice())[None]
    errors = {}
    for relaxation in (0.0, 0.7):
        model = SpectralVocoder(**TINY | {"iterations": 12}, relaxation=relaxation)
        torch.manual_seed(0)
        magnitude = 10 ** torch.randn(1, mel.shape[1], 601)  # no sound has these
        magnitude = fit_to_mel(magnitude, 10**mel, model.filters, 4)
        phase = unit(torch.randn(magnitude.shape, dtype=torch.complex64))
        made = model.sound(magnitude, phase, mel, 12).detach()
        errors[relaxation] = (log_mel(made[0])[: mel.shape[1]] - mel[0]).abs().mean()
    assert errors[0.7] < 0.7 * errors[0.0]


def test_texture_is_drawn_by_the_seed_where_no_harmonic_is() -> None:
    mel = log_mel(voice(0.5))
    vocoder = BuiltinVocoder(tiny())
    assert torch.equal(vocoder(mel, 5, 1), vocoder(mel, 5, 1))
    assert not torch.equal(vocoder(mel, 5, 1), vocoder(mel, 5, 2))
    periodic = torch.zeros(1, 200, 601)
    periodic[:, 100:] = 1.0
    share = aperiodicity(periodic, (300.0, 1500.0))
    phase = unit(torch.randn(periodic.shape, dtype=torch.complex64))
    noise = torch.from_numpy(placed_normal(0, 0, 200, HOP)).float().reshape(1, -1)
    factors = textured(phase, share, spectrum(noise, torch.hann_window(1200)))
    torch.testing.assert_close(factors[:, 100:], phase[:, 100:])  # harmonics stay as they are
    torch.testing.assert_close(factors[..., :16], phase[..., :16])  # and so does what is low
    drawn = factors[0, 10:90, 100:].abs()  # Rayleigh's: of mean one, and a quarter below 0.6
    assert float(drawn.mean()) == pytest.approx(1.0, abs=0.02)
    assert float(drawn.quantile(0.25)) == pytest.approx(0.605, abs=0.02)


def test_a_refinement_changes_nothing_before_it_is_trained() -> None:
    mel = log_mel(voice(0.5))[None]
    noise = torch.randn(1, mel.shape[1] * HOP)
    plain, refined = tiny(), SpectralVocoder(**TINY, refined=4)
    refined.load_state_dict(plain.state_dict(), strict=False)
    torch.testing.assert_close(refined(mel, noise), plain(mel, noise), atol=1e-5, rtol=0)


def test_convolutions_on_several_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    vocoder, mel = load_vocoder(), log_mel(voice())
    found = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(builtin, "CONVOLUTION_THREADS", threads)
        found.append(vocoder(mel))
    assert torch.equal(found[0], found[1]) and torch.equal(found[0], found[2])


def test_noise_follows_the_pulses_and_keeps_its_power() -> None:
    noise = torch.randn(1, 48_000, generator=torch.Generator().manual_seed(0))
    draft = torch.zeros(1, 48_000)
    draft[:, ::240] = 0.5  # 100 Hz
    follows = pulsed(noise, draft, 2.0)[0]
    power = follows.square().reshape(-1, 240).mean(0)
    near = torch.cat([power[:12], power[-12:]])
    assert float(near.mean()) > 5 * float(power[60:180].mean())
    assert float(follows[2400:-2400].square().mean()) == pytest.approx(1.0, abs=0.05)
    torch.testing.assert_close(
        pulsed(noise, torch.zeros_like(draft), 2.0)[:, 1200:-1200], noise[:, 1200:-1200]
    )


def test_placed_noise_depends_on_place_only() -> None:
    whole = placed_normal(1, 0, 50, 301)
    assert np.array_equal(placed_normal(1, 20, 5, 301), whole[20:25])
    assert abs(whole.mean()) < 0.03 and abs(whole.std() - 1) < 0.03
    assert not np.array_equal(placed_uniform(1, 0, 3, 8), placed_uniform(2, 0, 3, 8))


def test_a_saved_vocoder_is_loaded_as_it_was(tmp_path: Path) -> None:
    model = tiny().eval()
    digest = save_checkpoint(tmp_path, {"vocoder": TINY}, model.state_dict(), "A card.")
    loaded = load_vocoder(tmp_path)
    mel = log_mel(voice(0.3))
    assert loaded.sha256 == digest and loaded.name == tmp_path.name
    assert torch.equal(loaded(mel), BuiltinVocoder(model)(mel))


@pytest.mark.parametrize("damage", ["bytes", "pickle", "config", "other", "missing"])
def test_a_damaged_vocoder_is_refused(damage: str, tmp_path: Path) -> None:
    save_checkpoint(tmp_path, {"vocoder": TINY}, tiny().state_dict(), "A card.")
    weights = tmp_path / "model.safetensors"
    if damage == "bytes":
        weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\1\2")
    elif damage == "pickle":
        weights.write_bytes(pickle.dumps({"weights": [1.0]}))
    elif damage == "config":
        (tmp_path / "config.yaml").write_text("vocoder: [")
    elif damage == "other":
        save_checkpoint(tmp_path, {"vocoder": TINY | {"width": 8}}, tiny().state_dict(), "")
    elif damage == "missing":
        weights.unlink()
    with pytest.raises(InputError):
        load_vocoder(tmp_path)


def test_an_unknown_vocoder_is_refused(tmp_path: Path) -> None:
    for name in ("no-such-vocoder", str(tmp_path)):
        with pytest.raises(InputError, match="vocoder"):
            load_vocoder(name)


def test_the_default_network_is_of_the_size_that_is_stated() -> None:
    model = SpectralVocoder()
    assert sum(p.numel() for p in model.parameters()) == 3_784_459
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    assert buffer.tell() < 20e6
