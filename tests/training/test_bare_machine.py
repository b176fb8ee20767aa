"""Training on a GPU machine with only torch, NumPy, PyYAML and tqdm."""

import json
import re
import subprocess
import sys
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.training.stores import write_store
from tests.training.test_pretraining import CONFIG
from training.vocoder.waveforms import CachedWave

ROOT = Path(__file__).parents[2]
THERE = ["torch", "numpy", "PyYAML", "tqdm"]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages: those that are there, what they need, and our own."""
    folder = tmp_path_factory.mktemp("machine")
    for own in ("a3t", "alignment", "training"):
        (folder / own).symlink_to(ROOT / own)
    waiting, done = list(THERE), set()
    while waiting:
        name = waiting.pop()
        if name in done:
            continue
        done.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:  # only needed on another system
            continue
        needed = (line for line in found.requires or () if "extra ==" not in line)
        waiting += [re.split(r"[^\w.-]", line)[0] for line in needed]
        files = (found.read_text("RECORD") or "").splitlines()
        for top in {re.split("[/,]", file)[0] for file in files} - {".."}:
            if not (folder / top).exists():
                (folder / top).symlink_to(Path(str(found.locate_file(top))))
    return folder


def run(machine: Path, program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],  # without the packages of this environment
        cwd=machine,
        env={
            "PYTHONPATH": str(machine),
            "PATH": "/usr/bin:/bin",
            "OMP_NUM_THREADS": "1",
            "XDG_STATE_HOME": str(machine / "state"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def write_clips(cache: Path) -> None:
    """A second of noise, as the vocoder's training keeps clips."""
    cache.mkdir()
    np.save(cache / "samples.npy", np.random.default_rng(0).integers(-3000, 3000, 24000, np.int16))
    entry = CachedWave("a", "librispeech", "19", "train", 16000, 0, 24000)
    (cache / "index.jsonl").write_text(json.dumps(asdict(entry)))
    (cache / "pitches.json").write_text(json.dumps({"librispeech-19": 100.0}))


@pytest.mark.slow
def test_both_networks_train(machine: Path, tmp_path: Path) -> None:
    """In one process: importing torch and its compiler takes longer than all of this."""
    write_store(tmp_path / "features", {"train": 4, "dev": 1}, pitch=True)
    model = CONFIG["model"] | {"pitch": True, "energy": True, "voice": 8, "normalise": True}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG | {"model": model}))
    write_clips(tmp_path / "cache")
    config = {
        "vocoder": {"width": 8, "hidden": 8, "blocks": 1, "iterations": 1, "pitches": 9},
        "data": {"frames": 8, "batch": 2, "low_voices": 3.0},
        "loss": {"pitch": 0},
        "discriminators": {"channels": 2},
    }
    (tmp_path / "vocoder.yaml").write_text(yaml.safe_dump(config))
    run(
        machine,
        f"""
from importlib.util import find_spec

for name in ("pocketsphinx", "soundfile", "scipy", "safetensors", "espnet2"):
    assert find_spec(name) is None
from training import pretrain
from training.vocoder import __main__ as vocoder

here = {str(tmp_path)!r}
command = ["--config", here + "/config.yaml", "--features", here + "/features"]
command += ["--out", here + "/run"]
command += ["--steps", "3", "--critic", "--threads", "1", "--precision", "float32"]
assert pretrain.main(command) == 0
command = ["--config", here + "/vocoder.yaml", "--data", here + "/cache"]
assert vocoder.main([*command, "--out", here + "/vocoder", "--steps", "2"]) == 0
""",
    )
    assert (tmp_path / "run" / "checkpoint.pt").exists()
    assert (tmp_path / "vocoder" / "checkpoint.pt").exists()
