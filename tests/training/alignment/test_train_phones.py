"""The training data of the phone network, and a short training run."""

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from alignment import Alignment, AlignmentError, Phone, Word, pause
from alignment.formats import write_alignment
from alignment.network.phone_network import (
    BANDS,
    HOP,
    INDEX,
    RATE,
    STRIDE,
    SYMBOLS,
    band_power,
    features,
    load_weights,
    posteriors,
    sequence_scores,
)
from tests.alignment.conftest import Speech
from training.alignment import train_phones
from training.alignment.degradation import Backgrounds, degraded, stretched
from training.alignment.examples import (
    SEGMENT,
    UNSURE,
    Example,
    Examples,
    folder_examples,
    labels,
    pairs,
    segment,
    with_bands_hidden,
)
from training.alignment.phone_model import begin, network, weights_of
from training.alignment.train_phones import save, train


@pytest.fixture(scope="module")
def example(aligned: Alignment, speech: Speech) -> Example:
    return Example.of(speech[0], aligned)


@pytest.fixture(scope="module")
def backgrounds() -> Backgrounds:
    return Backgrounds.synthesised(12.0, np.random.default_rng(0))


def tones(seconds: float, phones: int) -> tuple[np.ndarray, Alignment]:
    """A tone for each phone, one above the other, so that any frame tells which phone it is."""
    symbols = SYMBOLS[1 : phones + 1]
    time = np.arange(round(seconds * RATE)) / RATE
    each = seconds / phones
    hertz = 200 * 1.4 ** np.minimum(time // each, phones - 1)
    sound = np.sin(2 * np.pi * np.cumsum(hertz) / RATE)
    words = tuple(
        Word(str(k), k * each, (k + 1) * each, 1.0, (Phone(s, k * each, (k + 1) * each),))
        for k, s in enumerate(symbols)
    )
    return (3000 * sound).astype(np.float32), Alignment(words, seconds)


def test_labels_stay_with_the_sound_at_another_pace_and_with_pauses(
    backgrounds: Backgrounds,
) -> None:
    """The loudest band tells the tone, whatever was done to its time."""
    sound, alignment = tones(9.0, 6)
    example = Example.of(sound, alignment)
    plain = features(sound)[::STRIDE].argmax(axis=1)
    clean = labels(example.symbols, example.ends, len(plain))
    band = {s: np.median(plain[clean == s]) for s in np.unique(clean)}
    for seed in range(8):
        random = np.random.default_rng(seed)
        power, ends = stretched(np.exp(example.logarithms.astype(np.float32)), example.ends, random)
        assert ends[-1] == pytest.approx(len(power) * HOP / RATE, rel=0.01)
        found = power[::STRIDE].argmax(axis=1)
        expected = labels(example.symbols, ends, len(found))
        shift = np.median([np.median(found[expected == s]) - b for s, b in band.items()])
        near = [abs(np.median(found[expected == s]) - b - shift) <= 2 for s, b in band.items()]
        assert all(near)


def test_segments_have_their_shape_and_every_degradation_is_finite(
    example: Example, backgrounds: Backgrounds
) -> None:
    random = np.random.default_rng(0)
    seen: set[int] = set()
    for _ in range(40):
        inputs, targets = segment(Examples.of([example]), backgrounds, random)
        assert inputs.shape == (SEGMENT * STRIDE, BANDS)
        assert targets.shape == (SEGMENT,)
        assert np.isfinite(inputs).all()
        seen |= set(targets.tolist())
    assert set(example.symbols.tolist()) <= seen


def test_noise_is_added_never_removed(example: Example, backgrounds: Backgrounds) -> None:
    """Powers of independent sounds add: only a narrow band removes anything."""
    power = np.exp(example.logarithms.astype(np.float32))
    for seed in range(20):
        result = degraded(power, backgrounds, power[::-1], np.random.default_rng(seed))
        lost = (result < 0.99 * power).any(axis=0)
        assert lost.all() or (result[:, ~lost] >= 0.99 * power[:, ~lost]).all()


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


def test_bands_are_hidden_in_some_segments() -> None:
    inputs = np.ones((200, 4, BANDS), np.float32)
    hidden = with_bands_hidden(inputs, np.random.default_rng(0)) == 0
    assert 0.1 < hidden.any(axis=(1, 2)).mean() < 0.3
    assert hidden.sum(axis=2).max() == 6
    assert (inputs == 1).all()


def test_saved_weights_give_the_same_posteriors() -> None:
    """With each normalisation folded into its convolution."""
    import torch

    torch.manual_seed(0)
    model = network()
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


def test_a_training_runs_goes_on_where_it_was_stopped_and_its_weights_are_read(
    example: Example, backgrounds: Backgrounds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch
    from safetensors.numpy import load_file

    monkeypatch.setattr(train_phones, "BATCH", 2)
    monkeypatch.setattr(Backgrounds, "synthesised", lambda *given: backgrounds)
    state, path = tmp_path / "state.pt", tmp_path / "net.safetensors"
    save(train([example], 2, state=state), pairs([example]), path)
    weights = {name: value.astype(np.float32) for name, value in load_file(path).items()}
    frames = np.random.default_rng(0).standard_normal((100, BANDS)).astype(np.float32)
    assert np.exp(posteriors(frames, weights)).sum(axis=1) == pytest.approx(1.0, abs=1e-3)
    assert weights["pairs"].shape == (len(SYMBOLS), len(SYMBOLS))
    written = state.stat().st_mtime_ns
    assert torch.load(state, weights_only=True)["step"] == 2
    train([example], 2, state=state)  # nothing is left to do
    assert state.stat().st_mtime_ns == written
    train([example], 2, state=tmp_path / "other.pt", minutes=0)
    assert not (tmp_path / "other.pt").exists()


def test_what_an_alignment_doubts_is_known_from_the_json_beside_it(
    aligned: Alignment, speech: Speech, tmp_path: Path
) -> None:
    soundfile.write(tmp_path / "a.wav", *speech)
    write_alignment(aligned, tmp_path / "a.TextGrid")
    doubted = [replace(word, score=0.2) if word.text else word for word in aligned.words]
    write_alignment(replace(aligned, words=tuple(doubted)), tmp_path / "a.json")
    (found,) = folder_examples(tmp_path)
    assert set(found.symbols.tolist()) <= {INDEX["sp"], UNSURE}


def test_a_deeper_network_begins_where_a_trained_one_ended(
    example: Example, backgrounds: Backgrounds
) -> None:
    import torch

    random = np.random.default_rng(0)
    inputs = np.stack([segment(Examples.of([example]), backgrounds, random)[0] for _ in range(12)])
    model = network()
    begin(model, load_weights(), torch.from_numpy(inputs))
    model.train()
    with torch.no_grad():
        found = model(torch.from_numpy(inputs))[0].argmax(dim=2).numpy()
    expected = np.stack([posteriors(each).argmax(axis=1) for each in inputs])
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
    assert len(folder_examples(tmp_path)) == 2
    (found,) = folder_examples(tmp_path, frozenset({"a"}))
    assert len(found.logarithms) == len(band_power(speech[0]))
    with pytest.raises(AlignmentError):
        folder_examples(tmp_path, frozenset({"a", "b"}))
