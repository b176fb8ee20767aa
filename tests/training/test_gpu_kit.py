"""The kit for a quarter of an hour of a GPU: packed, unpacked, and every part of it tried."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from training import gpu_kit
from training.corpora.generate import generate
from training.corpora.prepare import prepare
from training.extract import main as extract


@pytest.mark.slow
def test_every_part_of_the_kit_ends_on_a_cpu(tmp_path: Path) -> None:
    data, features, kit = (str(tmp_path / name) for name in ("data", "features", "gpu-kit.tar"))
    generate("ljspeech", tmp_path / "corpus", 0.001)
    prepare("ljspeech", tmp_path / "corpus", Path(data), dev=2, test=2)
    assert extract([data, features, "--pitch"]) == 0
    assert gpu_kit.main(["pack", kit, "--data", data, "--features", features]) == 0
    there, out = tmp_path / "there", tmp_path / "out"
    with tarfile.open(kit) as tar:
        tar.extractall(there, filter="data")
    done = subprocess.run(
        ["sh", "run.sh", "--device", "cpu", "--trial", "--out", str(out)],
        cwd=there, env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((out / "report.json").read_text())
    parts = [part for part in report.values() if isinstance(part, dict)]
    assert len(parts) == 10 and not any(part["exit"] for part in parts)
    assert all((out / name / "average.pt").is_file() for name in ("a3t", "vocoder"))
