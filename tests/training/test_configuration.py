"""Configurations: what each builds, and that the plain loop and ESPnet train alike from it."""

from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.variance.durations import DurationPredictor
from training.configuration import build, merge, read_config, settings
from training.espnet.train import resolve
from training.features.corpus_batches import DataConfig, MaskingConfig
from training.pretraining_objective import PretrainingLosses
from training.training_runs import TrainingSchedule

ROOT = Path(__file__).parents[2]
RECIPES, MODELS = ROOT / "recipes", ROOT / "a3t" / "model" / "conf"
ABLATION = RECIPES / "shared" / "conf" / "ablation"
OTHERS = (  # networks with configurations of their own kind
    "durations", "vocoder", "punctuation", "figures", "live", "words",
)  # fmt: skip
PARTS = {"model", "masking", "data", "loss", "training", "espnet", "precision"}
CONFIGS = sorted(
    path
    for path in [*MODELS.glob("*.yaml"), *RECIPES.rglob("conf/**/*.yaml")]
    if not any(other in str(path.relative_to(ROOT)) for other in OTHERS)
)


def parameters(config: dict[str, Any]) -> int:
    with torch.device("meta"):  # shapes alone
        return sum(p.numel() for p in A3T.from_config(config).parameters())


def test_every_configuration_names_only_what_exists(subtests: pytest.Subtests) -> None:
    built = []
    for path in CONFIGS:
        with subtests.test(path=path):
            config = read_config(path)
            if path.stem == "narrow":  # a change of others
                config = merge(read_config(MODELS / "paper.yaml"), config)
            assert config.keys() <= PARTS
            if config["model"] not in built:
                assert parameters(config) > 0
                built.append(config["model"])
            settings(MaskingConfig, config["masking"]).build()
            assert settings(DataConfig, config["data"]).batch_frames > 0
            settings(PretrainingLosses, config.get("loss"))
            assert settings(TrainingSchedule, config["training"]).steps > 0


def test_durations_build() -> None:
    for path in (MODELS / "durations.yaml", RECIPES / "mini" / "conf" / "tiny_durations.yaml"):
        config = read_config(path)
        with torch.device("meta"):
            DurationPredictor.from_config(config)
        settings(TrainingSchedule, config["training"])


def test_the_papers_model_has_the_papers_parameters_and_batches() -> None:
    lj = read_config(RECIPES / "ljspeech/conf/a3t_paper.yaml")
    assert parameters(lj) == 67_691_328
    assert (lj["data"]["batch_frames"] * 80, lj["training"]["steps"]) == (2_400_000, 1_000_000)
    vctk = read_config(RECIPES / "vctk/conf/a3t_paper.yaml")
    assert (vctk["data"]["batch_frames"] * 80, vctk["training"]["steps"]) == (3_000_000, 1_200_000)


def test_the_papers_rate_is_noams() -> None:
    noam = settings(TrainingSchedule, read_config(MODELS / "paper.yaml")["training"])
    assert noam.rate_at(noam.warmup - 1) == pytest.approx(8.07e-4, rel=1e-3)
    assert noam.weight_decay == 0  # Adam, not AdamW


def test_every_ablation_is_one_change() -> None:
    files = sorted(ABLATION.glob("*.yaml"))
    assert len(files) >= 7
    for path in files:
        own = yaml.safe_load(path.read_text())
        base = read_config(path.parent / own.pop("extends"))
        changed = merge(base, own)
        assert changed != base, path.name
        assert len(own) == 1, path.name


def test_table_4_2_takes_one_thing_after_the_other_away() -> None:
    rows = ["no_alignment_embedding", "transformer", "no_postnet", "fat_mlm"]
    configs = [read_config(ABLATION / f"{row}.yaml") for row in rows]
    assert all(config["model"]["alignment_rows"] == 0 for config in configs)
    assert [config["model"]["encoder_kernel"] for config in configs] == [7, None, None, None]
    assert [config["model"]["postnet_layers"] for config in configs] == [5, 5, 0, 0]
    assert [config["loss"]["power"] for config in configs] == [1, 1, 1, 2]


def test_later_files_change_earlier_ones_key_by_key(tmp_path: Path) -> None:
    change = tmp_path / "change.yaml"
    change.write_text("model: {width: 8}\ntraining: {steps: 3}\n")
    config = read_config(MODELS / "small.yaml", change)
    assert config["model"]["width"] == 8 and config["model"]["heads"] == 2
    assert config["training"]["steps"] == 3 and config["training"]["rate"] == 1e-3


def test_a_broken_configuration_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("extends: nowhere.yaml\n")
    with pytest.raises(InputError, match="nowhere"):
        read_config(tmp_path / "a.yaml")
    (tmp_path / "b.yaml").write_text("- a list\n")
    with pytest.raises(InputError, match="not a configuration"):
        read_config(tmp_path / "b.yaml")
    with pytest.raises(InputError, match="no setting jiter; choose from crop, "):
        settings(DataConfig, {"jiter": 2})


@pytest.mark.parametrize(
    ("model", "reason"), [({"widht": 8}, "widht"), ({"width": "x"}, "number"), (None, "model")]
)
def test_a_network_that_cannot_be_built_is_refused_in_a_sentence(
    model: dict[str, Any] | None, reason: str
) -> None:
    config = {} if model is None else {"model": model}
    with pytest.raises(InputError, match=f"describes no network: .*{reason}"):
        build(A3T.from_config, config)


def test_more_gpus_than_there_are_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["--config", str(MODELS / "small.yaml"), "--output_dir", str(out), "--ngpu", "99"]
    with pytest.raises(InputError, match=r"PyTorch.* sees \d+ GPUs here"):
        resolve(command)
    assert not out.exists()


def test_several_gpus_get_a_process_each_over_nccl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ESPnet's own choice of a backend is NCCL, so it must not be told another."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    command = ["--config", str(MODELS / "small.yaml"), "--output_dir", str(tmp_path)]
    four, one = (resolve([*command, "--ngpu", str(n)]) for n in (4, 1))
    place = four.index("--multiprocessing_distributed")
    assert four[place + 1] == "true" and "--multiprocessing_distributed" not in one
    assert not any("backend" in word for word in four)
