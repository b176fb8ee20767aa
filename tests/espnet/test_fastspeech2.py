"""ESPnet's FastSpeech 2 as a system of the comparison: needs ESPnet."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.errors import InputError
from tests.evaluation.conftest import make_gap
from tests.evaluation.test_compared_systems import speech_batch

pytest.importorskip("espnet2", reason="ESPnet is not installed")

from evaluation.systems.fastspeech2 import FastSpeech2Network, FastSpeech2System

SMALL = {
    "adim": 8, "aheads": 2, "elayers": 1, "eunits": 8, "dlayers": 1, "dunits": 8,
    "encoder_type": "conformer", "decoder_type": "conformer", "conformer_rel_pos_type": "latest",
    "postnet_chans": 8, "duration_predictor_chans": 8, "pitch_predictor_chans": 8,
    "energy_predictor_chans": 8, "gst_conv_chans_list": [4, 4, 8, 8, 8, 8], "gst_gru_units": 8,
}  # fmt: skip


def network(gst: bool = True) -> FastSpeech2Network:
    torch.manual_seed(0)
    return FastSpeech2Network(**SMALL, use_gst=gst)


def test_every_parameter_is_trained_the_style_tokens_encoder_too(tmp_path: Path) -> None:
    whole = network()
    whole(speech_batch(tmp_path))["total"].backward()
    for name, parameter in whole.named_parameters():
        assert parameter.grad is not None, name
        # A softmax is blind to what is added to all keys.
        assert parameter.grad.abs().max() > 0 or name.endswith("linear_k.bias"), name


def test_it_speaks_for_as_long_as_it_is_told_and_in_the_voice_that_it_is_told() -> None:
    system, gap = FastSpeech2System(network()), make_gap()
    spoken = system.speak(gap)
    assert spoken.shape == (gap.durations.sum(), 80)
    np.testing.assert_array_equal(system.fill(gap), spoken[slice(*gap.frame_span)])
    other = replace(gap)
    other.__dict__["voice"] = -gap.voice
    assert not np.allclose(system.fill(other), system.fill(gap))


def test_the_style_is_that_of_the_visible_speech() -> None:
    system, gap = FastSpeech2System(network()), make_gap()
    louder = replace(gap, mel=gap.mel + 1.0)
    louder.__dict__["voice"] = gap.voice
    assert not np.allclose(system.fill(louder), system.fill(gap))
    plain = FastSpeech2System(network(gst=False))
    np.testing.assert_array_equal(plain.fill(louder), plain.fill(gap))


def test_without_espnet_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "espnet2.tts.fastspeech2", None)
    with pytest.raises(InputError, match="FastSpeech 2 is ESPnet's"):
        network()
