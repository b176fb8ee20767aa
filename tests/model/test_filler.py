"""Any network that fills masked mel edits a recording (`a3t.model.masking.Filler`)."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import soundfile
import torch
from torch import nn

from a3t.editor import Editor
from a3t.model.conformer import Batch
from a3t.model.loading import load_networks
from alignment.aligners.network_aligner import NetworkAligner
from tests.conftest import ARCTIC, NEVER, assert_untouched


class PhoneMeans(nn.Module):
    """A frame is the mean of the visible frames of its phone, else of all visible frames."""

    def __init__(self) -> None:
        super().__init__()
        self.level = nn.Parameter(torch.tensor(1.0))

    @torch.inference_mode()
    def fill(self, batch: Batch) -> torch.Tensor:
        mel, masked = batch.mel[0], batch.masked[0]
        phones = batch.phones[0][batch.frame_phone[0]]
        filled = mel.clone()
        for frame in torch.nonzero(masked)[:, 0]:
            alike = ~masked & (phones == phones[frame])
            filled[frame] = self.level * mel[alike if alike.any() else ~masked].mean(0)
        return filled[None]


def test_a_network_of_twenty_lines_edits_a_recording(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    shipped = load_networks("small")
    networks = replace(shipped, model=PhoneMeans().eval(), name="means", sha256="0" * 64)
    result = Editor(networks, editor.vocoder, NetworkAligner()).edit(
        arctic, new_text=NEVER, text=ARCTIC, verify=False
    )
    output, _ = soundfile.read(result.save(tmp_path / "out.wav"), dtype="int16", always_2d=True)
    source, _ = soundfile.read(arctic, dtype="int16", always_2d=True)
    (edit,) = result.record["edits"]
    assert_untouched([edit], source, output)
    assert edit["new_words"] == "never" and result.record["model"]["name"] == "means"
    made = output[slice(*edit["output"])].astype(float)
    assert 100 < np.sqrt((made**2).mean()) < 10_000  # sound, neither silence nor a blast
