"""ONNX files against the original networks, at lengths other than the traced ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from a3t.convert import onnx as export_onnx
from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.model.variance.durations import DurationPredictor, word_edges
from a3t.text.phones import phone_ids
from a3t.vocoder.spectral import SpectralVocoder

onnxruntime = pytest.importorskip("onnxruntime", reason="the extra `onnx` is not installed")
pytest.importorskip("onnx", reason="the extra `onnx` is not installed")


def run(path: Path, **inputs: torch.Tensor) -> torch.Tensor:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (output,) = session.run(None, {name: value.numpy() for name, value in inputs.items()})
    return torch.from_numpy(output)


def shaken(module: Any) -> Any:
    """Its parameters moved off the nothing that some begin with."""
    for parameter in module.parameters():
        parameter.data += 0.05 * torch.randn_like(parameter)
    return module.eval()


def test_the_model_fills_alike(tmp_path: Path) -> None:
    torch.manual_seed(0)
    settings = {"width": 16, "hidden": 24, "encoder_blocks": 1, "decoder_blocks": 1, "heads": 2}
    # All that the model that ships has, and the thesis's Post-Net.
    more = {"frame_phones": True, "frame_progress": True, "phone_positions": "aligned"}
    more |= {"normalise": True, "pitch": True, "energy": True, "voice": 8}
    model = shaken(A3T(**settings, **more, postnet_channels=8))
    export_onnx.export_filling(model, tmp_path / "a3t.onnx")
    for frames, phones in ((31, 9), (80, 20)):
        mel = torch.randn(frames, 80) - 3
        masked = (torch.arange(frames) > 9) & (torch.arange(frames) < 22)
        ids = torch.randint(2, 70, (phones,))
        owner = torch.arange(frames) * phones // frames
        owner[-2:] = -1
        count = torch.tensor([phones])
        batch = Batch(
            mel[None], masked[None], ids[None], owner[None], torch.tensor([frames]), count
        )
        inputs = {"mel": mel, "masked": masked, "phones": ids, "frame_phone": owner}
        made = run(tmp_path / "a3t.onnx", **inputs)
        torch.testing.assert_close(made, model.fill(batch)[0], atol=1e-4, rtol=1e-4)
        assert torch.equal(made[~masked], mel[~masked])


def test_durations_alike(tmp_path: Path) -> None:
    torch.manual_seed(0)
    predictor = shaken(DurationPredictor(width=16, hidden=16, blocks=1))
    export_onnx.export_durations(predictor, tmp_path / "durations.onnx")
    symbols, words = ["HH", "AH0", "L", "OW1", "sp", "M", "AY1"], [0, 0, 0, 0, -1, 1, 1]
    made = run(
        tmp_path / "durations.onnx",
        phones=torch.tensor(phone_ids(symbols)),
        edges=torch.tensor(word_edges(words)),
    )
    np.testing.assert_allclose(made, predictor.frames(symbols, words), rtol=1e-4)


@pytest.mark.parametrize(
    ("relaxation", "texture", "pulses"),
    [(0.0, None, 0), (0.85, None, 0), (1.0, (300.0, 1500.0), 0), (0.9, (300.0, 1500.0), 2)],
)
def test_the_vocoder_sounds_alike(
    relaxation: float, texture: tuple[float, float] | None, pulses: float, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    small = {"width": 16, "hidden": 24, "blocks": 1, "iterations": 2, "pitches": 20}
    model = shaken(SpectralVocoder(**small, relaxation=relaxation, texture=texture, pulses=pulses))
    export_onnx.export_vocoder(model, tmp_path / "vocoder.onnx")
    for frames in (3, 77):
        mel = torch.randn(frames, 80) - 3
        noise = {"noise": torch.randn(300 * frames)} if texture else {}
        with torch.inference_mode():
            expected = model(mel[None], *(value[None] for value in noise.values()))[0]
        made = run(tmp_path / "vocoder.onnx", mel=mel, **noise)
        assert made.shape == (300 * frames,)
        torch.testing.assert_close(made, expected, atol=1e-4 * float(expected.abs().max()), rtol=0)


def test_only_the_builtin_vocoder_is_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export_onnx.main(["--out", str(tmp_path), "--vocoder", "griffin-lim"]) == 1
    assert "only the built-in vocoder" in capsys.readouterr().err
