"""Results depend neither on the number of cores nor on OMP_NUM_THREADS."""

from __future__ import annotations

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

NEW = ARCTIC.replace("always", "never")
# What sums over many numbers, in an order that threads change.
SUMS = ("mm", "addmm", "bmm", "baddbmm", "convolution", "sum", "mean", "norm", "_fft", "_softmax")


@pytest.fixture
def stereo(arctic: Path, tmp_path: Path) -> Path:
    """The sentence in 48 kHz and stereo."""
    samples, _ = soundfile.read(arctic)
    wave = resample_poly(samples, 3, 1)
    soundfile.write(tmp_path / "stereo.wav", np.stack([wave, 0.7 * wave], 1), 48_000)
    return tmp_path / "stereo.wav"


@pytest.mark.usefixtures("nothing_remembered")
def test_the_number_of_threads_changes_no_bit(editor: Editor, stereo: Path) -> None:
    found = []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            result = editor.edit(stereo, text=ARCTIC, new_text=NEW)
            spoken = editor.tts(stereo, "Nobody knows.", prompt_text=ARCTIC)
            found.append([sound.samples.tobytes() for sound in (*result.patches, spoken)])
    finally:
        torch.set_num_threads(1)
    assert found[0] == found[1]


@pytest.mark.usefixtures("nothing_remembered")
def test_nothing_is_summed_on_several_threads(editor: Editor, arctic: Path) -> None:
    """Networks are built, loaded and used on one thread, whatever the processor makes of it."""
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
