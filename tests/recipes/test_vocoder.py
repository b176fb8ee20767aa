"""recipes/vocoder: its stages with a stand-in for Python, and a complete run at a tiny size."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.vocoder import load_vocoder
from a3t.vocoder.builtin import SpectralVocoder
from tests.recipes.running import RECIPES, run
from training.configuration import read_config, settings
from training.corpora import UNSEEN_SPEAKERS
from training.training_runs import TrainingSchedule
from training.vocoder.vocoder_data import WindowConfig
from training.vocoder.vocoder_losses import VocoderLossConfig

RECIPE = RECIPES / "vocoder"
STAND_IN = """#!/bin/sh
echo "$*" >> "$CALLS"
"""


def test_the_stages_in_their_order_and_once(tmp_path: Path) -> None:
    calls, python = tmp_path / "calls", tmp_path / "python"
    python.write_text(STAND_IN)
    python.chmod(0o755)
    settings = {"A3T_CORPORA": str(tmp_path), "PYTHON": str(python), "CALLS": str(calls)}
    options = (
        "--work",
        tmp_path / "work",
        "--ngpu",
        "1",
        "--train_args",
        "--threads 2",
    )
    done = run("vocoder", *options, "--steps", "7", **settings)
    assert done.returncode == 0, done.stderr
    waveforms, train, export, evaluate = calls.read_text().splitlines()
    assert "training.vocoder.waveforms" in waveforms and str(tmp_path) in waveforms
    assert train.endswith("--steps 7 --device cuda --threads 2")
    assert "vocoder export" in export and "packed/small" in export
    assert "evaluation vocoders" in evaluate and "packed/small" in evaluate
    calls.write_text("")
    assert run("vocoder", *options, "--steps", "7", **settings).returncode == 0
    assert calls.read_text() == ""  # everything is done
    again = run("vocoder", *options, "--steps", "9", **settings)
    assert again.returncode == 0  # and what follows from it
    assert [line.split()[1] for line in calls.read_text().splitlines()] == [
        *("training.vocoder", "training.vocoder", "evaluation"),
    ]


@pytest.mark.parametrize("path", sorted(RECIPE.glob("conf/*.yaml")), ids=lambda path: path.stem)
def test_every_configuration_builds(path: Path) -> None:
    config = read_config(path)
    assert SpectralVocoder(**config["vocoder"]).iterations
    settings(WindowConfig, config["data"])
    settings(VocoderLossConfig, config.get("loss"))
    assert settings(TrainingSchedule, config["training"]).rate_at(100) > 0


@pytest.mark.slow
def test_from_corpora_to_a_table(tmp_path: Path) -> None:
    pytest.importorskip("pyworld")
    stranger = sorted(UNSEEN_SPEAKERS)[0].removeprefix("librispeech-")
    random = np.random.default_rng(0)
    for speaker in ("19", stranger):
        chapter = tmp_path / "corpora" / "LibriSpeech" / "train" / speaker / "1"
        chapter.mkdir(parents=True)
        for n in range(3):
            noise = 0.1 * random.standard_normal(40_000)
            soundfile.write(chapter / f"{speaker}-1-{n}.flac", noise, 16000)
        lines = [f"{speaker}-1-{n} PROMPT {n}\n" for n in range(3)]
        (chapter / f"{speaker}-1.trans.txt").write_text("".join(lines))
    options = ("--config", "conf/tiny.yaml", "--work", tmp_path / "work", "--test_clips", "1")
    places = {"A3T_CORPORA": str(tmp_path / "corpora")}
    stopped = run("vocoder", *options, "--steps", "4", "--train_args", "--minutes 0", **places)
    assert stopped.returncode == 1 and "Stopped at step 0:" in stopped.stderr
    done = run("vocoder", *options, "--steps", "4", **places)
    assert done.returncode == 0, done.stderr[-2000:]
    work = tmp_path / "work" / "exp"
    assert load_vocoder(work / "packed" / "tiny").receptive_frames < 20
    page = (work / "tiny" / "evaluation" / "vocoders.md").read_text()
    assert "| griffin-lim | all | 1 |" in page and "packed/tiny | all | 1 |" in page
