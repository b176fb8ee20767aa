"""Checkpoints of the first A3T implementation. Its own numbers, on a small random network, are in a
folder that A3T_REFERENCE names; without it they can't be compared."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.model.loading import LegacyA3T, load_networks
from a3t.text.phones import PHONES
from evaluation.systems.networks import load_a3t
from training.convert import BLOCK, WHOLE, convert, main, our_name

REFERENCE = os.environ.get("A3T_REFERENCE")
with_reference = pytest.mark.skipif(not REFERENCE, reason="A3T_REFERENCE is not set")

STACK = {
    "attention_dim": 16,
    "attention_heads": 2,
    "linear_units": 24,
    "num_blocks": 1,
    "positionwise_layer_type": "conv1d",
    "positionwise_conv_kernel_size": 3,
    "selfattention_layer_type": "rel_selfattn",
    "use_cnn_module": True,
    "dropout_rate": 0.2,
}
SETTINGS: dict[str, Any] = {
    "encoder_conf": STACK | {"cnn_module_kernel": 7},
    "decoder_conf": STACK | {"cnn_module_kernel": 31},
    "model_conf": {"postnet_chans": 8, "postnet_layers": 5},
    "token_list": list(reversed(PHONES)),
}
MODEL = {
    "width": 16,
    "hidden": 24,
    "encoder_blocks": 1,
    "decoder_blocks": 1,
    "postnet_channels": 8,
    "alignment_rows": 50,
}


def their_state(network: A3T) -> dict[str, torch.Tensor]:
    """Our weights under their names and in their shapes."""
    result = {}
    for name, value in network.state_dict().items():
        first, _, rest = name.partition(".")
        if first in ("encoder", "decoder"):
            number, _, part = rest.partition(".")
            theirs = next(k + part[len(v) :] for k, v in BLOCK.items() if part.startswith(v))
            result[f"{first}.encoders.{number}.{theirs}"] = (
                value[..., None] if "pointwise" in theirs and "weight" in theirs else value
            )
        elif first == "postnet":
            kind, number, part = rest.split(".")
            place = "0" if kind == "convolutions" else "1"
            result[f"postnet.postnet.{number}.{place}.{part}"] = value
        else:
            theirs = next(k + name[len(v) :] for k, v in WHOLE.items() if name.startswith(v))
            result[theirs] = value.view(1, 1, -1) if name == "acoustic.mask" else value
    return result


def batch(frames: int = 30, phones: int = 9, seed: int = 0) -> Batch:
    torch.manual_seed(seed)
    owner = torch.arange(frames) * phones // frames
    return Batch(
        torch.randn(1, frames, 80),
        (owner >= 3) & (owner < 6) & torch.ones(1, frames, dtype=torch.bool),
        torch.randint(0, 73, (1, phones)),
        owner[None],
        torch.tensor([frames]),
        torch.tensor([phones]),
    )


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A checkpoint and its configuration in a folder."""
    torch.manual_seed(0)
    torch.save(their_state(A3T(**MODEL)), tmp_path / "model.pth")
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(SETTINGS))
    return tmp_path


def test_every_parameter_is_converted_and_phones_reordered(theirs: Path) -> None:
    found = convert(theirs / "model.pth", theirs / "config.yaml")
    torch.manual_seed(0)
    original = A3T(**MODEL).state_dict()
    assert not found.unmatched and found.reordered
    for name, value in original.items():
        expected = value.flip(0) if name == "phone.weight" else value
        assert torch.equal(found.weights[name], expected), name


def test_our_own_positions_give_our_own_network(theirs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [str(theirs / "model.pth"), "--config", str(theirs / "config.yaml")]
    assert main([*arguments, "--out", str(out), "--positions", "own", "--padding", "own"]) == 0
    converted, plain = load_a3t(out)[0], A3T(**MODEL).eval()
    plain.load_state_dict(converted.state_dict())
    with torch.inference_mode():
        assert torch.allclose(converted(batch()).after, plain(batch()).after, atol=1e-4)


def test_legacy_positions_and_padding_each_change_the_outcome(theirs: Path) -> None:
    found = convert(theirs / "model.pth", theirs / "config.yaml")
    outcomes = []
    for positions in (False, True):
        for padding in (False, True):
            network = LegacyA3T(positions, padding, **found.config["model"]).eval()
            network.load_state_dict(found.weights)
            with torch.inference_mode():
                outcomes.append(network(batch()).after)
    for k, one in enumerate(outcomes):
        for other in outcomes[k + 1 :]:
            assert (one - other).abs().max() > 1e-4


def test_unused_parameters_are_reported(
    theirs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = torch.load(theirs / "model.pth", weights_only=True)
    torch.save(state | {"feats_extract.logmel.melmat": torch.ones(2)}, theirs / "model.pth")
    arguments = [str(theirs / "model.pth"), "--config", str(theirs / "config.yaml")]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    assert "unused: feats_extract.logmel.melmat" in capsys.readouterr().err


def test_a_missing_parameter_is_named(theirs: Path) -> None:
    state = torch.load(theirs / "model.pth", weights_only=True)
    del state["sfc.bias"]
    torch.save(state, theirs / "model.pth")
    with pytest.raises(InputError, match=r"output\.bias"):
        convert(theirs / "model.pth", theirs / "config.yaml")


def test_another_network_is_refused(theirs: Path) -> None:
    (theirs / "config.yaml").write_text("encoder: rnn\n")
    with pytest.raises(InputError, match="are not A3T's"):
        convert(theirs / "model.pth", theirs / "config.yaml")


def test_names_of_other_parts_have_no_place() -> None:
    assert our_name("normalize.mean") is None
    assert our_name("encoder.encoders.0.self_attn.unknown.weight") is None


@with_reference
@pytest.mark.parametrize("k", [0, 1])
def test_the_first_implementations_numbers_are_reproduced(k: int, tmp_path: Path) -> None:
    folder = Path(REFERENCE or "") / "first-a3t"
    out = tmp_path / "out"
    arguments = [str(folder / "random.pth"), "--config", str(folder / "config.yaml")]
    assert main([*arguments, "--out", str(out)]) == 0
    with np.load(folder / "io.npz") as file:
        given = {name: torch.from_numpy(file[f"{name}{k}"]) for name in NAMES}
    frames, phones = given["speech"].shape[1], given["text"].shape[1]
    # Their rows are 1 for the first phone and 0 for none; phones that have no frames keep theirs.
    assert (given["text_segment"] == torch.arange(1, phones + 1)).all()
    found = load_a3t(out)[0](
        Batch(
            given["speech"],
            given["masked"],
            given["text"].long(),
            given["speech_segment"].long() - 1,
            torch.tensor([frames]),
            torch.tensor([phones]),
        )
    )
    assert torch.allclose(found.before, given["before"], atol=1e-4)
    assert torch.allclose(found.after, given["after"], atol=1e-4)


NAMES = ("speech", "text", "masked", "speech_segment", "text_segment", "before", "after")


def test_editor_and_evaluation_keep_the_faults_that_a_checkpoint_was_trained_with(
    theirs: Path, tmp_path: Path
) -> None:
    arguments = [str(theirs / "model.pth"), "--config", str(theirs / "config.yaml")]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    for network in (load_networks(tmp_path / "out").model, load_a3t(tmp_path / "out")[0]):
        assert isinstance(network, LegacyA3T)
        assert network.legacy_positions and network.legacy_padding
