"""The recipes' stages, with a stand-in for Python that records its commands."""

import os
import subprocess
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[2] / "recipes"
STAND_IN = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in *"$FAILS"*) exit 1;; esac
if [ "$2" = training.corpora.prepare ]; then mkdir -p "$5/train" "$5/dev" "$5/test"; fi
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
        loop = ["--loop", "espnet"] if script == "run.sh" and name in ("mini", "vctk") else []
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
            [RECIPES / name / script, "--work", self.folder / "work", *loop, *options],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def modules(self) -> list[str]:
        lines = self.calls.read_text().splitlines()
        names = [line.split()[1].rpartition(".")[2] for line in lines]
        return [name for name in names if name != "devices"]  # what this machine has


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    return Recipe(tmp_path)


ALL = ["prepare", "extract", "train", "train_durations", "export", "evaluation"]


def test_all_stages_in_their_order(recipe: Recipe) -> None:
    done = recipe.run()
    assert done.returncode == 0, done.stderr
    assert recipe.modules() == ALL


def test_what_a_machine_lacks_is_refused_before_the_first_stage(recipe: Recipe) -> None:
    done = recipe.run("--ngpu", "2", fails="training.devices")
    assert done.returncode == 1 and recipe.modules() == []
    assert recipe.calls.read_text().endswith(
        "--device cuda --processes 2 --loop espnet --config conf/a3t_small.yaml --pitch\n"
    )


def test_a_stage_is_run_again_when_its_inputs_have_changed(recipe: Recipe) -> None:
    recipe.run()
    again = recipe.run("--clips", "5")
    assert recipe.modules() == ALL and "Stage 2 was done with other settings" in again.stdout
    recipe.run("--clips", "5", "--test_clips", "7")
    assert recipe.modules() == ["evaluation"]


def test_a_stage_is_run_again_when_one_before_it_was(recipe: Recipe) -> None:
    recipe.run()
    recipe.run("--stage", "3", "--stop_stage", "3")
    assert recipe.modules() == ["extract"]
    again = recipe.run()
    assert recipe.modules() == ALL[2:] and "Stage 4 was done before" in again.stdout
    assert recipe.run().stdout.count("is done.") == 7 and recipe.modules() == []


def test_a_training_that_began_with_something_else_is_kept_and_not_gone_on_with(
    recipe: Recipe,
) -> None:
    base, config = recipe.folder / "base.yaml", recipe.folder / "own.yaml"
    base.write_text("model: {width: 8}\n")
    config.write_text("extends: base.yaml\n")
    options = ("--config", str(config), "--stop_stage", "4")
    exp = recipe.folder / "work" / "exp"
    recipe.run(*options)
    (exp / "own" / "checkpoint.pth").touch()
    assert "Stage 4 (pretrain) is done." in recipe.run(*options).stdout
    recipe.run(*options, "--train_args", "--max_epoch 9")  # goes on
    assert recipe.modules() == ["train"] and (exp / "own" / "checkpoint.pth").exists()
    base.write_text("model: {width: 16}\n")
    assert "began with other features" in recipe.run(*options).stdout
    assert recipe.modules() == ["train"] and not (exp / "own" / "checkpoint.pth").exists()
    (kept,) = exp.glob("own.2*")
    assert (kept / "checkpoint.pth").exists()
    base.write_text("model: {width: 8}\n")  # as it was: a slip costs nothing
    assert "began with these" in recipe.run(*options).stdout
    assert (exp / "own" / "checkpoint.pth").exists()


def test_a_stage_that_fails_says_so_and_stops(recipe: Recipe) -> None:
    failed = recipe.run(fails="training.extract")
    assert failed.returncode == 1
    assert "Stage 3 (extract) failed" in failed.stderr and "--stage 3" in failed.stderr
    assert recipe.modules() == ["prepare", "extract"]
    assert recipe.run("--stop_stage", "3").returncode == 0
    assert recipe.modules() == ["extract"]


def test_options_reach_the_programs(recipe: Recipe) -> None:
    folders = [str(recipe.folder / name) for name in ("features", "runs")]
    options = ("--ngpu", "2", "--pitch", "false", "--train_args", "--max_epoch 3 --seed 1")
    options += ("--nj", "5", "--dumpdir", folders[0], "--expdir", folders[1])
    options += ("--train_config", "conf/a3t_paper.yaml", "--init", "small")
    assert recipe.run(*options, name="vctk").returncode == 0
    _, prepared, extracted, training, *_ = recipe.calls.read_text().splitlines()
    assert "--unseen conf/unseen_speakers.txt" in prepared
    assert f"data {folders[0]} " in extracted and "--jobs 5" in extracted
    assert "--pitch" not in extracted
    assert "--ngpu 2" in training and training.endswith("--max_epoch 3 --seed 1")
    assert f"--features {folders[0]} --init small" in training
    assert f"--output_dir {folders[1]}/a3t_paper" in training


def test_the_plain_loop_trains_for_some_minutes_on_a_gpu(recipe: Recipe) -> None:
    options = ("--ngpu", "1", "--nj", "3", "--stop_stage", "4")
    assert recipe.run(*options, "--minutes", "9").returncode == 2  # ESPnet's loop has none
    assert recipe.run(*options, "--loop", "plain", "--minutes", "9").returncode == 0
    training = recipe.calls.read_text().splitlines()[-1]
    assert training.startswith("-m training.pretrain --out ")
    assert "--workers 3 --minutes 9 --device cuda" in training


def test_training_output_is_kept_in_a_log(recipe: Recipe) -> None:
    recipe.python.write_text(STAND_IN + "echo epoch 1 of 2\n")
    assert "epoch 1 of 2" in recipe.run("--stop_stage", "4").stdout
    log = recipe.folder / "work" / "exp" / "a3t_small" / "train.log"
    assert log.read_text() == "epoch 1 of 2\n"


@pytest.mark.parametrize(("backend", "program"), [("slurm", "srun"), ("queue", "qsub")])
def test_long_stages_go_to_a_cluster_where_one_is_named(
    recipe: Recipe, backend: str, program: str
) -> None:
    folder = recipe.folder / "bin"
    folder.mkdir()
    stand_in = folder / program
    stand_in.write_text('#!/bin/sh\necho "$(basename "$0") $*" >> "$CALLS"\n')
    stand_in.chmod(0o755)
    given = {"A3T_CMD": backend, "A3T_CMD_ARGS": "--partition gpu"}
    path = f"{folder}:{os.environ['PATH']}"
    assert recipe.run("--stop_stage", "4", PATH=path, **given).returncode == 0
    prepared, extracted, training = recipe.calls.read_text().splitlines()
    assert "training.corpora.prepare" in prepared and program not in prepared
    for call in (extracted, training):
        assert call.startswith(program) and "--partition gpu" in call
    assert recipe.run(A3T_CMD="elsewhere").returncode == 2


ARRAY = """#!/bin/bash
# What srun and qsub do with an array: each task runs the script, and knows its number.
echo "$(basename "$0") $*" >> "$CALLS"
for ((k = 0; k < 3; k++)); do
    SLURM_PROCID=$k SGE_TASK_ID=$((k + 1)) bash "${@: -1}" || exit
done
"""


@pytest.mark.parametrize(("backend", "program"), [("slurm", "srun"), ("queue", "qsub"), ("", "")])
def test_features_are_made_in_parts(recipe: Recipe, backend: str, program: str) -> None:
    folder = recipe.folder / "bin"
    folder.mkdir()
    if program:
        (folder / program).write_text(ARRAY)
        (folder / program).chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    given = {"A3T_CMD": backend, "PATH": path} if backend else {}
    given_times = recipe.folder / "a file; with (this) name"
    given_times.touch()
    options = ("--stop_stage", "3", "--parts", "3", "--alignments", str(given_times))
    done = recipe.run(*options, **given)
    assert done.returncode == 0, done.stderr
    _, *calls = recipe.calls.read_text().splitlines()
    if program:
        array = calls.pop(0)
        assert array.startswith(program) and ("--ntasks 3" in array or "-t 1-3" in array)
    assert [line.split()[-1] for line in calls] == ["1/3", "2/3", "3/3"]
    assert all("training.extract" in line and "with (this) name" in line for line in calls)
    assert recipe.run(*options, "--stage", "3", fails="--part 2/3", **given).returncode == 1


def test_the_ablation_trains_every_row_alike_and_judges_all(recipe: Recipe) -> None:
    rows = {
        "A3T_ROWS": "a3t_paper ablation/fat_mlm a3t_paper:1",
        "A3T_ALL": "--model_conf pitch=false",
    }
    done = recipe.run(script="ablation.sh", **rows)
    assert done.returncode == 0, done.stderr
    calls = recipe.calls.read_text().splitlines()
    trained = [line.split() for line in calls if "--resume true" in line]
    assert [line[line.index("--seed") + 1] for line in trained] == ["0", "0", "1"]
    configs = [line[line.index("--config") + 1] for line in trained]
    assert [Path(path).name for path in configs] == [
        "a3t_paper.yaml",
        "fat_mlm.yaml",
        "a3t_paper.yaml",
    ]
    assert all((RECIPES / "mini" / path).exists() for path in configs)
    assert all("pitch=false" in line and "conf/narrow.yaml" in line for line in trained)
    runs = [line[line.index("--output_dir") + 1] for line in trained]
    assert len(set(runs)) == 3
    judged = calls[-1].split()
    assert judged[1:3] == ["evaluation", "runs"] and set(runs) <= set(judged)
    assert recipe.modules().count("prepare") == 1 and recipe.modules().count("extract") == 1


@pytest.mark.parametrize("option", ["--no-such-option", "--PATH", "--python", "--ngpus", "stage"])
def test_an_unknown_option_is_refused(recipe: Recipe, option: str) -> None:
    done = recipe.run(option, "1")
    assert done.returncode == 2 and option in done.stderr
    assert recipe.modules() == []


@pytest.mark.parametrize(
    ("option", "value", "wanted"),
    [
        ("--pitch", "touch", "true or false"),  # which was run, as a program
        ("--stage", "three", "a number"),
        ("--nj", "-1", "a number"),
        ("--clips", "5;", "a number"),
        ("--nj", "0", "1 or more"),
        ("--aligner", "montreal", "network or mfa"),
        ("--config", "conf/none.yaml", "a file"),
        ("--alignments", "none.jsonl", "a file"),
    ],
)
def test_a_wrong_value_is_refused(recipe: Recipe, option: str, value: str, wanted: str) -> None:
    done = recipe.run(option, value)
    assert done.returncode == 2 and f'{option} must be {wanted}, not "{value}"' in done.stderr
    assert recipe.modules() == []


@pytest.mark.parametrize("name", ["ljspeech", "mini", "punctuation", "vctk", "vocoder"])
def test_help_names_every_option_and_what_it_is_for(recipe: Recipe, name: str) -> None:
    done = recipe.run("--help", name=name, A3T_CORPORA="")
    assert done.returncode == 0 and recipe.modules() == []
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  --")]
    assert len(lines) > 10 and all(len(line) > 3 for line in lines)
    options = {line[0] for line in lines}
    assert {"--stage", "--stop_stage", "--config", "--work"} <= options
    assert ("--steps" in options) == (name == "vocoder")
    assert ("--aligner" in options) == (name in ("ljspeech", "mini", "vctk"))


@pytest.mark.parametrize("script", ["compare.sh", "ablation.sh"])
def test_help_of_a_script_does_nothing_else(recipe: Recipe, script: str) -> None:
    done = recipe.run("--help", script=script)
    assert done.returncode == 0 and recipe.modules() == []
    assert script in done.stdout and "--clips N" in done.stdout and "set -euo" not in done.stdout


def test_an_option_of_another_recipe_is_refused_and_kaldis_dashes_are_not(recipe: Recipe) -> None:
    refused = recipe.run("--aligner", "network", name="vocoder")
    assert refused.returncode == 2 and "no option --aligner" in refused.stderr
    assert recipe.run("--stop-stage", "2").returncode == 0 and recipe.modules() == ["prepare"]
    assert "--clips needs a value" in recipe.run("--clips").stderr


def test_a_folder_that_nobody_named_is_asked_for(recipe: Recipe) -> None:
    done = recipe.run(A3T_CORPORA="")
    assert done.returncode == 1 and "--corpora" in done.stderr and recipe.modules() == []


def test_the_comparison_trains_every_system_alike_and_then_judges_them(recipe: Recipe) -> None:
    done = recipe.run(script="compare.sh", A3T_MINUTES="3", A3T_SYSTEMS="a3t editspeech")
    assert done.returncode == 0, done.stderr
    calls = recipe.calls.read_text().splitlines()
    trained = [line for line in calls if "train_systems" in line]
    assert [line.split("conf/")[1].split(".yaml")[0] for line in trained] == ["a3t", "editspeech"]
    assert all("--minutes 3" in line and "speaker-vectors.npz" in line for line in trained)
    assert calls[-1].startswith("-m evaluation table all") and "exp/systems" in calls[-1]
    assert recipe.run(script="compare.sh", fails="speaker_vectors").returncode == 1
    recipe.run("--voice", "kathleen-kathleen", script="compare.sh", A3T_SYSTEMS="mam:2")
    prepared, *_, trained, judged = recipe.calls.read_text().splitlines()
    assert "conf/mam.yaml" in trained and trained.endswith("exp/systems/mam.2 --seed 2")
    assert all("--voice kathleen-kathleen" in line for line in (prepared, judged))
