"""The recipes' configurations: what each builds, and that each ablation is one change."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.masking import MaskingConfig
from a3t.training.espnet.preprocess import DataConfig, Preprocess
from a3t.training.espnet.train import merge, read_config, resolve
from a3t.training.loop import Schedule

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "recipes"
SHARED = RECIPES / "shared" / "conf"
OTHERS = ("durations", "vocoder")  # networks with configurations of their own kind
CONFIGS = sorted(
    path
    for path in RECIPES.rglob("conf/**/*.yaml")
    if not any(other in str(path.relative_to(RECIPES)) for other in OTHERS)
)


def parameters(config: dict[str, Any]) -> int:
    return sum(p.numel() for p in A3T(**config["model_conf"]).parameters())


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: str(path.relative_to(RECIPES)))
def test_every_configuration_names_only_what_exists(path: Path) -> None:
    config = read_config(path)
    known = inspect.signature(A3T).parameters
    assert config["model_conf"].keys() <= known.keys()
    settings = dict(config["data_conf"])
    if settings.get("crop"):
        settings["crop"] = tuple(settings["crop"])
    Preprocess(True, MaskingConfig(**config["masking_conf"]), DataConfig(**settings))
    assert config["batch_type"] == "numel" and config["batch_bins"] > 0


def test_the_papers_model_has_the_papers_parameters_and_batches() -> None:
    config = read_config(SHARED / "a3t_paper.yaml")
    assert parameters(config) == 67_691_328
    assert read_config(RECIPES / "ljspeech/conf/a3t_paper.yaml")["batch_bins"] == 2_400_000
    vctk = read_config(RECIPES / "vctk/conf/a3t_paper.yaml")
    assert vctk["batch_bins"] == 3_000_000
    assert vctk["num_iters_per_epoch"] * vctk["max_epoch"] == 1_200_000


def test_the_papers_rate_is_noams() -> None:
    config = read_config(SHARED / "a3t_paper.yaml")
    warmup = config["scheduler_conf"]["warmup_steps"]
    noam = Schedule(rate=1.0, warmup=warmup, noam=config["scheduler_conf"]["model_size"])
    assert noam.rate_at(warmup - 1) == pytest.approx(8.07e-4, rel=1e-3)


@pytest.mark.parametrize("name", ["paper", "base", "small"])
def test_recipes_build_the_networks_that_the_plain_loop_builds(name: str) -> None:
    plain = yaml.safe_load((ROOT / "a3t" / "model" / "conf" / f"{name}.yaml").read_text())
    defaults = {k: p.default for k, p in inspect.signature(A3T).parameters.items()}
    ours = read_config(SHARED / f"a3t_{name}.yaml")["model_conf"]
    assert {**defaults, **ours} == {**defaults, **plain["model"]}


def test_every_ablation_is_one_change() -> None:
    files = sorted((SHARED / "ablation").glob("*.yaml"))
    assert len(files) >= 7
    for path in files:
        own = yaml.safe_load(path.read_text())
        base = read_config(path.parent / own.pop("extends"))
        changed = merge(base, own)
        assert changed != base, path.name
        assert len(own) == 1, path.name


def test_table_4_2_takes_one_thing_after_the_other_away() -> None:
    rows = ["no_alignment", "transformer", "no_postnet", "l2"]
    configs = [read_config(SHARED / "ablation" / f"{row}.yaml") for row in rows]
    assert all(config["model_conf"]["alignment_rows"] == 0 for config in configs)
    assert [config["model_conf"]["encoder_kernel"] for config in configs] == [7, None, None, None]
    assert [config["model_conf"]["postnet_layers"] for config in configs] == [5, 5, 0, 0]
    assert [config["loss_power"] for config in configs] == [1, 1, 1, 2]


def test_the_resolved_configuration_is_handed_on(tmp_path: Path) -> None:
    small = str(SHARED / "a3t_small.yaml")
    arguments = resolve(["--config", small, "--output_dir", str(tmp_path / "exp")])
    given = Path(arguments[1])
    assert given.parent == tmp_path / "exp"
    written = yaml.safe_load(given.read_text())
    assert "extends" not in written and written["model_conf"]["width"] == 192


def test_a_broken_configuration_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("extends: nowhere.yaml\n")
    with pytest.raises(InputError, match="nowhere"):
        read_config(tmp_path / "a.yaml")
