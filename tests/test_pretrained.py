"""Model folders: weights survive writing and reading, and files with another sha256 are refused."""

import os
import pickle
from pathlib import Path

import pytest
import torch
import yaml
from torch import Tensor

from a3t.errors import InputError
from a3t.pretrained import (
    CONFIG,
    WEIGHTS,
    checkpoint_folder,
    load_checkpoint,
    part_of,
    save_checkpoint,
)
from a3t.user_folders import SHIPPED_MODELS
from app.models import models_here

TENSORS: dict[str, Tensor] = {"weight": torch.arange(6.0).reshape(2, 3), "count": torch.tensor(3)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_checkpoint(tmp_path / "model", {"model": {"width": 3}}, TENSORS, "# A model\n")
    return tmp_path / "model"


def test_a_round_trip(folder: Path) -> None:
    config, tensors, sha256 = load_checkpoint(folder)
    assert config["model"] == {"width": 3} and config["sha256"] == sha256
    assert all(torch.equal(tensors[name], value) for name, value in TENSORS.items())
    assert not list(folder.glob("*.tmp*"))


def test_another_file_is_refused(folder: Path) -> None:
    data = bytearray((folder / WEIGHTS).read_bytes())
    data[-1] ^= 1
    (folder / WEIGHTS).write_bytes(data)
    with pytest.raises(InputError, match="sha256 differs"):
        load_checkpoint(folder)


def test_a_configuration_without_a_sum_is_refused(folder: Path) -> None:
    (folder / CONFIG).write_text("model: {}\n")
    with pytest.raises(InputError, match="sha256"):
        load_checkpoint(folder)


def test_a_pickle_is_not_opened(folder: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (tmp_path / "sprung",))  # type: ignore[return-value]

    import hashlib

    data = pickle.dumps(Trap())
    (folder / WEIGHTS).write_bytes(data)
    (folder / CONFIG).write_text(yaml.safe_dump({"sha256": hashlib.sha256(data).hexdigest()}))
    with pytest.raises(InputError, match="not a safetensors file"):
        load_checkpoint(folder)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("name", ["nothing", "../durations", "/nowhere/at/all", ""])
def test_a_missing_model_is_named(name: str) -> None:
    with pytest.raises(InputError, match=r"There is no model .* use small, or a path"):
        checkpoint_folder(name)


def test_a_folder_of_models_is_known_by_its_name_and_ships_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("authors", "small"):
        save_checkpoint(tmp_path / name, {"model": {}}, TENSORS, "# A3T\n")
    monkeypatch.setenv("A3T_MODELS", f"/nowhere{os.pathsep}{tmp_path}")
    assert checkpoint_folder("authors") == tmp_path / "authors"
    assert checkpoint_folder("small") == SHIPPED_MODELS / "small"
    with pytest.raises(InputError, match="use authors, small, or a path"):
        checkpoint_folder("nothing")
    models_here.cache_clear()
    assert models_here() == ("small", "authors")
    models_here.cache_clear()


def test_the_shipped_weights_are_those_their_cards_name() -> None:
    shipped = sorted(path.parent for path in SHIPPED_MODELS.glob(f"*/{CONFIG}"))
    assert {path.name for path in shipped} >= {"small", "durations", "vocoder-small"}
    assert sum((path / WEIGHTS).stat().st_size for path in shipped) < 60e6
    for path in shipped:
        _, tensors, _ = load_checkpoint(path.name)
        assert all(value.isfinite().all() for value in tensors.values())
        card = (path / "README.md").read_text()
        assert all(word in card.lower() for word in ("licen", "trained on", "steps", "parameters"))
        assert "not measured" not in card


@pytest.fixture
def on_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model as huggingface_hub leaves it in its cache, with no way to the hub; its sha256."""
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "cache" / "models--someone--a3t"
    sha256 = save_checkpoint(repository / "snapshots" / commit, {"model": {}}, TENSORS, "# A3T\n")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    real = hub.snapshot_download

    def offline(name: str, **options: object) -> str:
        return str(real(name, cache_dir=tmp_path / "cache", local_files_only=True, **options))

    monkeypatch.setattr(hub, "snapshot_download", offline)
    return sha256


def test_a_model_on_the_hub_is_loaded_by_its_name(on_hub: str) -> None:
    for name in ("someone/a3t", "someone/a3t@main", f"someone/a3t@{on_hub}"):
        assert load_checkpoint(name)[2] == on_hub


def test_other_weights_than_those_pinned_are_refused(on_hub: str) -> None:
    with pytest.raises(InputError, match=f"don't match the pin: .* {on_hub}"):
        checkpoint_folder(f"someone/a3t@{'0' * 64}")


def test_a_model_missing_from_the_hub_gives_one_sentence(on_hub: str) -> None:
    with pytest.raises(InputError, match=r"^There is no folder 'someone/else', and .* Hub"):
        checkpoint_folder("someone/else")


def test_a_model_is_found_inside_another_before_beside_it(tmp_path: Path) -> None:
    for place in ("a/durations", "durations", "b"):
        save_checkpoint(tmp_path / place, {}, TENSORS, "")
    assert part_of(tmp_path / "a", "durations") == tmp_path / "a" / "durations"
    assert part_of(tmp_path / "b", "durations") == tmp_path / "durations"
    assert part_of(tmp_path / "b", "nothing") is None
