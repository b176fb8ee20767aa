"""Trainings on another device, in two processes, and what a machine lacks.

"meta" is a device without numbers: an operation of tensors of two devices fails on it as on a GPU.
"""

import contextlib
import importlib
import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from torch import nn

from evaluation.systems import train_systems
from tests.training.stores import write_store
from training import devices, pretrain, train_durations
from training.configuration import read_config
from training.devices import Place, refuse_missing
from training.features.store import Store
from training.text import train_punctuation
from training.text.punctuated_text import tagged
from training.training_runs import Work
from training.words import train_transformer_xl
from training.words.positioned_text import Positioned, WordList

ROOT = Path(__file__).parents[2]
CONF = ROOT / "recipes" / "mini" / "conf"
META = Place("meta")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_store(tmp_path_factory.mktemp("s"), {"train": 4, "dev": 2}, pitch=True)


def pretraining(store: Store) -> Work:
    config = read_config(CONF / "tiny.yaml")
    return pretrain.Pretraining(config, store, META)


def durations(store: Store) -> Work:
    return train_durations.DurationTraining(read_config(CONF / "tiny_durations.yaml"), store, META)


def editspeech(store: Store) -> Work:
    config = read_config(train_systems.CONFIGURATIONS / "editspeech.yaml")
    config["model"] |= {"width": 16, "hidden": 16}
    config["data"] |= {"crop": [16, 16], "batch_frames": 32}
    vectors = {clip.name: np.ones(256, np.float32) for clip in store.clips}
    return train_systems.SpeechTraining(config, store, vectors, META)


TEXT = ["We met on Monday, and it rained. Did you come? Yes, I did, by train."] * 60


def punctuation(store: Store) -> Work:
    config = yaml.safe_load((ROOT / "recipes/punctuation/conf/ffa.yaml").read_text())
    text = tagged(TEXT)
    network = train_punctuation.network_of(config, train_punctuation.vocabulary_of(text, 50, 64))
    chosen = train_punctuation.TaggerTraining(batch=2, bfloat16=False, r_drop=1.0)
    return train_punctuation.PunctuationTraining(network, text, chosen, None, text, META)


def language_model(store: Store) -> Work:
    config = read_config(
        ROOT / "recipes/words/conf/transformer_xl.yaml", ROOT / "recipes/words/conf/tiny.yaml"
    )
    words = WordList(tuple("abcdefgh"), np.ones(8), np.arange(8), np.zeros(8, bool))
    text = Positioned(np.arange(400) % 8, np.zeros((400, 3), np.int64))
    return train_transformer_xl.XLTraining(config, words, text, text, META)


@pytest.mark.parametrize(
    "training", [pretraining, durations, editspeech, punctuation, language_model]
)
def test_a_training_computes_where_it_is_told(
    training: Callable[[Store], Work], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda *_: False)
    monkeypatch.setattr(torch.Tensor, "__bool__", lambda _: False)  # "is anything padding?"
    work = training(store)
    assert {parameter.device.type for parameter in work.model.parameters()} == {"meta"}
    work.model.train()
    losses = work.losses(0)
    assert losses["total"].device.type == "meta"
    losses["total"].backward()


def test_a_configuration_with_pitch_is_refused_features_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "own.yaml"
    config.write_text("model: {pitch: true}\n")
    assert devices.main(["--config", str(config)]) == 1
    assert "give --pitch true" in capsys.readouterr().err
    assert devices.main(["--config", str(config), "--pitch"]) == 0
    config.write_text("model: {width: 8}\n")
    assert devices.main(["--config", str(config)]) == 0


def test_as_many_gpus_as_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for device, processes in (("cuda", 1), ("cuda", 2), ("cuda:1", 1), ("cpu", 3)):
        refuse_missing(device, processes)
    for device, processes in (("cuda", 3), ("cuda:2", 1), ("cuda:1", 2), ("tpu", 1), ("cpu", 0)):
        with pytest.raises(devices.InputError):
            refuse_missing(device, processes)


def run_pretraining(folder: Path, store: Store, *options: str) -> dict[str, torch.Tensor]:
    config = read_config(CONF / "tiny.yaml")
    config["model"] |= {"dropout": 0.0, "postnet_dropout": 0.0}
    config["loss"] = {}
    config["training"] |= {"steps": 3, "epoch": 3, "warmup": 1, "decay": 1}
    config["data"] |= {"crop": [60, 90], "batch_frames": 300, "augment": None}
    folder.mkdir(parents=True)
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    command = ["--config", str(folder / "c.yaml"), "--features", str(store.folder)]
    command += ["--precision", "float32", "--threads", "1", "--out", str(folder)]
    assert pretrain.main([*command, *options]) == 0
    state = torch.load(folder / "checkpoint.pt", weights_only=True)
    weights: dict[str, torch.Tensor] = state["model"]
    return weights


@pytest.mark.slow
def test_two_processes_train_what_one_does(store: Store, tmp_path: Path) -> None:
    one = run_pretraining(tmp_path / "one", store)
    two = run_pretraining(tmp_path / "two", store, "--processes", "2")
    for name, value in one.items():
        torch.testing.assert_close(two[name], value, rtol=2e-3, atol=2e-4, msg=name)
    rows = [
        [json.loads(line) for line in (tmp_path / run / "log.jsonl").read_text().splitlines()]
        for run in ("one", "two")
    ]
    assert len(rows[0]) == len(rows[1])
    assert math.isclose(rows[0][-1]["valid_total"], rows[1][-1]["valid_total"], rel_tol=1e-2)


def test_curves_for_tensorboard(store: Store, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    run_pretraining(tmp_path / "run", store, "--tensorboard")
    assert list((tmp_path / "run" / "tensorboard").glob("events.*"))


def test_r_drop_is_nothing_without_dropout_and_something_with_it() -> None:
    scores = torch.randn(2, 5, 4)
    assert float(train_punctuation.divergence(scores, scores)) == pytest.approx(0.0, abs=1e-6)
    other = nn.functional.dropout(scores, 0.5)
    apart = train_punctuation.divergence(scores, other)
    assert apart > 0
    torch.testing.assert_close(apart, train_punctuation.divergence(other, scores))


def test_a_training_without_a_better_validation_ends_early(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("\n".join(TEXT[:10]))
    config = yaml.safe_load((ROOT / "recipes/punctuation/conf/ffa.yaml").read_text())
    config["vocabulary"] = {"words": 50, "buckets": 64}
    config["encoder"] |= {"size": 16}
    config["training"] = {"batch": 2, "rate": 0.0, "epoch": 2, "patience": 4, "window": 32}
    (tmp_path / "c.yaml").write_text(yaml.safe_dump(config))
    text = ["--text", str(tmp_path / "text.txt"), "--out", str(tmp_path / "run")]
    assert train_punctuation.main([str(tmp_path / "c.yaml"), *text]) == 1  # nothing to judge by
    text += ["--dev", str(tmp_path / "text.txt")]
    assert train_punctuation.main([str(tmp_path / "c.yaml"), *text]) == 0
    state = torch.load(tmp_path / "run" / "checkpoint.pt", weights_only=True)
    assert state["step"] < 20


def trainings() -> list[str]:
    """Every module whose program trains by the one loop."""
    folders = ("training", "evaluation/systems")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    own = [path for path in files if path.name not in ("training_runs.py", "__main__.py")]
    loops = [path for path in own if re.search(r"\bcarry_out\(|TrainingRun\(", path.read_text())]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in loops]


def test_the_walk_finds_the_trainings() -> None:
    names = {name.rpartition(".")[2] for name in trainings()}
    assert {"pretrain", "train_durations", "train_systems", "train_phones", "gpu_kit"} <= names
    assert {"vocoder_training", "train_speakers", "train_word_network"} <= names


@pytest.mark.parametrize("name", trainings())
def test_each_training_refuses_a_missing_gpu_before_any_work(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before it reads a file: none of those it is given is there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    program = importlib.import_module(name).main
    arguments = ["--device", "cuda"]
    for each in program.options:
        value = "3" if each.settings.get("type") in (int, float) else "nowhere.yaml"
        value = "run" if "choices" in each.settings else value
        if each.settings.get("required"):
            arguments += [each.names[0], value]
        elif not each.names[0].startswith("-") and each.settings.get("nargs") != "?":
            arguments.insert(0, value)
    assert program(arguments) == 1
    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0 and "sees 0 GPUs here" in said
    assert not list(tmp_path.iterdir())
