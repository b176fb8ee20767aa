"""Training on crops, from a packed model's weights and in bfloat16. Needs ESPnet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

pytest.importorskip("espnet2", reason="ESPnet is not installed (see recipes/README.md)")

from a3t.model.a3t import A3T
from a3t.pretrained import save_checkpoint
from a3t.training.espnet import train
from a3t.training.espnet.crops import CropIterFactory
from a3t.training.espnet.initial import write_initial
from a3t.training.espnet.preprocess import DataConfig, Preprocess
from tests.espnet.toy import CONFIG, command, losses, state, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder)
    return folder


CROPS = {"data_conf": {"crop": [12, 30]}, "num_iters_per_epoch": 6, "batch_bins": 6000}


def crop_factory(preprocess: Preprocess, part: tuple[int, int]) -> CropIterFactory:
    frames = np.array([100, 300])
    return CropIterFactory(None, preprocess, ["short", "long"], frames, 96_000, 50, part=part)


def test_crops_are_drawn_by_length_and_shared_out_among_processes() -> None:
    preprocess = Preprocess(True, data=DataConfig(crop=(100, 200)))
    whole = crop_factory(preprocess, (0, 1)).batches(epoch=3)
    assert [len({draw.length for draw in batch}) for batch in whole] == [1] * 50
    assert all(sum(draw.length for draw in batch) * 80 <= 96_000 for batch in whole)
    draws = [draw for batch in whole for draw in batch]
    assert len({draw.number for draw in draws}) == len(draws)
    assert 0.65 < np.mean([draw.name == "long" for draw in draws]) < 0.85
    assert whole == crop_factory(preprocess, (0, 1)).batches(epoch=3)
    assert whole != crop_factory(preprocess, (0, 1)).batches(epoch=4)
    shares = [crop_factory(preprocess, (k, 2)).batches(epoch=3) for k in range(2)]
    for batch, one, other in zip(whole, *shares, strict=True):
        assert {d.number for d in batch} == {d.number for d in [*one, *other]}


def test_workers_change_no_crops(corpus: Path, tmp_path: Path) -> None:
    found = []
    for workers in ("0", "2"):
        out = tmp_path / workers
        more = ("--max_epoch", "1", "--num_workers", workers)
        assert train.main(command(corpus, out, *more, config=CROPS)) == 0
        found.append(losses(out))
    assert found[0] == found[1]


def test_a_run_starts_from_a_packed_model_and_trains_in_bfloat16(
    corpus: Path, tmp_path: Path
) -> None:
    network = A3T(**CONFIG["model_conf"])  # type: ignore[arg-type]
    tensors = {name: value.half() for name, value in network.state_dict().items()}
    save_checkpoint(tmp_path / "packed", {"model": CONFIG["model_conf"]}, tensors, "")
    initial = tmp_path / "initial.pth"
    write_initial(str(tmp_path / "packed"), initial)
    out = tmp_path / "exp"
    still = {**CROPS, "bf16": True, "optim": "sgd", "optim_conf": {"lr": 0.0}, "scheduler": None}
    more = ("--max_epoch", "1", "--init_param", str(initial))
    assert train.main(command(corpus, out, *more, config=still)) == 0
    weights = state(out)["model"]
    for name, value in network.named_parameters():
        assert torch.equal(weights[f"network.{name}"], value.half().float()), name
