"""The recipes' stages, with a stand-in for Python that notes what it is asked for."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[2] / "recipes"
STAND_IN = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in *"$FAILS"*) exit 1;; esac
if [ "$2" = a3t.corpora.prepare ]; then mkdir -p "$5/train" "$5/dev" "$5/test"; fi
"""


class Recipe:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = folder / "calls"
        self.python = folder / "python"
        self.python.write_text(STAND_IN)
        self.python.chmod(0o755)
        (folder / "corpora").mkdir()

    def run(
        self,
        *options: str,
        name: str = "mini",
        fails: str = "nothing fails",
        script: str = "run.sh",
        **more: str,
    ) -> subprocess.CompletedProcess[str]:
        self.calls.write_text("")
        places = {"A3T_CORPORA": str(self.folder / "corpora"), "VCTK": str(self.folder / "corpora")}
        environment = (
            os.environ
            | places
            | {
                "PYTHON": str(self.python),
                "CALLS": str(self.calls),
                "FAILS": fails,
                **more,
            }
        )
        return subprocess.run(
            [RECIPES / name / script, "--work", self.folder / "work", *options],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def modules(self) -> list[str]:
        return [line.split()[1].rpartition(".")[2] for line in self.calls.read_text().splitlines()]


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(tmp_path)


def test_all_stages_in_their_order(recipe: Recipe) -> None:
    done = recipe.run()
    assert done.returncode == 0, done.stderr
    dumps = ["dump"] * 3
    assert recipe.modules() == [
        *("prepare", *dumps, "train", "train"),
        *("durations", "pack", "sample_edits", "recipe_clips"),
    ]


def test_a_stage_that_was_done_is_skipped(recipe: Recipe) -> None:
    assert recipe.run("--stop_stage", "3").returncode == 0
    assert recipe.modules() == ["prepare", "dump", "dump", "dump"]
    again = recipe.run("--stop_stage", "4")
    assert recipe.modules() == ["train"]
    assert "Stage 2 (prepare_data) is done." in again.stdout


def test_a_stage_that_is_asked_for_is_done_again(recipe: Recipe) -> None:
    recipe.run("--stop_stage", "3")
    recipe.run("--stage", "2", "--stop_stage", "2")
    assert recipe.modules() == ["prepare"]


def test_a_stage_that_fails_says_so_and_stops(recipe: Recipe) -> None:
    failed = recipe.run(fails="a3t.training.espnet.dump")
    assert failed.returncode == 1
    assert "Stage 3 (align_and_dump) failed" in failed.stderr and "--stage 3" in failed.stderr
    assert recipe.modules() == ["prepare", "dump"]
    assert recipe.run("--stop_stage", "3").returncode == 0
    assert recipe.modules() == ["dump", "dump", "dump"]


def test_options_reach_the_programs(recipe: Recipe) -> None:
    options = ("--ngpu", "2", "--pitch", "false", "--train_args", "--max_epoch 3 --seed 1")
    assert recipe.run(*options, name="vctk").returncode == 0
    calls = recipe.calls.read_text().splitlines()
    (training,) = (line for line in calls if "--resume true" in line)
    assert "--ngpu 2" in training and training.endswith("--max_epoch 3 --seed 1")
    assert "pitch" not in training
    assert "--unseen conf/unseen_speakers.txt" in calls[0]


def test_a_run_can_start_from_a_model_and_use_anothers_statistics(recipe: Recipe) -> None:
    options = ("--init", "small", "--stats", str(recipe.folder / "stats"), "--stop_stage", "5")
    assert recipe.run(*options).returncode == 0
    assert recipe.modules()[-3:] == ["train", "initial", "train"]
    initial, training = recipe.calls.read_text().splitlines()[-2:]
    weights = initial.split()[-1]
    assert initial.split()[-2] == "small" and f"--init_param {weights}" in training
    assert f"--mel_stats {recipe.folder / 'stats'}/train/mel_stats.npz" in training


def test_the_ablation_trains_every_row_alike_and_judges_all(recipe: Recipe) -> None:
    rows = {"A3T_ROWS": "a3t_paper ablation/l2 a3t_paper:1", "A3T_ALL": "--model_conf pitch=false"}
    done = recipe.run(script="ablation.sh", **rows)
    assert done.returncode == 0, done.stderr
    calls = recipe.calls.read_text().splitlines()
    trained = [line.split() for line in calls if "--resume true" in line]
    assert [line[line.index("--seed") + 1] for line in trained] == ["0", "0", "1"]
    configs = [line[line.index("--config") + 1] for line in trained]
    assert [Path(path).name for path in configs] == ["a3t_paper.yaml", "l2.yaml", "a3t_paper.yaml"]
    assert all("pitch=false" in line and "width=128" in line for line in trained)
    runs = [line[line.index("--output_dir") + 1] for line in trained]
    assert len(set(runs)) == 3
    judged = calls[-1].split()
    assert judged[1] == "a3t.evaluation.ablation" and set(runs) <= set(judged)
    assert recipe.modules().count("prepare") == 1 and recipe.modules().count("dump") == 3


def test_an_unknown_option_is_refused(recipe: Recipe) -> None:
    assert recipe.run("--no-such-option", "1").returncode == 2
    assert recipe.modules() == []


def test_a_recipe_is_a_page() -> None:
    for script in [*RECIPES.glob("*/run.sh"), RECIPES / "mini" / "ablation.sh"]:
        assert len(script.read_text().splitlines()) < 40
        assert os.access(script, os.X_OK)
