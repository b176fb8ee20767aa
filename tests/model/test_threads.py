"""Results depend neither on the number of cores nor on OMP_NUM_THREADS."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import torch
from scipy.signal import resample_poly
from torch.utils._python_dispatch import TorchDispatchMode

from a3t.editor import Editor
from a3t.model.loading import load_networks
from a3t.model.saved_voices import Voice
from a3t.vocoder import load_vocoder
from tests.conftest import ARCTIC

ROOT = Path(__file__).parents[2]
NEW = ARCTIC.replace("always", "never")
# What sums over many numbers, in an order that threads change.
SUMS = ("mm", "addmm", "bmm", "baddbmm", "convolution", "sum", "mean", "norm", "_fft", "_softmax")
EDIT = f"""
import sys
from hashlib import sha256
from a3t.editor import Editor
editor = Editor.load()
result = editor.edit(sys.argv[1], text={ARCTIC!r}, new_text={NEW!r})
print(sha256(b"".join(patch.samples.tobytes() for patch in result.patches)).hexdigest())
spoken = editor.tts(sys.argv[1], "Nobody knows.", prompt_text={ARCTIC!r})
print(sha256(spoken.samples.tobytes()).hexdigest())
"""


@pytest.fixture
def stereo(arctic: Path, tmp_path: Path) -> Path:
    """The sentence in 48 kHz and stereo."""
    samples, _ = soundfile.read(arctic)
    wave = resample_poly(samples, 3, 1)
    soundfile.write(tmp_path / "stereo.wav", np.stack([wave, 0.7 * wave], 1), 48_000)
    return tmp_path / "stereo.wav"


def test_the_number_of_threads_changes_no_bit(stereo: Path) -> None:
    found = set()
    for threads in ("1", "3"):
        own = {name: value for name, value in os.environ.items() if "NUM_THREADS" not in name}
        done = subprocess.run(
            [sys.executable, "-c", EDIT, stereo],
            cwd=ROOT, env={**own, "OMP_NUM_THREADS": threads},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1


def test_nothing_is_summed_on_several_threads(arctic: Path) -> None:
    """Networks are built, loaded and used on one thread, whatever the processor makes of it."""
    editor = Editor.load()
    layer = next(n for n, m in editor.model.named_modules() if isinstance(m, torch.nn.Linear))
    rows, columns = editor.model.get_submodule(layer).weight.shape  # type: ignore[misc]
    changes = {f"{layer}.up": torch.ones(rows, 1), f"{layer}.down": torch.ones(1, columns)}
    model = {"name": editor.name, "sha256": editor.sha256}
    seen: set[str] = set()

    class Watched(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
        ) -> Any:
            name = func._schema.name.partition("::")[2]
            if name.startswith(SUMS) and torch.get_num_threads() > 1:
                seen.add(name)
            return func(*args, **(kwargs or {}))

    torch.set_num_threads(2)
    try:
        with Watched():
            Editor(load_networks("small"), load_vocoder("builtin"), editor.alignments.aligner)
            own = editor.in_voice(Voice("anna", model, {}, changes, ""))
            own.edit(arctic, text=ARCTIC, new_text=NEW)
            own.tts(arctic, "Nobody knows.", prompt_text=ARCTIC)
            own.transcribe(arctic)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert not seen
