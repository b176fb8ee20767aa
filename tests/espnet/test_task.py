"""The task on a toy corpus. Needs ESPnet (recipes/README.md); processes are forked, since
importing it anew takes longer than all that is tested here."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("espnet2", reason="ESPnet is not installed (see recipes/README.md)")

from a3t.model.a3t import A3T
from a3t.pretrained import save_checkpoint
from tests.children import in_child
from tests.espnet.toy import CONFIG, command, losses, state, write_corpus
from training.configuration import merge
from training.espnet import train
from training.export import read_run
from training.features.corpus_batches import Batches
from training.features.store import Store
from training.pretrain import Pretraining
from training.training_runs import TrainingRun


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder)
    return folder


@pytest.fixture(scope="module")
def finished(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four epochs without interruption; two batches for each step of the optimiser."""
    out = tmp_path_factory.mktemp("whole") / "exp"
    assert train.main(command(corpus, out, "--max_epoch", "4", "--accum_grad", "2")) == 0
    return out


def test_training_learns_and_averages_its_best_epochs(finished: Path) -> None:
    found = losses(finished)
    assert len(found) == 4
    assert found[-1][1] < found[0][1]
    average = torch.load(finished / "valid.loss.ave.pth", weights_only=True)
    best = sorted(range(4), key=lambda k: found[k][1])[:2]
    weights = [torch.load(finished / f"{k + 1}epoch.pth", weights_only=True) for k in best]
    name = "network.output.weight"
    assert torch.allclose(average[name], (weights[0][name] + weights[1][name]) / 2, atol=1e-6)


def test_killed_in_the_middle_of_an_epoch_a_run_goes_on_as_if_it_had_not_been(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    out = tmp_path / "exp"
    # A loader that takes its time in the third epoch, so that the kill falls inside it.
    arguments = command(corpus, out, "--max_epoch", "4", "--accum_grad", "2")

    def until_killed() -> None:
        plain = Batches.__call__

        def slow(self: Batches, step: int, part: tuple[int, int] = (0, 1)) -> Any:
            if self.train and step >= 9:
                (tmp_path / "inside").touch()
                time.sleep(0.5)
            return plain(self, step, part)

        Batches.__call__ = slow  # type: ignore[method-assign]
        train.main(arguments)

    child = in_child(until_killed)
    while not (tmp_path / "inside").exists() and child.is_alive():
        time.sleep(0.05)
    assert child.pid is not None and child.is_alive()
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    assert child.exitcode == -signal.SIGKILL

    assert len(losses(out)) == 2
    assert train.main([*arguments, "--resume", "true"]) == 0
    assert losses(out) == losses(finished)
    one, other = state(out)["model"], state(finished)["model"]
    assert all(torch.equal(one[name], other[name]) for name in other)


def test_a_checkpoint_cut_off_by_a_kill_is_replaced_by_the_one_before(
    corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "exp"
    assert train.main(command(corpus, out, "--max_epoch", "2")) == 0
    last = out / "checkpoint.pth"
    last.write_bytes(last.read_bytes()[:-2000])
    expected = losses(out, "checkpoint.previous.pth")
    assert train.main(command(corpus, out, "--max_epoch", "2", "--resume", "true")) == 0
    assert losses(out)[:1] == expected and len(losses(out)) == 2


def test_a_full_disk_is_reported_and_the_run_resumes_from_the_last_checkpoint(
    corpus: Path,
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "exp"
    arguments = command(corpus, out, "--max_epoch", "4", "--accum_grad", "2")
    plain = torch.save

    def full(what: object, path: Path) -> None:
        if (out / "1epoch.pth").exists() and path.name == "checkpoint.pth":
            path.write_bytes(b"half of")
            raise RuntimeError("[enforce fail] PytorchStreamWriter failed writing file data/3")
        plain(what, path)

    monkeypatch.setattr(torch, "save", full)
    assert train.main(arguments) == 1
    assert "the disk is full" in capsys.readouterr().err
    monkeypatch.setattr(torch, "save", plain)
    assert train.main([*arguments, "--resume", "true"]) == 0
    assert losses(out) == losses(finished)


def test_workers_change_nothing(corpus: Path, tmp_path: Path) -> None:
    found = []
    for workers in ("0", "2"):
        out = tmp_path / workers
        assert train.main(command(corpus, out, "--max_epoch", "1", "--num_workers", workers)) == 0
        found.append(losses(out))
    assert found[0] == found[1]


def srun(rank: int) -> dict[str, str]:
    """The variables that SLURM sets for one task of two, each on its own machine."""
    each = dict.fromkeys(("PROCID", "NODEID"), str(rank)) | {"LOCALID": "0", "NTASKS": "2"}
    both = each | {"STEP_NUM_NODES": "2", "STEP_NODELIST": "one,other"}
    return {f"SLURM_{name}": value for name, value in both.items()}


@pytest.mark.parametrize("kind", ["pitch and energy", "speech only", "by SLURM"])
def test_two_processes_are_one_with_the_same_batch(corpus: Path, tmp_path: Path, kind: str) -> None:
    # Without dropout, whose random numbers can't be shared out among processes. BatchNorms count
    # the clips of both. With Adam, gradients that are rounding alone would become steps. Two
    # processes add in another order, and rounding grows with steps (weights changed by 1e-7 change
    # the loss by 1e-7, after eight by 1.4e-4: an L1 of nearly 0 changes its sign): one step of all.
    told = kind == "pitch and energy"
    still = {
        "model": {"dropout": 0.0, "postnet_dropout": 0.0, "pitch": told, "energy": told},
        "data": {"speech_only": 0.15 if kind == "speech only" else None},
        "espnet": {"optim": "sgd", "optim_conf": {"lr": 0.1}, "scheduler": None},
    }
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    epoch = ("--max_epoch", "1", "--accum_grad", "4")
    assert train.main(command(corpus, alone, *epoch, config=still)) == 0
    # They meet by a file: a port that is free now may be another test's in a moment.
    meeting = (tmp_path / "meeting").as_uri()

    def worker(rank: int) -> Callable[[], None]:
        which = ("--dist_world_size", "2", "--dist_rank", str(rank))
        more = ("--dist_launcher", "slurm") if kind == "by SLURM" else which
        more += ("--dist_backend", "gloo", "--dist_init_method", meeting)
        more += ("--multiprocessing_distributed", "false", *epoch)
        arguments = command(corpus, shared, *more, config=still)

        def work() -> None:
            if kind == "by SLURM":
                os.environ.update(srun(rank))
            os._exit(train.main(arguments))

        return work

    # Both write the settings before either reads them.
    for child in [in_child(work) for work in [worker(0), worker(1)]]:
        child.join()
        assert child.exitcode == 0
    assert np.allclose(losses(shared), losses(alone), rtol=1e-5)
    here, there = (state(out)["reporter"]["stats"][1]["train"] for out in (alone, shared))
    for name in {"mel", "pitch", "energy"} & here.keys():
        assert there[name] == pytest.approx(here[name], rel=1e-5)
    one, other = state(shared)["model"], state(alone)["model"]
    for name in other:  # the gradients times the rate of 0.1
        assert torch.allclose(one[name].float(), other[name].float(), atol=1e-6), name


def test_both_loops_train_the_same(corpus: Path, tmp_path: Path) -> None:
    """One configuration gives the same batches, losses, rates and steps, so the same weights."""
    config = merge(CONFIG, {"model": {"dropout": 0.0, "postnet_dropout": 0.0}})
    for name, data in (("crops", {"crop": [20, 40]}), ("whole", {})):
        own = merge(config, {"data": data, "training": {"steps": 8}})
        out = tmp_path / name
        assert train.main(command(corpus, out, config=own)) == 0
        work = Pretraining(own, Store(corpus))
        plain = TrainingRun(work.model, work.schedule, tmp_path / f"{name} plain")
        sums = [float(plain.train_step(work.losses)["total"]) for _ in range(8)]
        stats = state(out)["reporter"]["stats"]
        assert stats[2]["train"]["mel"] == pytest.approx(np.mean(sums[4:]), rel=0.05)
        weights = state(out)["model"]
        for key, value in plain.model.state_dict().items():
            assert torch.allclose(weights[key], value, atol=1e-5), (name, key)


@pytest.mark.parametrize(
    ("more", "reason"),
    [(("--features", "nowhere"), "holds no features"), (("--collect_stats", "true"), "no statis")],
)
def test_what_cannot_be_done_is_one_sentence(
    corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, str],
    reason: str,
) -> None:
    assert train.main(command(corpus, tmp_path / "exp", *more)) == 1
    assert reason in capsys.readouterr().err


def test_tensorboard_has_the_losses_where_it_is_asked_for(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    events = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    arguments = command(corpus, tmp_path / "exp", "--max_epoch", "1", "--use_tensorboard", "true")
    assert train.main(arguments) == 0
    written = events.EventAccumulator(str(tmp_path / "exp" / "tensorboard" / "train")).Reload()
    (name,) = (tag for tag in written.Tags()["scalars"] if tag.endswith("loss"))
    assert written.Scalars(name)[-1].value == pytest.approx(losses(tmp_path / "exp")[0][0], rel=0.2)
    monkeypatch.setattr("training.espnet.task.find_spec", lambda _: None)
    assert train.main(arguments) == 1
    assert "a3t[train]" in capsys.readouterr().err


def test_a_run_starts_from_a_packed_model_and_trains_in_bfloat16(
    corpus: Path, tmp_path: Path
) -> None:
    network = A3T(**CONFIG["model"])
    tensors = {name: value.half() for name, value in network.state_dict().items()}
    save_checkpoint(tmp_path / "packed", {"model": CONFIG["model"]}, tensors, "")
    out = tmp_path / "exp"
    still = {"optim": "sgd", "optim_conf": {"lr": 0.0}, "scheduler": None, "precision": "bfloat16"}
    more = ("--max_epoch", "1", "--init", str(tmp_path / "packed"))
    assert train.main(command(corpus, out, *more, config={"espnet": still})) == 0
    weights = state(out)["model"]
    for name, value in network.named_parameters():
        assert torch.equal(weights[f"network.{name}"], value.half().float()), name


CHANGES: dict[str, dict[str, Any]] = {
    "no alignment embedding": {"model": {"alignment_rows": 0}},
    "Transformer": {"model": {"encoder_kernel": None, "decoder_kernel": None}},
    "no Post-Net": {"model": {"postnet_layers": 0}},
    "L2": {"loss": {"power": 2}},
    "a critic": {"loss": {"adversarial": 0.2}},
    "speech only": {"data": {"speech_only": 0.15}},
    "pitch, energy and voice": {"model": {"pitch": True, "energy": True, "voice": 8}},
    "crops": {
        "model": {"frame_phones": True, "frame_progress": True, "phone_positions": "aligned"},
        "data": {"crop": [20, 30], "augment": {"warp": 0.1}},
        "masking": {"scheme": "use", "arguments": {"ratio": [0.2, 0.8]}},
    },
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_kind_of_configuration_trains(corpus: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "exp"
    assert train.main(command(corpus, out, "--max_epoch", "1", config=CHANGES[name])) == 0
    found = state(out)
    assert np.isfinite(losses(out)).all()
    # Whatever is left out, all that is there is trained.
    moments = found["optimizers"][0]["state"]
    idle = [k for k, values in moments.items() if not values["exp_avg"].abs().sum() > 0]
    allowed = 3 if name == "speech only" else 0  # no phones, and of the alignment row 0 alone
    assert len(idle) <= allowed, idle
    if name == "a critic":
        average = torch.load(out / "valid.loss.ave.pth", weights_only=True)
        assert any(key.startswith("critic.") for key in average)
        _, packed, _ = read_run(out)
        assert not any("critic" in key for key in packed)
