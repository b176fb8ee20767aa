"""The training data of the phone network, and a short training run."""

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from alignment import Alignment, AlignmentError, Phone, Word, pause
from alignment.formats import write_alignment
from alignment.network.phone_network import (
    BANDS,
    INDEX,
    SAMPLE_RATE_HZ,
    STRIDE,
    SYMBOLS,
    band_power,
    load_weights,
    posteriors,
    sequence_scores,
    with_tract,
)
from tests.alignment.conftest import Speech
from training.alignment import train_phones
from training.alignment.examples import UNSURE, Example, folder_examples, pairs
from training.alignment.phone_model import PhoneModel, begin, weights_of
from training.alignment.segments import (
    HIDDEN_BANDS,
    HIDDEN_FRAMES,
    SEGMENT,
    Backgrounds,
    Clips,
    by_tract,
    degraded,
    hidden,
    in_a_room,
    segments,
    speech,
)
from training.alignment.train_phones import PhoneTraining, main
from training.training_runs import TrainingSchedule


@pytest.fixture(scope="module")
def example(aligned: Alignment, speech: Speech) -> Example:
    return Example.of(speech[0], aligned)


@pytest.fixture(scope="module")
def backgrounds() -> Backgrounds:
    return Backgrounds.synthesised(6.0, np.random.default_rng(0), torch.device("cpu"))


def tones(seconds: float, phones: int) -> tuple[np.ndarray, Alignment]:
    """A tone for each phone, one above the other, so that any frame tells which phone it is."""
    symbols = SYMBOLS[1 : phones + 1]
    time = np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    each = seconds / phones
    hertz = 200 * 1.4 ** np.minimum(time // each, phones - 1)
    sound = np.sin(2 * np.pi * np.cumsum(hertz) / SAMPLE_RATE_HZ)
    words = tuple(
        Word(str(k), k * each, (k + 1) * each, 1.0, (Phone(s, k * each, (k + 1) * each),))
        for k, s in enumerate(symbols)
    )
    return (3000 * sound).astype(np.float32), Alignment(words, seconds)


def test_labels_stay_with_the_sound_at_another_pace_and_with_pauses() -> None:
    """The loudest band tells the tone, whatever was done to its time."""
    clips = Clips.of([Example.of(*tones(9.0, 6))], torch.device("cpu"))
    power, phones = speech(clips, 24, torch.Generator().manual_seed(0))
    for loudest, names in zip(power.argmax(2), phones, strict=True):
        bands = [
            float(loudest[names == k].float().median()) for k in range(1, 7) if (names == k).any()
        ]
        assert bands == sorted(set(bands))  # each tone is one phone's
        near = [(loudest[names == k] - b).abs() <= 2 for k, b in enumerate(bands, _lowest(names))]
        assert torch.cat(near).float().mean() > 0.97


def _lowest(names: torch.Tensor) -> int:
    """The first of the tones' phones that is heard."""
    return int(names[names > 0].min())


def test_another_tract_is_what_live_words_call_one() -> None:
    logarithms = np.random.default_rng(0).standard_normal((20, BANDS)).astype(np.float32)
    for tract in (0.9, 1.0, 1.1):
        found = torch.from_numpy(logarithms) @ by_tract(torch.full((1, 1), tract))[0]
        assert found.numpy() == pytest.approx(with_tract(logarithms, tract), abs=1e-3)


def test_silence_is_labelled_as_such() -> None:
    """Between words, and after what is too short: tones in noise are louder than its room tone."""
    sound, alignment = tones(1.2, 3)
    quiet = np.random.default_rng(0).standard_normal(SAMPLE_RATE_HZ // 2).astype(np.float32)
    words = (*alignment.words, pause(1.2, 1.7))
    example = Example.of(np.concatenate([sound, quiet]), Alignment(words, 1.7))
    power, phones = speech(
        Clips.of([example], torch.device("cpu")), 24, torch.Generator().manual_seed(0)
    )
    loud = power.sum(2).log()
    loud -= loud.amax(1, keepdim=True)
    assert ((loud < -5) == (phones == INDEX["sp"])).float().mean() > 0.97


def test_segments_have_their_shape_and_every_degradation_is_finite(
    example: Example, backgrounds: Backgrounds
) -> None:
    clips = Clips.of([example], torch.device("cpu"))
    inputs, phones = segments(clips, backgrounds, 40, torch.Generator().manual_seed(0))
    assert inputs.shape == (40, SEGMENT * STRIDE, BANDS)
    assert phones.shape == (40, SEGMENT)
    assert inputs.isfinite().all()
    assert set(example.symbols.tolist()) <= set(phones.flatten().tolist())


def test_clips_are_drawn_as_often_as_they_are_long_times_their_weight(example: Example) -> None:
    """A marked clip that weighs three times as much as another."""
    marked = replace(example, symbols=np.full_like(example.symbols, UNSURE), weight=3.0)
    clips = Clips.of([marked, example], torch.device("cpu"))
    _, phones = speech(clips, 400, torch.Generator().manual_seed(0))
    assert 0.68 < (phones[:, 0] == UNSURE).float().mean() < 0.82


def test_noise_is_added_never_removed(example: Example, backgrounds: Backgrounds) -> None:
    """Powers of independent sounds add: only a narrow band removes anything."""
    clips, draw = Clips.of([example], torch.device("cpu")), torch.Generator().manual_seed(0)
    power, _ = speech(clips, 40, draw)
    lost = (degraded(power, backgrounds, draw) < 0.99 * power).float().mean(1)
    assert ((lost == 0) | (lost > 0.9)).all()


def test_a_room_has_a_tail_that_dies_away() -> None:
    power = torch.full((30, 400, BANDS), 1e-9)
    power[:, 10] = 1.0
    tail = in_a_room(power, torch.Generator().manual_seed(0))[:, 11:].mean(2)
    assert (tail[:, 0] > 1e-4).all()
    assert (tail[:, 200] < 0.1 * tail[:, 0]).all()


def test_words_that_are_doubted_teach_nothing() -> None:
    words = (
        pause(0.0, 0.5),
        Word("a", 0.5, 1.0, 0.9, (Phone("AH0", 0.5, 1.0),)),
        Word("b", 1.0, 1.5, 0.3, (Phone("B", 1.0, 1.2), Phone("IY1", 1.2, 1.5))),
    )
    example = Example.of(np.ones(24_000), Alignment(words, 1.5))
    assert example.symbols.tolist() == [INDEX["sp"], INDEX["AH"], UNSURE, UNSURE]
    assert example.last.tolist() == [False, True, False, True]
    assert np.exp(pairs([example])).sum(axis=1) == pytest.approx(1.0)


def test_followers_are_counted(example: Example) -> None:
    found = pairs([example])
    assert np.exp(found).sum(axis=1) == pytest.approx(1.0)
    first, second = example.symbols[3], example.symbols[4]
    assert found[first, second] > np.median(found[first])


def test_bands_and_moments_are_hidden_in_some_segments() -> None:
    inputs = torch.ones(300, 200, BANDS)
    gone = hidden(inputs, torch.Generator().manual_seed(0)) == 0
    bands, moments = gone.all(1), gone.all(2)
    assert 0.1 < bands.any(1).float().mean() < 0.3
    assert bands.sum(1).max() == HIDDEN_BANDS
    assert 0.3 < moments.any(1).float().mean() < 0.5
    assert moments.sum(1).max() <= HIDDEN_FRAMES
    assert (inputs == 1).all()


def test_saved_weights_give_the_same_posteriors() -> None:
    """With each normalisation folded into its convolution."""
    torch.manual_seed(0)
    model = PhoneModel()
    inputs = np.random.default_rng(0).standard_normal((4, 200, BANDS)).astype(np.float32)
    for _ in range(3):  # so that the normalisations have seen something
        model(torch.from_numpy(inputs))
    model.up.weight.data.normal_(std=0.1)
    model.eval()
    for frames in (200, 198, 195):
        with torch.no_grad():
            phones, whole = model(torch.from_numpy(inputs[:1, :frames]))
        weights, given = weights_of(model), inputs[0, :frames]
        assert posteriors(given, weights) == pytest.approx(
            phones[0].log_softmax(dim=1).numpy(), abs=1e-3
        )
        assert sequence_scores(given, weights) == pytest.approx(whole[0].numpy(), abs=1e-3)


def test_a_training_run_resumes_and_its_weights_are_read(
    aligned: Alignment,
    speech: Speech,
    backgrounds: Backgrounds,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Backgrounds, "synthesised", lambda *given: backgrounds)
    soundfile.write(tmp_path / "a.wav", *speech)
    write_alignment(aligned, tmp_path / "a.json")
    path, state = tmp_path / "net.safetensors", tmp_path / "net" / "checkpoint.pt"
    arguments = [str(tmp_path), "--out", str(path), "--batch", "2", "--slow-width", "32"]
    assert main([*arguments, "--steps", "2"]) == 0
    weights = load_weights(path)
    frames = np.random.default_rng(0).standard_normal((100, BANDS)).astype(np.float32)
    assert np.exp(posteriors(frames, weights)).sum(axis=1) == pytest.approx(1.0, abs=1e-3)
    assert weights["pairs"].shape == (len(SYMBOLS), len(SYMBOLS))
    assert torch.load(state, weights_only=True)["step"] == 2
    assert main([*arguments, "--steps", "3"]) == 0
    assert torch.load(state, weights_only=True)["step"] == 3
    assert main([*arguments, "--steps", "9", "--minutes", "1e-9"]) == 0
    assert torch.load(state, weights_only=True)["step"] == 3


def test_what_is_held_out_is_measured_and_not_learnt(
    example: Example, backgrounds: Backgrounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same losses with it and without it."""
    monkeypatch.setattr(train_phones, "HELD_OUT", 2)
    monkeypatch.setattr(Backgrounds, "synthesised", lambda *given: backgrounds)
    schedule = TrainingSchedule(1)
    alone, beside = (
        PhoneTraining([example], held_out, schedule, batch=2, slow_width=32)
        for held_out in ([], [example])
    )
    assert alone.validate() == {}
    assert set(beside.validate()) == {"total", "frames", "sequences", "wrong_phones"}
    torch.manual_seed(0)
    expected = alone.losses(0)["total"]
    torch.manual_seed(0)
    assert beside.losses(0)["total"] == expected


def test_what_an_alignment_doubts_is_known_from_the_json_beside_it(
    aligned: Alignment, speech: Speech, tmp_path: Path
) -> None:
    soundfile.write(tmp_path / "a.wav", *speech)
    write_alignment(aligned, tmp_path / "a.TextGrid")
    doubted = [replace(word, score=0.2) if word.text else word for word in aligned.words]
    write_alignment(replace(aligned, words=tuple(doubted)), tmp_path / "a.json")
    (found,), _ = folder_examples(tmp_path, tmp_path / "kept")
    assert set(found.symbols.tolist()) <= {INDEX["sp"], UNSURE}


def test_a_deeper_network_begins_where_a_trained_one_ended(
    example: Example, backgrounds: Backgrounds
) -> None:
    clips = Clips.of([example], torch.device("cpu"))
    inputs, _ = segments(clips, backgrounds, 12, torch.Generator().manual_seed(0))
    model = PhoneModel()
    begin(model, load_weights(), inputs)
    expected = np.stack([posteriors(each).argmax(axis=1) for each in inputs.numpy()])
    for training in (True, False):
        model.train(training)
        with torch.no_grad():
            found = model(inputs)[0].argmax(dim=2).numpy()
        assert (found == expected).mean() > 0.9


def test_a_folders_list_is_read_except_for_excluded_clips(
    aligned: Alignment, speech: Speech, tmp_path: Path
) -> None:
    for name in ("a", "b", "c"):
        soundfile.write(tmp_path / f"{name}.wav", *speech)
    scores = {"a": 0.9, "b": 0.9, "c": 0.3}
    entries = [
        {"path": f"{name}.wav", "alignment": aligned.to_json() | {"score": score}}
        for name, score in scores.items()
    ]
    with lzma.open(tmp_path / "alignments.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write("".join(f"{json.dumps(entry)}\n" for entry in entries))
    assert [len(part) for part in folder_examples(tmp_path, tmp_path / "kept")] == [2, 0]
    (found,), apart = folder_examples(tmp_path, tmp_path / "kept", frozenset({"a"}))
    assert len(apart) == 1
    assert len(found.logarithms) == len(band_power(speech[0]))
    with pytest.raises(AlignmentError):
        folder_examples(tmp_path, tmp_path / "kept", frozenset({"a", "b"}))
