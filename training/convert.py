"""Convert a checkpoint of the first A3T implementation: an ESPnet ``.pth`` and its ``config.yaml``.

python -m training.convert CHECKPOINT.pth --config config.yaml --out FOLDER
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which take their time
    from a3t.errors import begin_program

    begin_program()

import argparse
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.pretrained import check_sizes, read_config, save_checkpoint
from a3t.text.phones import PHONES
from training.programs import Program, option

CARD = """# {name}

Converted by `python -m training.convert` from a checkpoint of the first A3T implementation, with
the licence and the training data of that checkpoint.

- **Positions**: {positions}. **Padding**: {padding}.
- **Phones**: {phones}.
- **Unused parameters**: {unmatched}.
"""


# Their names -> ours. In blocks, the names follow the block's number.
WHOLE = {
    "encoder.segment_emb.": "alignment.",
    "encoder.speech_embed.0.mask_feature": "acoustic.mask",
    "encoder.speech_embed.1.": "acoustic.linear.",
    "encoder.speech_embed.2.": "acoustic.norm.",
    "encoder.text_embed.0.": "phone.",
    "encoder.after_norm.": "encoder_norm.",
    "decoder.after_norm.": "decoder_norm.",
    "sfc.": "output.",
}
BLOCK = {
    "self_attn.pos_bias_u": "attention.content_bias",
    "self_attn.pos_bias_v": "attention.position_bias",
    "self_attn.linear_q.": "attention.query.",
    "self_attn.linear_k.": "attention.key.",
    "self_attn.linear_v.": "attention.value.",
    "self_attn.linear_out.": "attention.out.",
    "self_attn.linear_pos.": "attention.position.",
    "feed_forward_macaron.w_1.": "first.grow.",
    "feed_forward_macaron.w_2.": "first.shrink.",
    "feed_forward.w_1.": "second.grow.",
    "feed_forward.w_2.": "second.shrink.",
    "conv_module.pointwise_conv1.": "convolution.expand.",
    "conv_module.depthwise_conv.": "convolution.depthwise.",
    "conv_module.norm.": "convolution.norm.",
    "conv_module.pointwise_conv2.": "convolution.project.",
    "norm_ff_macaron.": "norm_first.",
    "norm_mha.": "norm_attention.",
    "norm_conv.": "norm_convolution.",
    "norm_ff.": "norm_second.",
    "norm_final.": "norm_last.",
}
IN_BLOCK = re.compile(r"(encoder|decoder)\.encoders\.(\d+)\.(.+)")
IN_POSTNET = re.compile(r"postnet\.postnet\.(\d+)\.([01])\.(.+)")


@dataclass(frozen=True)
class Converted:
    """A network's configuration and weights in our format, and what wasn't used."""

    config: dict[str, Any]
    weights: dict[str, Tensor]
    unmatched: tuple[str, ...]  # names in the checkpoint with no counterpart in the network
    reordered: bool  # whether its phones were put into our inventory's order


def our_name(theirs: str) -> str | None:
    """Return the parameter's name in `a3t.model.a3t.A3T`; None if it has no counterpart there."""
    if found := IN_BLOCK.fullmatch(theirs):
        stack, number, rest = found.groups()
        part = _replaced(rest, BLOCK)
        return part and f"{stack}.{number}.{part}"
    if match := IN_POSTNET.fullmatch(theirs):
        number, part, rest = match.groups()
        return f"postnet.{'convolutions' if part == '0' else 'norms'}.{number}.{rest}"
    return _replaced(theirs, WHOLE)


def _replaced(name: str, table: Mapping[str, str]) -> str | None:
    for theirs, ours in table.items():
        if name == theirs or (theirs.endswith(".") and name.startswith(theirs)):
            return ours + name[len(theirs) :]
    return None


def our_config(settings: Mapping[str, Any], weights: Mapping[str, Tensor]) -> dict[str, Any]:
    """Take constructor arguments from ``config.yaml``, and from the weights for missing sizes.

    Raises KeyError if it isn't an A3T configuration, InputError if it needs what A3T doesn't have.
    """
    encoder, decoder = settings["encoder_conf"], settings["decoder_conf"]
    for stack in (encoder, decoder):
        kind = stack.get("positionwise_layer_type", "conv1d")
        if kind != "conv1d" or stack.get("selfattention_layer_type") != "rel_selfattn":
            raise InputError(
                f"Feed-forward layers of kind {kind!r} or attention without relative positions "
                "can't be converted."
            )
        if stack.get("rel_pos_type", "legacy") != "legacy":
            raise InputError("Only legacy relative positions can be converted.")
    kernels = [
        stack["cnn_module_kernel"] if stack.get("use_cnn_module", True) else None
        for stack in (encoder, decoder)
    ]
    post = settings.get("model_conf", {})
    return {
        "vocabulary": weights["phone.weight"].shape[0],
        "mels": weights["acoustic.linear.weight"].shape[1],
        "width": encoder["attention_dim"],
        "heads": encoder["attention_heads"],
        "hidden": encoder["linear_units"],
        "encoder_blocks": encoder["num_blocks"],
        "decoder_blocks": decoder["num_blocks"],
        "encoder_kernel": kernels[0],
        "decoder_kernel": kernels[1],
        "feed_forward_kernel": encoder["positionwise_conv_kernel_size"],
        "alignment_rows": len(weights["alignment.weight"]) if "alignment.weight" in weights else 0,
        "postnet_channels": post.get("postnet_chans", 256),
        "postnet_layers": post.get("postnet_layers", 5),
        "dropout": encoder["dropout_rate"],
    }


def convert(
    checkpoint: Path, config: Path, legacy_positions: bool = True, legacy_padding: bool = True
) -> Converted:
    """Convert a checkpoint; InputError if it contains code, isn't A3T's, or lacks a parameter."""
    settings = read_config(config)
    state = read_state(checkpoint)
    weights: dict[str, Tensor] = {}
    unmatched = []
    for theirs, value in state.items():
        ours = our_name(theirs)
        if ours is None:
            unmatched.append(theirs)
            continue
        if ours == "acoustic.mask":
            value = value.flatten()
        if ".convolution.expand." in ours or ".convolution.project." in ours:
            value = value.squeeze(-1)  # a convolution of kernel 1 is a linear layer
        weights[ours] = value
    try:
        model = our_config(settings, weights)
        check_sizes(model, config)
        with torch.device("meta"):  # shapes without memory, until they are those of the weights
            network = A3T(**model)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, LookupError, RuntimeError) as error:
        first = (str(error) or repr(error)).splitlines()[0]
        raise InputError(f"{checkpoint} and {config} are not A3T's: {first}.") from None
    expected = network.state_dict()
    for name in sorted(weights.keys() - expected.keys()):
        unmatched.append(name)
        del weights[name]
    missing = sorted(expected.keys() - weights.keys())
    if missing:
        raise InputError(
            f"{checkpoint} lacks {len(missing)} parameters of A3T, the first: {missing[0]}."
        )
    wrong = [name for name, value in weights.items() if value.shape != expected[name].shape]
    if wrong:
        raise InputError(f"{checkpoint} does not match {config}: {wrong[0]} has another shape.")
    weights, reordered = in_our_order(weights, settings.get("token_list"))
    legacy = {"legacy_positions": legacy_positions, "legacy_padding": legacy_padding}
    return Converted({"model": model, "legacy": legacy}, weights, tuple(unmatched), reordered)


def read_state(checkpoint: Path) -> dict[str, Tensor]:
    """Read the tensors of a ``.pth`` file; raise InputError if it has anything but tensors."""
    try:
        state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    except OSError as error:
        raise InputError(f"{checkpoint} can't be read: {error.strerror or error}.") from None
    except Exception:  # a damaged file may end in any of Python's errors
        raise InputError(
            f"{checkpoint} contains more than tensors, or is damaged: it is not loaded, since it "
            "could run code."
        ) from None
    if isinstance(state, dict) and isinstance(state.get("model"), dict):
        state = state["model"]  # a checkpoint.pth, with its optimiser
    if not isinstance(state, dict) or not all(map(_is_weight, state.keys(), state.values())):
        raise InputError(f"{checkpoint} is not a network's weights.")
    return state


def _is_weight(name: object, value: object) -> bool:
    """Return whether it is a name, and numbers that are all in the file.

    They are not sparse, nor a view that repeats a few.
    """
    if not (isinstance(name, str) and isinstance(value, Tensor) and value.layout == torch.strided):
        return False
    held = value.untyped_storage().nbytes()
    return value.device.type == "cpu" and value.nelement() * value.element_size() <= held


def in_our_order(
    weights: dict[str, Tensor], tokens: list[str] | None
) -> tuple[dict[str, Tensor], bool]:
    """Reorder phone embeddings to `a3t.text.phones.PHONES`, if the symbols are the same."""
    if not isinstance(tokens, list) or sorted(map(str, tokens)) != sorted(PHONES):
        return weights, False
    order = torch.tensor([tokens.index(symbol) for symbol in PHONES])
    return {**weights, "phone.weight": weights["phone.weight"][order]}, True


def _convert(options: argparse.Namespace) -> None:
    choices = (options.positions == "legacy", options.padding == "legacy")
    converted = convert(options.checkpoint, options.config, *choices)
    for name in converted.unmatched:
        print(f"unused: {name}", file=sys.stderr)
    phones = "our inventory" if converted.reordered else "the checkpoint's own list and order"
    card = CARD.format(
        name=options.out.name,
        positions=options.positions,
        padding=options.padding,
        phones=phones,
        unmatched=", ".join(converted.unmatched) or "none",
    )
    digest = save_checkpoint(options.out, converted.config, converted.weights, card)
    print(f"{options.out}: {len(converted.weights)} tensors, phones: {phones}, sha256 {digest}")


CHOICE: dict[str, Any] = {"choices": ["legacy", "own"], "default": "legacy"}

main = Program(
    _convert,
    option("checkpoint", type=Path),
    option("--config", type=Path, required=True),
    option("--out", type=Path, required=True),
    option("--positions", **CHOICE, help="legacy: as in training"),
    option("--padding", **CHOICE, help="legacy: as in training"),
)


if __name__ == "__main__":
    sys.exit(main())
