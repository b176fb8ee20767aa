"""The task on a toy corpus. Needs ESPnet (recipes/README.md); processes are forked, since
importing it anew takes longer than all that is tested here."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("espnet2", reason="ESPnet is not installed (see recipes/README.md)")

from a3t.training.espnet import train
from a3t.training.espnet.pack import read_average
from a3t.training.espnet.preprocess import Preprocess
from tests.espnet.toy import CONFIG, command, losses, state, write_corpus

FORK = multiprocessing.get_context("fork")


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


def in_child(work: Callable[[], object]) -> multiprocessing.Process:
    process = FORK.Process(target=work)
    process.start()  # type: ignore[attr-defined]
    return process  # type: ignore[return-value]


def test_training_learns_and_averages_its_best_epochs(finished: Path) -> None:
    found = losses(finished)
    assert len(found) == 4
    assert found[-1][1] < found[0][1]
    average = torch.load(finished / "valid.loss.ave.pth", weights_only=True)
    best = sorted(range(4), key=lambda k: found[k][1])[:2]
    weights = [torch.load(finished / f"{k + 1}epoch.pth", weights_only=True) for k in best]
    name = "network.output.weight"
    assert torch.allclose(average[name], (weights[0][name] + weights[1][name]) / 2, atol=1e-6)


def test_a_run_is_packed_for_the_model_zoo_and_read_back(finished: Path, tmp_path: Path) -> None:
    from espnet2.main_funcs.pack_funcs import unpack

    from a3t.training.espnet.pack import pack_zoo
    from a3t.training.espnet.task import A3TTask

    pack_zoo(finished, tmp_path / "a3t.zip")
    files = unpack(tmp_path / "a3t.zip", tmp_path / "unpacked")
    model, _ = A3TTask.build_model_from_file(files["a3t_train_config"], files["a3t_model_file"])
    average = torch.load(finished / "valid.loss.ave.pth", weights_only=True)
    for name, value in model.state_dict().items():
        assert torch.equal(value, average[name]), name


def test_killed_in_the_middle_of_an_epoch_a_run_goes_on_as_if_it_had_not_been(
    corpus: Path, finished: Path, tmp_path: Path
) -> None:
    out = tmp_path / "exp"
    # A loader that takes its time in the third epoch, so that the kill falls inside it.
    arguments = command(corpus, out, "--max_epoch", "4", "--accum_grad", "2")

    def until_killed() -> None:
        plain = Preprocess.__call__

        def slow(self: Preprocess, name: str, stored: Any) -> Any:
            if self.train and self.epoch == 3:
                (tmp_path / "inside").touch()
                time.sleep(0.5)
            return plain(self, name, stored)

        Preprocess.__call__ = slow  # type: ignore[method-assign]
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
    expected = losses_of_previous(out)
    assert train.main(command(corpus, out, "--max_epoch", "2", "--resume", "true")) == 0
    assert losses(out)[:1] == expected and len(losses(out)) == 2


def test_a_full_disk_is_said_and_the_run_goes_on_from_the_checkpoint_before(
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


def losses_of_previous(out: Path) -> list[tuple[float, float]]:
    stats = torch.load(out / "checkpoint.previous.pth", weights_only=False)["reporter"]["stats"]
    return [(stats[k]["train"]["loss"], stats[k]["valid"]["loss"]) for k in sorted(stats)]


def test_workers_change_nothing(corpus: Path, tmp_path: Path) -> None:
    found = []
    for workers in ("0", "2"):
        out = tmp_path / workers
        assert train.main(command(corpus, out, "--max_epoch", "1", "--num_workers", workers)) == 0
        found.append(losses(out))
    assert found[0] == found[1]


def test_two_processes_are_one_with_the_same_batch(corpus: Path, tmp_path: Path) -> None:
    # Without dropout, whose random numbers can't be shared out among processes. BatchNorms count
    # the clips of both. With Adam, gradients that are rounding alone would become steps.
    still = {
        "optim": "sgd",
        "optim_conf": {"lr": 0.1},
        "scheduler": None,
        "model_conf": CONFIG["model_conf"] | {"dropout": 0.0, "postnet_dropout": 0.0},  # type: ignore[operator]
    }
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    assert train.main(command(corpus, alone, "--max_epoch", "2", config=still)) == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])

    def worker(rank: int) -> Callable[[], None]:
        more = (
            *("--dist_world_size", "2", "--dist_rank", str(rank), "--dist_backend", "gloo"),
            *("--dist_master_addr", "127.0.0.1", "--dist_master_port", port),
            *("--multiprocessing_distributed", "false", "--max_epoch", "2"),
        )
        arguments = command(corpus, shared, *more, config=still)
        return lambda: os._exit(train.main(arguments))

    children = [in_child(worker(rank)) for rank in range(2)]
    for child in children:
        child.join(120)
        assert child.exitcode == 0
    assert np.allclose(losses(shared), losses(alone), rtol=1e-5)
    one, other = state(shared)["model"], state(alone)["model"]
    for name in other:
        assert torch.allclose(one[name].float(), other[name].float(), atol=1e-5), name


def test_statistics_are_collected_and_standardise_the_mel(corpus: Path, tmp_path: Path) -> None:
    standard = {"model_conf": CONFIG["model_conf"] | {"normalise": True}}  # type: ignore[operator]
    stats = tmp_path / "stats"
    collecting = command(corpus, stats, "--collect_stats", "true", config=standard)
    assert train.main(collecting) == 0
    shapes = (stats / "train" / "mel_shape").read_text().split()
    assert sorted(shapes) == sorted((corpus / "train" / "mel_shape").read_text().split())

    out = tmp_path / "exp"
    sums = str(stats / "train" / "mel_stats.npz")
    more = ("--max_epoch", "1", "--mel_stats", sums)
    assert train.main(command(corpus, out, *more, config=standard)) == 0
    mel = np.concatenate([np.load(p) for p in (corpus / "train" / "mel").iterdir()]).astype(float)
    weights = state(out)["model"]
    assert np.allclose(weights["network.mel_mean"], mel.mean(0), atol=1e-3)
    assert np.allclose(weights["network.mel_scale"], mel.std(0), atol=1e-3)


def test_a_network_that_wants_statistics_says_so(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    standard = {"model_conf": CONFIG["model_conf"] | {"normalise": True}}  # type: ignore[operator]
    assert train.main(command(corpus, tmp_path / "exp", config=standard)) == 1
    assert "--collect_stats" in capsys.readouterr().err


def test_batches_hold_no_more_mel_elements_than_they_may(corpus: Path) -> None:
    from espnet2.samplers.build_batch_sampler import build_batch_sampler

    file = corpus / "train" / "mel_shape"
    frames = {k: int(v.split(",")[0]) for k, v in map(str.split, file.read_text().splitlines())}
    batches = build_batch_sampler(
        type="numel", batch_size=1, batch_bins=12_000, shape_files=[str(file)]
    )
    sizes = [len(batch) * max(frames[name] for name in batch) * 80 for batch in batches]
    assert sum(map(len, batches)) == len(frames)
    # ESPnet closes a batch when it has reached the number: one clip more may be in it.
    assert all(size - 80 * max(frames.values()) <= 12_000 for size in sizes)
    assert max(sizes) > 8_000


CHANGES: dict[str, dict[str, Any]] = {
    "no alignment embedding": {"model_conf": {"alignment_rows": 0}},
    "Transformer": {"model_conf": {"encoder_kernel": None, "decoder_kernel": None}},
    "no Post-Net": {"model_conf": {"postnet_layers": 0}},
    "L2": {"loss_power": 2},
    "a critic": {"adversarial_weight": 0.2},
    "speech only": {"data_conf": {"speech_only": 0.15}},
    "crops": {
        "model_conf": {"frame_phones": True, "frame_progress": True, "phone_positions": "aligned"},
        "data_conf": {"crop": [20, 30], "augment": {"warp": 0.1}},
        "masking_conf": {"scheme": "use", "arguments": {"ratio": [0.2, 0.8]}},
    },
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_kind_of_configuration_trains(corpus: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "exp"
    # A scheme's arguments are no other scheme's: masking is replaced, all else is merged.
    base = {key: value for key, value in CONFIG.items() if key != "masking_conf"}
    config = train.merge(base, CHANGES[name])
    assert train.main(command(corpus, out, "--max_epoch", "1", config=config)) == 0
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
        _, packed = read_average(out)
        assert not any("critic" in key for key in packed)
