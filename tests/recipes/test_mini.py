"""Whole recipes in a tiny configuration: from corpora to edited recordings, and without ESPnet."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import soundfile

from a3t.editor import Editor
from training.corpora.generate import generate

RECIPES = Path(__file__).parents[2] / "recipes"


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("A3T_CORPORA"), reason="A3T_CORPORA is not set")
@pytest.mark.skipif(not find_spec("espnet2"), reason="ESPnet is not installed (recipes/README.md)")
def test_from_nothing_to_an_edited_recording(tmp_path: Path) -> None:
    command = [RECIPES / "mini" / "run.sh", "--config", "conf/tiny.yaml", "--clips", "3"]
    command += ["--durations_config", "conf/tiny_durations.yaml", "--work", tmp_path]
    command += ["--jobs", "1", "--test_clips", "2"]
    done = subprocess.run(
        list(map(str, command)),
        env=os.environ | {"PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    edited = sorted((tmp_path / "exp" / "tiny" / "samples").glob("*.wav"))
    assert edited and all(soundfile.info(str(path)).frames > 0 for path in edited)
    page = (tmp_path / "exp" / "tiny" / "evaluation" / "reconstruction.md").read_text()
    assert "### Durations predicted" in page and "| A3T | 2 |" in page


@pytest.mark.slow
def test_libritts_by_the_plain_loop(tmp_path: Path) -> None:
    """By the loop that needs torch alone, for at most a minute, as on a GPU that is lent."""
    generate("libritts", tmp_path / "corpus", 0.0004)
    command = [RECIPES / "libritts" / "run.sh", "--corpora", tmp_path / "corpus", "--nj", "1"]
    command += ["--config", "../mini/conf/tiny.yaml", "--work", tmp_path, "--stop_stage", "6"]
    command += ["--durations_config", "../mini/conf/tiny_durations.yaml"]
    command += ["--loop", "plain", "--minutes", "1"]
    environment = os.environ | {"PYTHON": sys.executable}
    subprocess.run(list(map(str, command)), env=environment, check=True)
    assert Editor.load(tmp_path / "exp" / "packed" / "tiny").durations is not None
