"""A3T's pretraining as a whole, with a tiny network on made-up features."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from a3t.model.a3t import A3T
from a3t.pretrained import load_checkpoint
from a3t.training.export import export
from a3t.training.loop import Run
from a3t.training.prefetch import Prefetch
from a3t.training.pretrain import Pretraining, cepstral_distance
from tests.model.test_network import SMALL
from tests.training.test_data import make_crops, make_features

CONFIG: dict[str, Any] = {
    "model": SMALL | {"dropout": 0.0},
    "masking": {"scheme": "use", "arguments": {}},
    "data": {"frames": [60, 120], "batch_frames": 400, "augment": {"odds": 0.5}},
    "training": {"steps": 12, "rate": 3e-3, "warmup": 2, "decay": 4, "ema": 0.8},
}


def make(folder: Path, **arguments: Any) -> tuple[Pretraining, Run]:
    work = Pretraining(CONFIG, make_features(), **arguments)
    return work, Run(work.model, work.schedule, folder)


def test_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    work, whole = make(tmp_path / "whole")
    whole.train(work.losses, work.validate)
    work, first = make(tmp_path / "parts")
    while first.step < 5:
        first.train_step(work.losses)
    first.save()
    work, second = make(tmp_path / "parts")
    second.resume()
    second.train(work.losses, work.validate)
    for name, value in whole.average.items():
        assert torch.equal(value, second.average[name]), name


def test_training_learns_and_validation_says_so(tmp_path: Path) -> None:
    work, run = make(tmp_path)
    before = work.validate()
    while run.step < 12:
        run.train_step(work.losses)
    assert run._validate(work.validate)["valid_l1"] < before["l1"]


def test_a_critic_is_trained_and_resumed_beside_the_network_and_not_exported(
    tmp_path: Path,
) -> None:
    config = CONFIG | {"loss": {"adversarial": 0.2}}

    def start(folder: Path) -> tuple[Pretraining, Run]:
        work = Pretraining(config, make_features())
        return work, Run(work.model, work.schedule, folder)

    work, whole = start(tmp_path / "whole")
    fresh = {name: value.clone() for name, value in work.model.state_dict().items()}
    found = [whole.train_step(work.losses) for _ in range(3)]
    assert {"critic", "adversarial", "matching"} <= found[0].keys()
    trained = work.model.state_dict()
    for name, value in fresh.items():
        if name.startswith("critic."):
            assert not torch.equal(value, trained[name]), name

    work, first = start(tmp_path / "parts")
    first.train_step(work.losses)
    first.save()
    (tmp_path / "parts" / "config.yaml").write_text(yaml.safe_dump(config))
    work, second = start(tmp_path / "parts")
    second.resume()
    again = [second.train_step(work.losses) for _ in range(2)]
    assert again == found[1:]

    export(tmp_path / "parts", tmp_path / "model", "quality")
    _, tensors, _ = load_checkpoint(str(tmp_path / "model"))
    A3T.from_config(config).load_state_dict(tensors)


def test_bfloat16_learns_the_same_and_short_runs_resume(tmp_path: Path) -> None:
    found = []
    for low in (False, True):
        work, run = make(tmp_path / str(low), bf16=low)
        run.train(work.losses, work.validate, minutes=0)  # is over before its first step
        assert run.step == 0 and run.resume()
        run.train(work.losses, work.validate)
        found.append(run._validate(work.validate)["valid_l1"])
    assert found[1] == pytest.approx(found[0], rel=0.1) and found[1] != found[0]


def test_what_is_exported_is_what_the_editor_builds(tmp_path: Path) -> None:
    import yaml

    work, run = make(tmp_path / "run")
    run.train(work.losses, work.validate, log_every=4, validate_every=6)
    (tmp_path / "run" / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    export(tmp_path / "run", tmp_path / "out", "1.0 dB")
    config, tensors, _ = load_checkpoint(tmp_path / "out")
    model = A3T.from_config(config)
    model.load_state_dict(tensors)
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, run.average[name], atol=2e-3, rtol=2e-3)
    assert "1.0 dB" in (tmp_path / "out" / "README.md").read_text()


def test_batches_made_ahead_are_the_same(tmp_path: Path) -> None:
    crops = make_crops()
    ahead, at_once = Prefetch(crops.batch, 4, workers=2), Prefetch(crops.batch, 4)
    for step in (7, 8, 9, 3, 4):  # goes on in order, and can begin anywhere
        assert torch.equal(ahead(step).mel, at_once(step).mel)


def test_the_cepstral_distance_by_hand() -> None:
    """One cosine of amplitude a (natural log) in the mel is one cepstral coefficient of a."""
    bins = torch.arange(80) + 0.5
    other = 0.3 / math.log(10.0) * torch.cos(5 * math.pi / 80 * bins)
    distance = cepstral_distance(torch.zeros(1, 80), other[None])
    assert distance.item() == pytest.approx(10 / math.log(10) * math.sqrt(2) * 0.3, rel=1e-5)
    assert cepstral_distance(torch.zeros(1, 80), torch.full((1, 80), 2.0)).item() < 1e-4  # no c0
