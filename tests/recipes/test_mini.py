"""Whole recipes in a tiny configuration, without ESPnet: from corpora to edited recordings."""

import os
from pathlib import Path

import pytest
import soundfile

from a3t.editor import Editor
from tests.recipes.running import run
from training.corpora.generate import generate


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("A3T_CORPORA"), reason="A3T_CORPORA is not set")
def test_from_nothing_to_an_edited_recording(tmp_path: Path) -> None:
    options = ["--config", "conf/tiny.yaml", "--durations_config", "conf/tiny_durations.yaml"]
    options += ["--clips", "3", "--nj", "1", "--test_clips", "2"]
    done = run("mini", *options, "--work", tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    sounds = sorted((tmp_path / "exp" / "tables" / "sounds" / "tiny").glob("*.flac"))
    assert sounds and all(soundfile.info(str(path)).frames > 0 for path in sounds)
    page = (tmp_path / "exp" / "tables" / "table.md").read_text()
    for title in ("Table 4.2: Ablation", "Table 4.5: Insertion", "Table 4.7: Speech by a prompt"):
        table = page.partition(f"### {title}")[2].partition("###")[0]
        assert "\n| tiny | " in table, title


@pytest.mark.slow
def test_libritts_in_a_minute(tmp_path: Path) -> None:
    """For at most a minute, as on a GPU that is lent."""
    generate("libritts", tmp_path / "corpus", 0.0004)
    options = ["--corpora", tmp_path / "corpus", "--work", tmp_path, "--nj", "1"]
    options += ["--config", "../mini/conf/tiny.yaml", "--stop_stage", "6"]
    options += ["--durations_config", "../mini/conf/tiny_durations.yaml"]
    done = run("libritts", *options, "--minutes", "1")
    assert done.returncode == 0, done.stderr[-2000:]
    assert Editor.load(tmp_path / "exp" / "packed" / "tiny").durations is not None
