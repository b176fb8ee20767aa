"""Small recordings, made on the spot."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from a3t.audio.reading.recording import Recording

MakeRecording = Callable[..., Recording]


@pytest.fixture
def make_recording(tmp_path: Path) -> MakeRecording:
    """Writes float samples (n,) or (n, channels) to a file and opens it."""

    def make(
        samples: np.ndarray, rate: int = 48_000, subtype: str = "PCM_24", name: str = "in.wav"
    ) -> Recording:
        path = tmp_path / name
        sf.write(path, samples, rate, subtype=subtype)
        return Recording.open(path)

    return make
