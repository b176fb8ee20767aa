"""A network's output depends on neither the kernels, nor what is kept, nor the cores."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from a3t.editor import Editor
from a3t.model.a3t import A3T
from a3t.model.conformer import Layout, RelativeAttention
from a3t.model.loading import load_networks
from a3t.model.saved_voices import Voice
from a3t.vocoder import load_vocoder
from tests.conftest import ARCTIC, NEVER
from tests.model.test_network import CONDITIONED, THESIS, make_clip


@pytest.mark.slow  # importing torch anew
def test_a_narrow_convolution_in_bfloat16_on_two_threads_terminates() -> None:
    """It did not, before `NARROW`. In a process of its own, which can be killed."""
    program = """if True:
        import torch
        from a3t.model.conformer import ConvolutionModule, Layout
        torch.set_num_threads(2)
        module = ConvolutionModule(32, 31, "layer")
        layout = Layout(torch.ones(3, 100, 1), torch.zeros(3, 100), seam=80)
        with torch.autocast("cpu", torch.bfloat16):
            module(torch.randn(3, 100, 32), layout).sum().backward()
    """
    done = subprocess.run([sys.executable, "-c", program], timeout=900, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize("training", [False, True])
def test_fused_attention_is_the_same_attention_its_dropout_too(training: bool) -> None:
    """Without maps torch's fused attention is taken, with them the sum that can be looked at."""
    torch.manual_seed(0)
    attention = RelativeAttention(16, 2, dropout=0.3).train(training)
    valid = torch.ones(2, 9, 1)
    valid[1, 6:] = 0
    layout = Layout(valid, torch.arange(9.0).expand(2, 9), seam=7)
    x = torch.randn(2, 9, 16)
    found = []
    for maps in (None, []):
        torch.manual_seed(1)
        found.append(attention(x, layout, maps))
    torch.testing.assert_close(found[0], found[1])


def trained(kind: dict, recompute: bool) -> tuple[dict[str, torch.Tensor], int]:
    """Gradients and running statistics after a step, and the bytes kept for the backward pass."""
    torch.manual_seed(0)
    model = A3T(**kind, recompute=recompute).train()
    kept: dict[int, int] = {}

    def keep(x: torch.Tensor) -> torch.Tensor:
        storage = x.untyped_storage()
        kept[storage.data_ptr()] = storage.nbytes()
        return x

    torch.manual_seed(1)  # dropout's
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        loss = model(make_clip(200, 25, 0)).after.square().mean()
        count = sum(kept.values())
    loss.backward()
    found = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return found | {name: b for name, b in model.named_buffers()}, count  # noqa: C416


@pytest.mark.parametrize("kind", [THESIS, CONDITIONED], ids=["thesis", "conditioned"])
def test_the_same_is_learnt_with_less_kept(kind: dict) -> None:
    deep = kind | {"encoder_blocks": 3, "decoder_blocks": 3}
    (plain, much), (again, little) = (trained(deep, recompute) for recompute in (False, True))
    assert plain.keys() == again.keys() and little < much / 2
    for name, value in plain.items():
        assert torch.allclose(again[name].float(), value.float(), rtol=1e-4, atol=1e-6), name


# What sums over many numbers, in an order that threads change.
SUMS = ("mm", "addmm", "bmm", "baddbmm", "convolution", "sum", "mean", "norm", "_fft", "_softmax")


@pytest.fixture
def stereo(arctic: Path, tmp_path: Path) -> Path:
    """The sentence in 48 kHz and stereo."""
    from scipy.signal import resample_poly

    samples, _ = soundfile.read(arctic)
    wave = resample_poly(samples, 3, 1)
    soundfile.write(tmp_path / "stereo.wav", np.stack([wave, 0.7 * wave], 1), 48_000)
    return tmp_path / "stereo.wav"


@pytest.mark.slow  # on any processor the next test shows it
@pytest.mark.usefixtures("nothing_remembered")
def test_the_number_of_threads_changes_no_bit(editor: Editor, stereo: Path) -> None:
    found = []
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            result = editor.edit(stereo, text=ARCTIC, new_text=NEVER)
            spoken = editor.tts(stereo, "Nobody knows.", prompt_text=ARCTIC)
            found.append([sound.samples.tobytes() for sound in (*result.patches, spoken)])
    finally:
        torch.set_num_threads(1)
    assert found[0] == found[1]


@pytest.mark.usefixtures("nothing_remembered")
def test_nothing_is_summed_on_several_threads(editor: Editor, arctic: Path) -> None:
    """Networks are built, loaded and used on one thread, whatever the processor makes of it, but
    for the vocoder's convolutions (tests/vocoder/test_vocoders.py)."""
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
            own.edit(arctic, text=ARCTIC, new_text=NEVER, verify=False)
            own.transcribe(arctic)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)
    assert seen <= {"convolution"}
