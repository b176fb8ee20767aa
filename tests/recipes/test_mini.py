"""The whole of recipes/mini, from the corpora to an edited recording, in a tiny configuration."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import soundfile

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
    assert "copy-synthesis" in page and "| predicted | A3T |" in page
