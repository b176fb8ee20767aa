"""The phone network as ONNX, against NumPy's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from alignment.network.phone_network import BANDS, SMALL_WEIGHTS, load_weights, posteriors
from training.alignment.export_phones import main
from training.alignment.phone_model import network
from training.alignment.train_phones import save


@pytest.mark.parametrize("kind", ["shipped", "small", "random"])
def test_onnx_says_what_numpy_says(kind: str, tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    path = tmp_path / "phones.onnx"
    source = {"shipped": None, "small": SMALL_WEIGHTS, "random": tmp_path / "random.safetensors"}
    if kind == "random":
        model = network()
        model.up.weight.data.normal_(std=0.1)
        save(model, np.zeros((40, 40)), tmp_path / "random.safetensors")
    chosen = ["--weights", str(source[kind])] if source[kind] else []
    assert main(["--out", str(path), *chosen]) == 0
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    weights = load_weights(source[kind])
    for count in (1, 37, 400):
        frames = np.random.default_rng(count).standard_normal((count, BANDS)).astype(np.float32)
        (found,) = session.run(["posteriors"], {"frames": frames})
        expected = posteriors(frames, weights)
        assert found.shape == expected.shape
        assert found == pytest.approx(expected, abs=1e-3)
