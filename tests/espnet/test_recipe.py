"""All stages of a tiny recipe, from a corpus's own layout to edited recordings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

pytest.importorskip("espnet2", reason="ESPnet is not installed (see recipes/README.md)")

from a3t.demo import TEXT, example_recording
from a3t.errors import InputError

RECIPES = Path(__file__).parents[2] / "recipes"
TEMPOS = (0.9, 0.95, 1.0, 1.05, 1.1)
ROUNDS = 2


def write_ljspeech(folder: Path) -> None:
    """One real sentence at several speeds, laid out as LJSpeech is; and a clip without a sound."""
    try:
        samples, rate = soundfile.read(example_recording())
    except InputError as reason:
        pytest.skip(str(reason))
    (folder / "wavs").mkdir(parents=True)
    lines = ["LJ001-0099|Nobody said this.|Nobody said this."]
    for k, tempo in enumerate(TEMPOS * ROUNDS):
        name = f"LJ001-{k + 1:04}"
        varied = soxr.resample(samples, rate, round(rate * tempo * (1 + 0.01 * (k // len(TEMPOS)))))
        soundfile.write(folder / "wavs" / f"{name}.wav", varied.astype(np.float32), rate)
        lines.append(f"{name}|{TEXT}|{TEXT}")
    (folder / "metadata.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.slow
def test_from_ljspeechs_layout_to_edited_recordings(tmp_path: Path) -> None:
    write_ljspeech(tmp_path / "LJSpeech-1.1")
    command = [RECIPES / "ljspeech" / "run.sh", "--corpora", tmp_path / "LJSpeech-1.1"]
    command += ["--work", tmp_path / "work", "--tag", "tiny", "--pitch", "true"]
    command += ["--config", "../mini/conf/tiny.yaml"]
    command += ["--durations_config", "../mini/conf/tiny_durations.yaml", "--jobs", "1"]
    command += ["--dev", "2", "--test", "2", "--test_clips", "2"]

    def run() -> str:
        environment = os.environ | {"PYTHON": sys.executable}
        done = subprocess.run(
            list(map(str, command)), env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    assert "Stage 8" in run()
    exp = tmp_path / "work" / "exp"
    edited = sorted((exp / "tiny" / "samples").glob("*.wav"))
    assert len(edited) == 2 and all(soundfile.info(path).frames > 0 for path in edited)
    page = (exp / "tiny" / "evaluation" / "reconstruction.md").read_text()
    assert "copy-synthesis" in page and "| predicted | A3T |" in page
    assert "LJ001-0099" in (tmp_path / "work" / "data" / "left-out.tsv").read_text()
    assert (exp / "durations" / "errors.tsv").read_text().startswith("split\tclass")
    # What was done is not done again.
    again = run()
    assert all(f"Stage {number} (" in again for number in range(1, 9))
    assert again.count("is done.") == 8
