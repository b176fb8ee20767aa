"""All stages of a tiny recipe, from a corpus's own layout to edited recordings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile

pytest.importorskip("espnet2", reason="ESPnet is not installed (see recipes/README.md)")

from training.corpora.generate import generate

RECIPES = Path(__file__).parents[2] / "recipes"
UNSEEN = "p228"  # one of recipes/vctk/conf/unseen_speakers.txt


def run(recipe: str, tmp_path: Path, *more: str) -> str:
    command = [RECIPES / recipe / "run.sh", "--corpora", tmp_path / "corpus"]
    command += ["--work", tmp_path / "work", "--tag", "tiny", "--loop", "espnet"]
    command += ["--pitch", "true", "--config", "../mini/conf/tiny.yaml"]
    command += ["--durations_config", "../mini/conf/tiny_durations.yaml", "--nj", "1"]
    environment = os.environ | {"PYTHON": sys.executable}
    done = subprocess.run(
        [*map(str, command), *more], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_from_ljspeechs_layout_to_edited_recordings(tmp_path: Path) -> None:
    generate("ljspeech", tmp_path / "corpus", 0.001)
    more = ("--dev", "2", "--test", "2", "--test_clips", "2")
    assert "Stage 7" in run("ljspeech", tmp_path, *more)
    exp = tmp_path / "work" / "exp"
    sounds = sorted((exp / "tables" / "sounds" / "tiny").glob("*.flac"))
    assert sounds and all(soundfile.info(path).frames > 0 for path in sounds)
    assert "\n| tiny | 2 |" in (exp / "tables" / "table.md").read_text()
    assert "LJ051-9999" in (tmp_path / "work" / "data" / "left-out.tsv").read_text()
    assert (exp / "durations" / "errors.tsv").read_text().startswith("split\tclass")
    # What was done is not done again.
    again = run("ljspeech", tmp_path, *more)
    assert all(f"Stage {number} (" in again for number in range(1, 8))
    assert again.count("is done.") == 7


@pytest.mark.slow
def test_a_part_of_vctk_to_speakers_never_heard(tmp_path: Path) -> None:
    assert generate("vctk", tmp_path / "corpus", 0.0025) == 110
    run("vctk", tmp_path, "--dev", "2", "--test", "2", "--stop_stage", "3")  # the rest is the same
    work = tmp_path / "work"
    raw = {path.name: (path / "utt2spk").read_text() for path in (work / "dump" / "raw").iterdir()}
    assert {name: text.count("\n") for name, text in raw.items()} == {
        "dev": 6,
        "test": 6,
        "test_unseen": 22,
        "train": 54,
    }
    assert UNSEEN in raw.pop("test_unseen")
    assert all(UNSEEN not in text and "p225" in text and "p227" in text for text in raw.values())
    left_out = (work / "data" / "left-out.tsv").read_text()
    assert "p315" in left_out and "unseen speaker who is not in the corpus" in left_out
