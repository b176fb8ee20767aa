"""A training run as a model to load: the plain loop's and ESPnet's. No ESPnet is needed: a run of
its is a folder with a configuration and tensors."""

from pathlib import Path

import pytest
import torch
import yaml

from a3t.editor import Editor
from tests.training.stores import write_store
from training.configuration import objective_of, read_config
from training.export import main
from training.train_durations import train

CONF = Path(__file__).parents[2] / "recipes" / "mini" / "conf"
TINY = read_config(CONF / "tiny.yaml")


def write_espnet_run(folder: Path) -> Path:
    """An ESPnet run with random weights."""
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    parts = {f"{k}_conf": TINY[k] for k in ("model", "masking", "data")}
    (folder / "config.yaml").write_text(yaml.safe_dump({**parts, "loss_conf": {}, "seed": 0}))
    state = objective_of(TINY).state_dict()
    torch.save(state, folder / "valid.loss.ave.pth")
    torch.save(state, folder / "7epoch.pth")
    return folder


@pytest.fixture(scope="module")
def durations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("durations")
    splits = {"train": 6, "dev": 2, "test": 2}
    write_store(folder / "store", splits)
    train(read_config(CONF / "tiny_durations.yaml"), folder / "store", folder / "run")
    return folder / "run"


def test_an_espnet_run_with_its_durations_is_a_model_for_the_editor(
    durations: Path, tmp_path: Path
) -> None:
    run, out = write_espnet_run(tmp_path / "exp"), tmp_path / "packed" / "tiny"
    assert main([str(run), str(out), "--durations", str(durations)]) == 0
    editor = Editor.load(out)
    assert editor.name == "tiny"
    assert "7 epochs" in (out / "README.md").read_text()
    weights = torch.load(run / "valid.loss.ave.pth", weights_only=True)
    packed = editor.model.state_dict()
    assert torch.allclose(packed["output.weight"], weights["network.output.weight"], atol=1e-3)


def test_packing_says_what_is_missing(
    durations: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path), str(tmp_path / "out")]) == 1
    assert "train first" in capsys.readouterr().err
    run = write_espnet_run(tmp_path / "exp")
    assert main([str(run), str(tmp_path / "out"), "--durations", str(tmp_path / "no")]) == 1
    assert "train first" in capsys.readouterr().err
    (run / "config.yaml").write_text(yaml.safe_dump({"model_conf": {"width": 64}}))
    assert main([str(run), str(tmp_path / "out")]) == 1
    assert "does not fit" in capsys.readouterr().err
