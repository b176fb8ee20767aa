"""Corpora, the cache of waveforms and the vocoder's training, at tiny sizes."""

import itertools
import json
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from a3t.errors import InputError
from a3t.grid import HOP
from a3t.vocoder import load_vocoder
from training.configuration import write_config
from training.corpora import Clip, is_unseen, prompt_key, read_corpora, split_of
from training.training_runs import TrainingRun
from training.vocoder.filled import drawn_runs
from training.vocoder.vocoder_data import WindowConfig, Windows
from training.vocoder.vocoder_discriminators import Discriminators, dilated, discriminator_losses
from training.vocoder.vocoder_export import export
from training.vocoder.vocoder_losses import (
    known_bins,
    multi_resolution_loss,
)
from training.vocoder.vocoder_training import VocoderTraining
from training.vocoder.waveforms import MELS, PLACES, FilledClip, Waveforms, prepare

CONFIG = {
    "vocoder": {
        "width": 8,
        "hidden": 12,
        "blocks": 1,
        "iterations": 1,
        "pitches": 20,
        "texture": [300, 1500],
        "pulses": 2,
        "refined": 2,
        "pulse_phases": 0.65,
    },
    "data": {"frames": 8, "batch": 2, "home": 1.0},
    "loss": {"harmonics": 0.1, "heard": 1.0},
    "discriminators": {"channels": 2, "period_channels": 2, "warmup": 2},
    "training": {"steps": 1000, "warmup": 2, "decay": 2},
}


def write_sound(path: Path, rate: int, seconds: float = 0.8) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(sum(path.name.encode()))
    soundfile.write(path, 0.1 * random.standard_normal(int(rate * seconds)), rate)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All six layouts with a clip or two in each."""
    root = tmp_path_factory.mktemp("material") / "corpora"
    chapter = root / "LibriSpeech" / "train-clean-5" / "19" / "198"
    write_sound(chapter / "19-198-0000.flac", 16000)
    (chapter / "19-198.trans.txt").write_text("19-198-0000 HELLO THERE\n19-198-0001 NOT HERE\n")
    lj = root / "LJSpeech-1.1"
    write_sound(lj / "wavs" / "LJ001-0001.wav", 22050)
    (lj / "metadata.csv").write_text("LJ001-0001|In 1450|In fourteen fifty\n")
    vctk = root / "VCTK-Corpus"
    write_sound(vctk / "wav48" / "p239" / "p239_001.wav", 48000)
    (vctk / "txt" / "p239").mkdir(parents=True)
    (vctk / "txt" / "p239" / "p239_001.txt").write_text("Please call Stella.\n")
    kathleen = root / "kathleen" / "data"
    for take in ("1", "2"):
        write_sound(kathleen / f"arctic_a0001_{take}.ogg", 24000)
        (kathleen / f"arctic_a0001_{take}.txt").write_text("Author of the danger trail.")
    voices = root / "CommonVoice-en"
    write_sound(voices / "clips" / "common_voice_en_7.mp3", 32000)
    row = '0123456789abcdef\tcommon_voice_en_7.mp3\tA "quoted word.\n'
    (voices / "validated.tsv").write_text("client_id\tpath\tsentence\n" + row)
    ocean = root / "speechocean762"
    write_sound(ocean / "WAVE" / "SPEAKER0001" / "000010011.WAV", 16000)
    for part, name in (("train", "000010011"), ("test", "000020011")):
        (ocean / part).mkdir()
        sound = f"WAVE/SPEAKER0001/{name}.WAV"
        (ocean / part / "wav.scp").write_text(f"{name}\t{sound}\n")
        (ocean / part / "text").write_text(f"{name}\tMARK IS GOING\n")
    return root


@pytest.fixture(scope="module")
def cache(corpora: Path) -> Path:
    prepare(read_corpora(corpora), corpora.parent / "cache")
    return corpora.parent / "cache"


def make(cache: Path) -> VocoderTraining:
    work = VocoderTraining(CONFIG, Waveforms(cache))
    work.fit_normalisation(2)
    return work


def test_each_layout_is_read(corpora: Path) -> None:
    clips = {clip.corpus: clip for clip in read_corpora(corpora)}
    assert len(read_corpora(corpora)) == 7
    assert clips["librispeech"].text == "HELLO THERE" and clips["librispeech"].speaker == "19"
    assert clips["ljspeech"].text == "In fourteen fifty"
    assert clips["vctk"].voice == "vctk-p239"
    assert clips["kathleen"].name == "kathleen-arctic_a0001_2"
    assert clips["commonvoice"].voice == "commonvoice-0123456789ab"
    assert clips["commonvoice"].text == 'A "quoted word.'
    assert clips["speechocean"].voice == "speechocean-SPEAKER0001"
    assert clips["speechocean"].text == "MARK IS GOING"
    assert all(clip.seconds == pytest.approx(0.8, abs=0.01) for clip in clips.values())
    with pytest.raises(InputError):
        read_corpora(corpora / "nowhere")
    with pytest.raises(InputError):
        read_corpora(corpora / "kathleen" / "data")


def test_the_split_goes_by_prompt_and_by_speaker() -> None:
    def clip(text: str, speaker: str = "19") -> Clip:
        return Clip("librispeech", speaker, Path("x.flac"), text, 1.0)

    prompts = [f"prompt number {n}" for n in range(4000)]
    splits = [split_of(clip(prompt)) for prompt in prompts]
    assert splits == [split_of(clip(f"  {prompt.upper()}! ", "32")) for prompt in prompts]
    for held_out in ("dev", "test"):
        assert 0.01 < splits.count(held_out) / len(splits) < 0.02
    assert {split_of(clip(prompt, "3664")) for prompt in prompts} == {"test"}
    assert prompt_key("It's  1 DAY.") == "it's 1 day"


def test_of_many_contributors_some_are_kept_apart_whole() -> None:
    voices = [f"commonvoice-{k:012x}" for k in range(2000)]
    unseen = {voice for voice in voices if is_unseen(voice)}
    assert 0.12 < len(unseen) / len(voices) < 0.18
    for voice in sorted(unseen)[:5]:
        clip = Clip("commonvoice", voice.partition("-")[2], Path("x.mp3"), "any text", 1.0)
        assert split_of(clip) == "test"
    assert not any(is_unseen(f"vctk-{k}") for k in range(100))


def test_the_cache_keeps_time_level_and_origin(cache: Path, corpora: Path) -> None:
    waveforms = Waveforms(cache)
    assert {entry.rate for entry in waveforms.entries} == {16000, 22050, 24000, 32000, 48000}
    for entry in waveforms.entries:
        samples = waveforms.read(entry)
        assert len(samples) == pytest.approx(0.8 * 24000, abs=2)
        assert 0.06 < samples.std() < 0.13  # of white noise, 0.1 before resampling
    entry = waveforms.entries[0]
    assert np.array_equal(waveforms.read(entry, 100, 50), waveforms.read(entry)[100:150])
    with pytest.raises(InputError):
        Waveforms(corpora)


def test_a_window_depends_on_its_step_only(cache: Path) -> None:
    windows = Windows(Waveforms(cache), WindowConfig(frames=8, batch=3))
    later = windows(7)
    windows(1)
    again = windows(7)
    assert torch.equal(later.samples, again.samples) and torch.equal(later.top, again.top)
    assert later.mel.shape == (3, 8, 80) and later.samples.shape == (3, 2400)
    assert not torch.equal(later.samples, windows(8).samples)


def test_windows_of_filled_mels_are_of_filled_frames_as_loud_as_their_sound(
    cache: Path, tmp_path: Path
) -> None:
    cache = shutil.copytree(cache, tmp_path / "cache")
    waveforms = Waveforms(cache)
    first, second = waveforms.entries[:2]
    mels = np.concatenate([np.full((60, 80), place) for place in (-2.0, -1.0)])
    np.save(cache / MELS, mels.astype(np.float16))
    clips = [FilledClip(first.name, 0, 60, [(5, 20)]), FilledClip(second.name, 60, 60, [(30, 33)])]
    (cache / PLACES).write_text("".join(json.dumps(asdict(clip)) + "\n" for clip in clips))
    windows = Windows(waveforms, WindowConfig(frames=8, batch=5, filled=3, gain_db=(-20.0, -20.0)))
    batch = windows(0)
    assert batch.recorded == 2 and batch.mel.shape == (5, 8, 80)
    assert torch.allclose(batch.mel[2:], torch.tensor(-3.0), atol=1e-5)  # the second has no room
    sound = 0.1 * torch.from_numpy(waveforms.read(first))
    for window in batch.samples[2:]:
        own = sound.unfold(0, len(window), HOP)
        assert (own - window).abs().amax(1).argmin() in range(5, 13)
        assert (own - window).abs().amax(1).min() < 1e-5


def test_runs_to_fill_are_whole_words_with_pauses_between() -> None:
    ends = list(range(20, 800, 20))
    runs = drawn_runs(ends, np.random.default_rng(0))
    assert runs and all(0 < first < last and {first, last} <= set(ends) for first, last in runs)
    assert all(before[1] < after[0] for before, after in itertools.pairwise(runs))


def test_low_voices_are_drawn_more_often(tmp_path: Path) -> None:
    corpora = tmp_path / "LibriSpeech" / "train-clean-5"
    for speaker, pitch in (("19", 100.0), ("26", 200.0)):
        folder = corpora / speaker / "1"
        folder.mkdir(parents=True)
        time = np.arange(16000) / 16000
        tone = sum(np.sin(2 * np.pi * pitch * k * time) for k in range(1, 9)) / 20
        soundfile.write(folder / f"{speaker}-1-0000.flac", tone, 16000)
        (folder / f"{speaker}-1.trans.txt").write_text(f"{speaker}-1-0000 AH\n")
    prepare(read_corpora(tmp_path), tmp_path / "cache")
    waveforms = Waveforms(tmp_path / "cache")
    pitches = waveforms.pitches()
    assert pitches["librispeech-19"] == pytest.approx(100, rel=0.01)
    assert pitches["librispeech-26"] == pytest.approx(200, rel=0.01)
    same = WindowConfig(frames=8, batch=200, speed=(1.0, 1.0), low_voices=1e6)
    spectra = np.abs(np.fft.rfft(Windows(waveforms, same)(0).samples.numpy()))
    assert (spectra[:, 10] > spectra[:, 20] / 2).all()  # every window has a harmonic at 100 Hz


def test_the_loss_ignores_frequencies_above_the_recordings_band() -> None:
    whistle = torch.sin(2 * torch.pi * 10000 * torch.arange(24000) / 24000)
    true = 0.1 * torch.randn(1, 24000, generator=torch.Generator().manual_seed(0))
    made = true + 0.1 * whistle
    full = multi_resolution_loss(made, true, torch.tensor([12000.0]))
    part = multi_resolution_loss(made, true, torch.tensor([8000.0]))
    assert part < 0.1 * full
    assert multi_resolution_loss(true, true, torch.tensor([12000.0])) == 0
    assert known_bins(torch.tensor([12000.0]), 601).min() == 1


@pytest.mark.slow
def test_resumed_equals_uninterrupted(cache: Path, tmp_path: Path) -> None:
    def train(folder: Path, steps: int) -> TrainingRun:
        work = make(cache)
        found = TrainingRun(work.model, work.schedule, folder, work.rates)
        if not found.resume():
            found.follow_from(work.model.state_dict())
        while found.step < steps:
            found.train_step(work.losses)
        found.save()
        return found

    straight = train(tmp_path / "a", 2)
    train(tmp_path / "b", 1)
    resumed = train(tmp_path / "b", 2)
    for name, value in straight.model.state_dict().items():
        assert torch.equal(value, resumed.model.state_dict()[name]), name
        assert torch.equal(straight.average[name], resumed.average[name]), name


def test_training_learns_and_moves_every_parameter(cache: Path, tmp_path: Path) -> None:
    work = make(cache)
    start = {name: value.clone() for name, value in work.model.named_parameters()}
    batch = work.windows(0)
    before = work.losses_of(batch, 0)
    run = TrainingRun(work.model, work.schedule, tmp_path)
    for _ in range(8):
        run.train_step(work.losses)
    after = work.losses_of(batch, 0)
    for name in ("spectral", "discriminator"):
        assert after[name] < before[name], name
    moved = work.model.named_parameters()
    assert all(not torch.equal(start[name], value) for name, value in moved)


def test_discriminators_first_learn_alone_then_at_their_own_rate(
    cache: Path, tmp_path: Path
) -> None:
    config = CONFIG | {"discriminators": {"channels": 2, "alone": 1, "rate": 4.0}}
    work = VocoderTraining(config, Waveforms(cache, "train"))
    run = TrainingRun(work.model, work.schedule, tmp_path, work.rates)

    def moved(name: str) -> bool:
        return not torch.equal(start[name], work.model.state_dict()[name])

    for vocoder_learns in (False, True):
        start = {name: value.clone() for name, value in work.model.state_dict().items()}
        run.train_step(work.losses)
        assert moved("vocoder.head.weight") == vocoder_learns
        assert moved("discriminators.each.0.verdict.weight")
    rates = [group["lr"] for group in run.optimiser.param_groups]
    assert rates[1] == pytest.approx(4 * rates[0])


def test_without_spectral_losses_the_refinement_alone_learns(cache: Path, tmp_path: Path) -> None:
    zero = dict.fromkeys(("spectral", "mel", "amplitude", "harmonics", "pitch"), 0.0)
    work = VocoderTraining(CONFIG | {"loss": zero | {"heard": 1.0}}, Waveforms(cache))
    start = {name: value.clone() for name, value in work.vocoder.named_parameters()}
    run = TrainingRun(work.model, work.schedule, tmp_path)
    for _ in range(2):
        run.train_step(work.losses)
    moved = {
        name
        for name, value in work.vocoder.named_parameters()
        if not torch.equal(start[name], value)
    }
    assert moved and all(name.startswith("refinement.") for name in moved)


@pytest.mark.parametrize("frames", [5, 24])
@pytest.mark.parametrize("dilation", [1, 2, 4])
def test_a_dilated_layer_is_torchs(frames: int, dilation: int) -> None:
    ours = torch.nn.Conv2d(2, 3, (3, 9), (1, 2), (1, 4))
    theirs = torch.nn.Conv2d(2, 3, (3, 9), (1, 2), (dilation, 4), (dilation, 1))
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 2, frames, 33)
    assert torch.allclose(dilated(ours, x, dilation), theirs(x), atol=1e-5)


def test_each_side_of_the_discriminators_learns_by_its_own_losses() -> None:
    torch.manual_seed(0)
    both, top = Discriminators(2, 2), torch.tensor([8000.0])
    made = (0.1 * torch.randn(1, 2400)).requires_grad_()
    found = discriminator_losses(both, made, 0.1 * torch.randn(1, 2400), top)
    found["discriminator"].backward()
    assert made.grad is None
    for parameter in both.parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0
    both.zero_grad()
    (found["adversarial"] + found["matching"]).backward()
    assert made.grad is not None and bool(torch.isfinite(made.grad).all()) and made.grad.any()
    assert all(parameter.grad is None for parameter in both.parameters())


def test_discriminators_hear_nothing_above_the_recordings_band() -> None:
    both = Discriminators(2, 2)
    true = 0.1 * torch.randn(1, 2400, generator=torch.Generator().manual_seed(0))
    whistle = torch.sin(2 * torch.pi * 10000 * torch.arange(2400) / 24000)
    made = true + 0.1 * torch.hann_window(2400) * whistle
    full = discriminator_losses(both, made, true, torch.tensor([12000.0]))["matching"]
    part = discriminator_losses(both, made, true, torch.tensor([8000.0]))["matching"]
    assert part < 0.1 * full


def test_the_editor_loads_the_export(cache: Path, tmp_path: Path) -> None:
    work = make(cache)
    run = TrainingRun(work.model, work.schedule, tmp_path / "run")
    run.train_step(work.losses)
    run.save()
    write_config(CONFIG, tmp_path / "run" / "config.yaml")
    digest = export(tmp_path / "run", tmp_path / "out")
    vocoder = load_vocoder(tmp_path / "out")
    assert vocoder.sha256 == digest
    assert vocoder(torch.randn(20, 80) - 2).shape == (6000,)
    assert "LibriSpeech" in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(InputError):
        export(tmp_path / "nothing", tmp_path / "out")
