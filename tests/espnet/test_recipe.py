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

from a3t.example import RECORDING, TEXT

RECIPES = Path(__file__).parents[2] / "recipes"
TEMPOS = (0.9, 0.95, 1.0, 1.05, 1.1)
ROUNDS = 3
RATE = 16_000


UNSEEN = "p294"  # one of recipes/vctk/conf/unseen_speakers.txt


def varied_sounds() -> list[np.ndarray]:
    """One real sentence at several speeds, as if it were many clips."""
    samples, rate = soundfile.read(RECORDING)
    factors = [t * (1 + 0.01 * k) for k in range(ROUNDS) for t in TEMPOS]
    return [soxr.resample(samples, rate, round(rate * f)).astype(np.float32) for f in factors]


def write_ljspeech(folder: Path) -> None:
    """Laid out as LJSpeech is; and a text without a sound."""
    (folder / "wavs").mkdir(parents=True)
    lines = ["LJ001-0099|Nobody said this.|Nobody said this."]
    for k, samples in enumerate(varied_sounds()[:10]):
        name = f"LJ001-{k + 1:04}"
        soundfile.write(folder / "wavs" / f"{name}.wav", samples, RATE)
        lines.append(f"{name}|{TEXT}|{TEXT}")
    (folder / "metadata.csv").write_text("\n".join(lines) + "\n")


def write_vctk(folder: Path) -> None:
    """Laid out as VCTK 0.80 is: two speakers to train on, one unseen, one whose texts are lost."""
    sounds = varied_sounds()
    for first, speaker in ((0, "p227"), (4, "p228"), (8, UNSEEN), (8, "p315")):
        (folder / "wav48" / speaker).mkdir(parents=True)
        if speaker != "p315":
            (folder / "txt" / speaker).mkdir(parents=True)
        for k, samples in enumerate(sounds[first : first + 4]):
            name = f"{speaker}_{k + 1:03}"
            soundfile.write(folder / "wav48" / speaker / f"{name}.wav", samples, RATE)
            if speaker != "p315":
                (folder / "txt" / speaker / f"{name}.txt").write_text(TEXT + "\n")


def run(recipe: str, tmp_path: Path, *more: str) -> str:
    command = [RECIPES / recipe / "run.sh", "--corpora", tmp_path / "corpus"]
    command += ["--work", tmp_path / "work", "--tag", "tiny", "--pitch", "true"]
    command += ["--config", "../mini/conf/tiny.yaml"]
    command += ["--durations_config", "../mini/conf/tiny_durations.yaml", "--nj", "1"]
    environment = os.environ | {"PYTHON": sys.executable}
    done = subprocess.run(
        [*map(str, command), *more], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_from_ljspeechs_layout_to_edited_recordings(tmp_path: Path) -> None:
    write_ljspeech(tmp_path / "corpus")
    more = ("--dev", "2", "--test", "2", "--test_clips", "2")
    assert "Stage 8" in run("ljspeech", tmp_path, *more)
    exp = tmp_path / "work" / "exp"
    edited = sorted((exp / "tiny" / "samples").glob("*.wav"))
    assert len(edited) == 2 and all(soundfile.info(path).frames > 0 for path in edited)
    page = (exp / "tiny" / "evaluation" / "reconstruction.md").read_text()
    assert "copy-synthesis" in page and "| predicted | A3T |" in page
    assert "LJ001-0099" in (tmp_path / "work" / "data" / "left-out.tsv").read_text()
    assert (exp / "durations" / "errors.tsv").read_text().startswith("split\tclass")
    # What was done is not done again.
    again = run("ljspeech", tmp_path, *more)
    assert all(f"Stage {number} (" in again for number in range(1, 9))
    assert again.count("is done.") == 8


@pytest.mark.slow
def test_from_vctks_layout_to_speakers_never_heard(tmp_path: Path) -> None:
    write_vctk(tmp_path / "corpus")
    run("vctk", tmp_path, "--dev", "1", "--test", "1", "--test_clips", "4")
    work = tmp_path / "work"
    raw = {path.name: (path / "utt2spk").read_text() for path in (work / "dump" / "raw").iterdir()}
    assert sorted(raw) == ["dev", "test", "test_unseen", "train"]
    assert UNSEEN in raw.pop("test_unseen")
    assert all(UNSEEN not in text and "p227" in text and "p228" in text for text in raw.values())
    left_out = (work / "data" / "left-out.tsv").read_text()
    assert "p315" in left_out and "unseen speaker who is not in the corpus" in left_out
    page = (work / "exp" / "tiny" / "evaluation" / "reconstruction.md").read_text()
    assert "| predicted | A3T |" in page
