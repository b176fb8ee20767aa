"""Training the systems of the comparison, from the command line, on made-up features."""

from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from a3t.errors import InputError
from a3t.model.a3t import A3T
from evaluation.systems.editspeech import EditSpeechNetwork
from evaluation.systems.named import facts_of, load_system, systems_in
from evaluation.systems.speaker_vectors import read_vectors, write_vectors
from evaluation.systems.train_systems import CONFIGURATIONS, main
from tests.evaluation.conftest import make_gap
from tests.training.stores import write_store
from training.configuration import build, read_config

SCHEDULE = {"steps": 4, "minutes": 5, "warmup": 1, "decay": 1, "epoch": 2}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A store of two voices and their clips' speaker embeddings, as options."""
    folder = tmp_path_factory.mktemp("given")
    store = write_store(folder / "features", {"train": 4, "dev": 1}, pitch=True)
    vectors = {clip.name: np.ones(256, np.float32) / 16 for clip in store.clips}
    write_vectors(vectors, folder / "voices.npz")
    return ["--features", str(folder / "features"), "--vectors", str(folder / "voices.npz")]


def tiny(name: str, folder: Path) -> Path:
    """One of our configurations, for seconds."""
    config = read_config(CONFIGURATIONS / f"{name}.yaml")
    small = {"width": 16, "hidden": 16}
    if config.get("system") != "editspeech":
        small |= {"encoder_blocks": 1, "decoder_blocks": 1, "postnet_channels": 8}
    config["model"] |= {k: v for k, v in small.items() if config["model"].get(k) != 0}
    config["data"] |= {"crop": [60, 90], "batch_frames": 200}
    config["training"] |= SCHEDULE
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


SYSTEMS = sorted(p.stem for p in CONFIGURATIONS.glob("*.yaml") if "fastspeech" not in p.stem)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_configuration_is_a_network(name: str, tmp_path: Path) -> None:
    config = read_config(tiny(name, tmp_path))
    kind = EditSpeechNetwork if name == "editspeech" else A3T
    assert sum(parameter.numel() for parameter in build(kind.from_config, config).parameters())


@pytest.mark.parametrize("name", ["a3t", "editspeech"])
def test_a_configuration_trains_and_fills_a_gap(
    name: str, given: list[str], tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    command = [str(tiny(name, tmp_path)), *given, "--out", str(runs / name)]
    assert main(command) == 0
    system, folder = next(iter(systems_in(runs).items()))
    assert folder is not None and f"{system}: " in facts_of(system, folder)
    assert "4 steps" in facts_of(system, folder)
    gap = make_gap()
    filled = load_system(system, folder).fill(gap)
    assert filled.shape == (gap.length, 80) and np.isfinite(filled).all()
    again = load_system("ours", runs / name)  # by its folder, as anybody's
    np.testing.assert_array_equal(again.fill(gap), filled)


def test_a_training_goes_on_and_another_seed_is_another(given: list[str], tmp_path: Path) -> None:
    config = tiny("a3t_thesis", tmp_path)
    plan = config.read_text()

    def run(out: str, steps: int, seed: int) -> torch.Tensor:
        config.write_text(
            plan.replace("steps: 4", f"steps: {steps}").replace("decay: 1", "decay: 0")
        )
        command = [str(config), *given, "--out", str(tmp_path / out), "--seed", str(seed)]
        assert main(command) == 0
        state = torch.load(tmp_path / out / "checkpoint.pt", weights_only=True)
        assert state["step"] == steps
        weights: torch.Tensor = state["model"]["network.output.weight"]
        return weights

    whole = run("whole", 4, 1)
    run("parts", 2, 1)
    assert torch.equal(run("parts", 4, 1), whole)
    assert not torch.equal(run("other", 4, 2), whole)


def test_a_name_is_a_configuration_of_ours_whatever_folder_has_it(
    given: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    (tmp_path / "a3t").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["a3t", *given, "--out", "runs/a3t", "--minutes", "0.0001"]) == 0
    assert main(["nothing", *given, "--out", "runs/none"]) == 1
    assert "nothing can't be read" in capsys.readouterr().err
    (tmp_path / "strange.yaml").write_text("system: theirs\nmodel: {}\n")
    assert main(["strange.yaml", *given, "--out", "runs/none"]) == 1
    assert "There is no system theirs" in capsys.readouterr().err


def test_voices_heard_at_other_levels_are_refused(tmp_path: Path) -> None:
    """Those that an earlier version stored, which didn't bring recordings to one level."""
    old = {"names": np.array(["a"]), "vectors": np.ones((1, 256), np.float32) / 16}
    write_vectors({"a": old["vectors"][0]}, tmp_path / "new.npz")
    assert list(read_vectors(tmp_path / "new.npz")) == ["a"]
    np.savez(tmp_path / "old.npz", **old)
    with pytest.raises(InputError, match="other levels"):
        read_vectors(tmp_path / "old.npz")
