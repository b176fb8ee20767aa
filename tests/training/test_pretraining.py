"""A3T's pretraining as a whole, with a tiny network on synthetic features."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from a3t.errors import InputError
from a3t.learning.loop import reconstruction_loss
from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.pretrained import load_checkpoint
from tests.model.test_network import SMALL
from tests.training.stores import write_store
from training.devices import Place
from training.export import export
from training.features.clip_features import speech_features
from training.features.split_list import read_split
from training.features.store import Store, StoreWriter
from training.prefetch import prefetch
from training.pretrain import Pretraining, build_batches, main, start_from
from training.pretraining_objective import NETWORK, network_weights
from training.training_runs import TrainingRun

Make = Callable[..., tuple[Pretraining, TrainingRun]]

CONFIG: dict[str, Any] = {
    "model": SMALL | {"dropout": 0.0},
    "masking": {"scheme": "use", "arguments": {}},
    "data": {"crop": [60, 120], "batch_frames": 400, "jitter": 2, "augment": {"odds": 0.5}},
    "training": {"steps": 12, "rate": 3e-3, "warmup": 2, "decay": 4, "ema": 0.8},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_store(tmp_path_factory.mktemp("store"), {"train": 5, "dev": 1}, pitch=True)


@pytest.fixture
def make(store: Store) -> Callable[..., tuple[Pretraining, TrainingRun]]:
    def start(
        folder: Path, config: dict[str, Any] = CONFIG, **arguments: Any
    ) -> tuple[Pretraining, TrainingRun]:
        work = Pretraining(config, store, **arguments)
        return work, TrainingRun(work.model, work.schedule, folder)

    return start


def test_training_learns_and_validation_says_so(tmp_path: Path, make: Make) -> None:
    work, run = make(tmp_path)
    before = work.validate()["l1"]
    while run.step < 12:
        run.train_step(work.losses)
    assert run.judge(work.validate)["valid_l1"] < before


def test_a_critic_is_trained_and_resumed_beside_the_network_and_not_exported(
    tmp_path: Path, make: Make
) -> None:
    config = CONFIG | {"loss": {"adversarial": 0.2}}

    def start(folder: Path) -> tuple[Pretraining, TrainingRun]:
        return make(folder, config)

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


@pytest.mark.slow
def test_bfloat16_learns_the_same_and_short_runs_resume(tmp_path: Path, make: Make) -> None:
    found = []
    for low in (False, True):
        work, run = make(tmp_path / str(low), place=Place(bfloat16=low))
        run.train(work.losses, work.validate, minutes=0)  # is over before its first step
        assert run.step == 0 and run.resume()
        run.train(work.losses, work.validate)
        found.append(run.judge(work.validate)["valid_l1"])
    assert found[1] == pytest.approx(found[0], rel=0.1) and found[1] != found[0]


@pytest.mark.slow  # importing torch's compiler and tracing take ten seconds
@pytest.mark.parametrize("compiler", ["eager", "aot_eager"])
def test_a_compiled_network_learns_the_same_and_its_run_goes_on_without(
    compiler: str, tmp_path: Path, make: Make
) -> None:
    plain, one = make(tmp_path / "plain")
    compiled, other = make(tmp_path / "compiled", compiler=compiler)
    expected, found = one.train_step(plain.losses), other.train_step(compiled.losses)
    assert found["total"].item() == pytest.approx(expected["total"].item(), rel=1e-3)
    other.save()
    again, resumed = make(tmp_path / "compiled")
    assert resumed.resume() and resumed.step == 1
    assert again.validate() == pytest.approx(plain.validate(), rel=1e-3)


def test_the_editor_builds_the_exported_model(tmp_path: Path, make: Make) -> None:
    work, run = make(tmp_path / "run")
    run.train(work.losses, work.validate, log_every=4)
    (tmp_path / "run" / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    export(tmp_path / "run", tmp_path / "out", "1.0 dB", ["librispeech"])
    config, tensors, _ = load_checkpoint(tmp_path / "out")
    model = A3T.from_config(config)
    model.load_state_dict(tensors)
    for name, value in model.state_dict().items():
        torch.testing.assert_close(value, run.average[NETWORK + name], atol=2e-3, rtol=2e-3)
    card = (tmp_path / "out" / "README.md").read_text()
    assert "1.0 dB" in card and "12 steps" in card and "Panayotov" in card


def test_a_step_waits_for_no_number(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device "meta" has shapes but no numbers: whatever wants one, and would make a GPU wait
    for it, fails there."""
    model = CONFIG["model"] | {"pitch": True, "energy": True, "voice": 8, "normalise": True}
    config = CONFIG | {"model": model, "loss": {"adversarial": 0.2}}
    work = Pretraining(config, store)
    monkeypatch.setattr(torch, "autocast", lambda *_: nullcontext())  # knows no such device
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda *_: False)
    batch, objective = work.train(0).to("meta"), work.model.to("meta").train()
    with pytest.raises((RuntimeError, NotImplementedError)):
        batch.mel[batch.masked].mean()  # how many there are is such a number
    objective(batch)["total"].backward()
    torch.nn.utils.clip_grad_norm_(objective.parameters(), 1.0)
    for name, parameter in objective.named_parameters():
        assert parameter.grad is not None and parameter.grad.shape == parameter.shape, name


def test_the_loss_is_the_mean_over_the_masked_frames(store: Store) -> None:
    batch = build_batches(CONFIG, store, train=True)(0)
    before, after = torch.randn(2, *batch.mel.shape).unbind()
    inside = torch.arange(batch.mel.shape[1]) < batch.frames[:, None]
    masked = batch.masked & inside
    for power in (1, 2):
        wanted = sum(((x - batch.mel)[masked].abs() ** power).mean() for x in (before, after))
        found = reconstruction_loss(before, after, batch, power=power)
        assert found == pytest.approx(float(wanted), rel=1e-5)
    nothing = replace(batch, masked=torch.zeros_like(batch.masked))
    assert reconstruction_loss(before, after, nothing) == 0


def test_batches_made_ahead_are_the_same(store: Store) -> None:
    batches = build_batches(CONFIG, store, train=True)
    for first in (7, 3):  # a run may begin anywhere
        ahead = prefetch(batches, range(first, first + 3), workers=2)
        for step, batch in enumerate(ahead, first):
            assert torch.equal(batch.mel, batches(step).mel)


def test_the_network_is_standardised_by_the_stores_statistics(tmp_path: Path, make: Make) -> None:
    work, _ = make(tmp_path, CONFIG | {"model": CONFIG["model"] | {"normalise": True}})
    mean, scale = work.train.store.statistics()
    network = work.model.network
    torch.testing.assert_close(network.mel_mean, torch.tensor(mean).float())
    torch.testing.assert_close(network.mel_scale, torch.tensor(scale).float())


def test_pitch_and_energy_have_losses_and_validation_gets_neither(
    tmp_path: Path, make: Make
) -> None:
    model = CONFIG["model"] | {"pitch": True, "energy": True}
    work, run = make(tmp_path, CONFIG | {"model": model, "loss": {"pitch": 0.5, "energy": 2.0}})
    found = run.train_step(work.losses)
    expected = found["mel"] + 0.5 * found["pitch"] + 2.0 * found["energy"]
    torch.testing.assert_close(found["total"], expected)
    assert {"octaves", "voicing", "energy"} <= work.validate().keys()


def test_speech_only_trains_the_network(tmp_path: Path, make: Make) -> None:
    data = CONFIG["data"] | {"speech_only": 0.15}
    for told in (False, True):
        model = CONFIG["model"] | {"frame_phones": told, "frame_progress": told}
        work, _ = make(tmp_path, CONFIG | {"data": data, "model": model})
        work.losses(0)["total"].backward()
        mask = work.model.network.acoustic.mask
        assert mask.grad is not None and mask.grad.abs().sum() > 0


def test_a_run_begins_with_a_models_weights_and_goes_on_in_its_precision(tmp_path: Path) -> None:
    write_store(tmp_path / "store", {"train": 3, "dev": 1})
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(CONFIG))
    command = ["--config", str(config), "--features", str(tmp_path / "store"), "--threads", "1"]
    one, other = tmp_path / "one", tmp_path / "other"
    assert main([*command, "--out", str(one), "--steps", "2", "--precision", "bfloat16"]) == 0
    assert yaml.safe_load((one / "config.yaml").read_text())["precision"] == "bfloat16"
    command += ["--precision", "float32"]
    assert main([*command, "--out", str(one), "--steps", "3"]) == 0
    assert yaml.safe_load((one / "config.yaml").read_text())["precision"] == "bfloat16"
    start = str(one / "checkpoint.pt")
    assert main([*command, "--out", str(other), "--minutes", "0", "--init", start]) == 0
    trained, begun = (torch.load(run / "checkpoint.pt", weights_only=True) for run in (one, other))
    assert begun["step"] == 0
    for name, value in trained["average"].items():
        assert torch.equal(begun["model"][name], value), name


def test_blocks_that_the_weights_lack_change_nothing_at_first(store: Store, make: Make) -> None:
    before, trained = make(Path("unused"))
    before.model.eval()
    deeper = {**CONFIG, "model": {**CONFIG["model"], "decoder_blocks": 3}}
    after, grown = make(Path("unused"), deeper)
    start_from(grown, network_weights(trained.model.state_dict()))
    after.model.eval()
    batch = before.dev[0]
    with torch.inference_mode():
        old, new = (work.model.network(batch).mel for work in (before, after))
    torch.testing.assert_close(new, old, rtol=1e-4, atol=1e-4)
    after.model.train()
    after.model(after.dev[0])["total"].backward()
    last = after.model.network.decoder[2].first.shrink.weight
    assert last.grad is not None and last.grad.abs().max() > 0


def test_missing_features_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(CONFIG))
    command = ["--config", str(config), "--features", str(tmp_path / "no"), "--out", str(tmp_path)]
    assert main([*command, "--precision", "float32"]) == 1
    assert "holds no features" in capsys.readouterr().err


@pytest.fixture(scope="module")
def speech(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Speech without text, as `training.extract --speech` stores it."""
    folder = tmp_path_factory.mktemp("speech") / "train"
    rng = np.random.default_rng(5)
    with StoreWriter(folder, ["pitch"]) as writer:
        for k in range(4):
            found = speech_features(rng.normal(0, 0.1, 300 * 200).astype(np.float32), pitch=True)
            writer.add(f"spoken{k}", found, "voice9", "train")
    return Store(folder)


def test_both_sources_are_in_every_batch_in_their_proportion(store: Store, speech: Store) -> None:
    config = CONFIG | {"data": CONFIG["data"] | {"batch_frames": 800, "speech_share": 0.25}}
    batches, again = (build_batches(config, store, True, speech) for _ in range(2))
    frames = np.zeros(2)
    for step in range(24):
        batch = batches(step)
        alone = batch.phone_count == 0
        assert alone.any() and not alone.all()
        assert batch.masked.any(1).all() and (batch.frame_phone[alone] == -1).all()
        frames += [int(batch.frames[~alone].sum()), int(batch.frames[alone].sum())]
        both = [batches(step, (k, 2)) for k in range(2)]
        assert sum(len(part.mel) for part in both) == len(batch.mel)
    assert torch.equal(again(step).mel, batch.mel)  # so that a training resumes
    assert frames[1] / frames.sum() == pytest.approx(0.25, abs=0.05)
    with pytest.raises(InputError, match="speech_share"):
        build_batches(CONFIG | {"data": {"speech_share": 1.0}}, store, True, speech)


def test_speech_without_text_is_filled_alike_alone_and_beside_text(
    store: Store, speech: Store
) -> None:
    batch = build_batches(CONFIG, store, True, speech)(0)
    work = Pretraining(CONFIG, store, speech=speech)
    network = work.model.network.eval()
    k = int((batch.phone_count == 0).nonzero()[0])
    own = int(batch.frames[k])
    alone = Batch(
        batch.mel[k : k + 1, :own], batch.masked[k : k + 1, :own], batch.phones[k : k + 1, :0],
        batch.frame_phone[k : k + 1, :own], batch.frames[k : k + 1], batch.phone_count[k : k + 1],
        batch.row_offset[k : k + 1], None,
    )  # fmt: skip
    with torch.inference_mode():
        among = network(replace(batch, pitch=None)).after[k, :own]
        torch.testing.assert_close(network(alone).after[0], among, atol=2e-4, rtol=1e-3)


def test_what_was_heard_of_either_source_is_in_the_list(
    store: Store, speech: Store, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(CONFIG | {"training": {"steps": 1, "warmup": 1}}))
    options = ["--config", config, "--features", store.folder, "--speech", speech.folder]
    assert main([str(each) for each in [*options, "--out", tmp_path / "run"]]) == 0
    listed = read_split(tmp_path / "run")
    assert listed is not None
    assert {"spoken0", "train0", "dev0"} <= listed.by_name.keys()
