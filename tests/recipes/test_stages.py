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
if [ "$2" = a3t.training.espnet.prepare ]; then mkdir -p "$5/train" "$5/dev" "$5/test"; fi
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
        self, *options: str, name: str = "mini", fails: str = "nothing fails"
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
            }
        )
        return subprocess.run(
            [RECIPES / name / "run.sh", "--work", self.folder / "work", *options],
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
        *("durations", "pack", "decode", "evaluate"),
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


def test_an_unknown_option_is_refused(recipe: Recipe) -> None:
    assert recipe.run("--no-such-option", "1").returncode == 2
    assert recipe.modules() == []


def test_a_recipe_is_a_page() -> None:
    for script in RECIPES.glob("*/run.sh"):
        assert len(script.read_text().splitlines()) < 40
        assert os.access(script, os.X_OK)
