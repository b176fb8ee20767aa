"""The phone network as ONNX, against NumPy's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from alignment.network.phone_network import BANDS, SMALL_WEIGHTS, load_weights, posteriors
from alignment.training.export_phones import main


@pytest.mark.parametrize("small", [False, True])
def test_onnx_says_what_numpy_says(small: bool, tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    path = tmp_path / "phones.onnx"
    chosen = ["--weights", str(SMALL_WEIGHTS)] if small else []
    assert main(["--out", str(path), *chosen]) == 0
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    weights = load_weights(SMALL_WEIGHTS if small else None)
    for count in (1, 37, 400):
        frames = np.random.default_rng(count).standard_normal((count, BANDS)).astype(np.float32)
        (found,) = session.run(["posteriors"], {"frames": frames})
        expected = posteriors(frames, weights)
        assert found.shape == expected.shape
        assert found == pytest.approx(expected, abs=1e-3)
