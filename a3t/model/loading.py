"""The two networks of an edit, with their weights: A3T and the duration predictor.

The network as the first A3T implementation computed it, so that its numbers are reproduced.

Its weights were trained with two faults of that code, and need them: ESPnet's old relative
positions (see `LegacyAttention`), and convolutions that run over padding and across the seam from
the last frame to the first phone. Each can be chosen separately. For inference only: the statistics
of a training batch are not reproduced.  B clips, T frames, L phones, N = T + L tokens, D model
width.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from a3t.errors import InputError
from a3t.model.a3t import A3T, Filled
from a3t.model.conformer import Batch, ConformerBlock, Layout, RelativeAttention
from a3t.model.masking import Filler
from a3t.model.threads import one_thread
from a3t.model.variance.durations import DurationPredictor
from a3t.pretrained import check_sizes, checkpoint_folder, load_checkpoint, part_of

LEGACY_POSITIONS = 5000  # rows of its table of positions, which counts down from the last
LEGACY_EPSILON = 1e-12  # of its LayerNorms


@dataclass(frozen=True)
class LeakingLayout(Layout):
    """Convolutions run over everything, padding and the seam as well."""

    def apart(self, x: Tensor, reach: int) -> Tensor:
        """Move the channels and nothing else: (B, N, C) -> (B, C, N)."""
        return x.transpose(1, 2)

    def together(self, x: Tensor, reach: int) -> Tensor:
        """Move the channels back: (B, C, N) -> (B, N, C)."""
        return x.transpose(1, 2)


class LegacyAttention(RelativeAttention):
    """ESPnet's attention with positions of the old kind (``legacy_rel_pos``).

    The score of query i for key j ≤ i uses the position of row N - 1 - i + j of the table, whose
    rows count down from `LEGACY_POSITIONS` - 1: an offset's position depends on how long the
    sequence is. Where j > i, the shift wraps around to the next query's row.
    """

    @classmethod
    def in_place_of(cls, attention: RelativeAttention) -> LegacyAttention:
        """Return legacy attention with another's weights."""
        rate = attention.dropout.p
        legacy = cls(attention.query.in_features, attention.heads, rate)
        legacy.load_state_dict(attention.state_dict())
        return legacy

    def forward(self, x: Tensor, layout: Layout, maps: list[Tensor] | None = None) -> Tensor:
        """Attend over x (B, N, D) by scores with the first implementation's positions."""
        B, N, D = x.shape
        heads, size = self.heads, D // self.heads
        query = self.query(x).view(B, N, heads, size)
        key = self.key(x).view(B, N, heads, size).transpose(1, 2)
        value = self.value(x).view(B, N, heads, size).transpose(1, 2)
        # The table's rows are the same for all clips of a batch.
        rows = self.position(_rows(layout.positions[0], D)).view(N, heads, size)
        content = (query + self.content_bias).transpose(1, 2) @ key.transpose(2, 3)
        offsets = torch.einsum("bnhs,mhs->bhnm", query + self.position_bias, rows)
        scores = (content + _shifted(offsets)) / math.sqrt(size)
        padding = (layout.valid[:, None, None, :, 0] == 0).expand(B, 1, 1, N)
        attention = scores.masked_fill(padding, float("-inf")).softmax(dim=-1)
        if maps is not None:
            maps.append(attention.detach())
        mixed = self.dropout(attention) @ value
        return self.out(mixed.transpose(1, 2).reshape(B, N, D))


def _rows(index: Tensor, width: int) -> Tensor:
    """Return the table's rows ``index`` (N,): sines and cosines, interleaved, (N, width)."""
    position = (LEGACY_POSITIONS - 1 - index).float()[:, None]
    steps = torch.arange(0, width, 2, dtype=torch.float32, device=index.device)
    angles = position * torch.exp(steps * (-math.log(10000.0) / width))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def _shifted(scores: Tensor) -> Tensor:
    """Move row i to the left by N - 1 - i, and replace what falls out from the row below."""
    B, heads, N, _ = scores.shape
    padded = torch.cat([scores.new_zeros(B, heads, N, 1), scores], dim=-1)
    return padded.view(B, heads, N + 1, N)[:, :, 1:]


class LegacyA3T(A3T):
    """A3T with the first implementation's faults.

    Args:
        legacy_positions: relative positions of the old kind.
        legacy_padding: convolutions over padding and across the seam.
        The rest are those of `a3t.model.a3t.A3T`.
    """

    def __init__(
        self, legacy_positions: bool = True, legacy_padding: bool = True, **model: Any
    ) -> None:
        super().__init__(**model)
        self.legacy_positions, self.legacy_padding = legacy_positions, legacy_padding
        for block in [*self.encoder, *self.decoder]:
            assert isinstance(block, ConformerBlock)
            if legacy_positions:
                block.attention = LegacyAttention.in_place_of(block.attention)
            for part in block.children():
                if isinstance(part, nn.LayerNorm):
                    part.eps = LEGACY_EPSILON
        self.encoder_norm.eps = self.decoder_norm.eps = LEGACY_EPSILON

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> LegacyA3T:
        """Build a network as `A3T.from_config` does, with the ``legacy`` part's choices."""
        return cls(**config.get("legacy", {}), **config["model"])

    def forward(self, batch: Batch, maps: list[Tensor] | None = None) -> Filled:
        """Fill a batch as the first implementation did."""
        layout = self._layout(batch)
        B, T = batch.mel.shape[:2]
        N = layout.positions.shape[1]
        inside = outside = layout.positions
        if self.legacy_positions:  # counted from 0 by frames, by phones, and again in the decoder
            outside = torch.arange(N, device=inside.device)[None].expand(B, N)
            inside = torch.where(outside < T, outside, outside - T)
        kind = LeakingLayout if self.legacy_padding else Layout
        encoding, decoding = (kind(layout.valid, p, seam=T) for p in (inside, outside))
        x = torch.cat(self._embed(batch), dim=1)
        for block in self.encoder:
            x = block(x, encoding, maps)
        x = self.dropout(self.encoder_norm(x) * self.scale)
        for block in self.decoder:
            x = block(x, decoding, maps)
        before = self.output(self.decoder_norm(x[:, :T])).float()
        frames = kind(layout.valid[:, :T], layout.positions[:, :T], seam=T)
        after = before + self.postnet(before, frames).float() if self.postnet else before
        return Filled(before, after, None)


def network_of(config: Mapping[str, Any]) -> A3T:
    """Build the network that a configuration describes, with random weights.

    It is as the first implementation computed it where the configuration has a ``legacy`` part.
    """
    return (LegacyA3T if "legacy" in config else A3T).from_config(config)


@dataclass(frozen=True)
class Networks:
    """``name`` and ``sha256`` are those of A3T's weights."""

    model: Filler
    durations: DurationPredictor
    name: str
    sha256: str


@one_thread()
@torch.random.fork_rng(devices=[])  # the host program's draws stay as they are
def load_networks(name_or_path: str | Path, device: str = "cpu") -> Networks:
    """Load a shipped model by name, or a folder's; InputError if it can't be used.

    The name may be one of Hugging Face's hub (`a3t.pretrained.checkpoint_folder`). The duration
    predictor, a small one that stays on the processor, is the one in the model's folder, or beside
    it, or the shipped one; the configuration may name another (``durations_from``).
    """
    try:
        torch.empty(1, device=device).item()  # the device "meta" has tensors, but no numbers
    except (RuntimeError, AssertionError, ImportError):  # unknown, or not in this build of torch
        raise InputError(f"There is no device {device!r} here: use cpu.") from None
    folder = checkpoint_folder(name_or_path)
    config, tensors, sha256 = load_checkpoint(folder)
    timing = config.get("durations_from", "durations")
    timing_config, timing_tensors, _ = load_checkpoint(part_of(folder, timing) or timing)
    for settings in (config, timing_config):
        for part in ("model", "durations"):
            if isinstance(settings.get(part), dict):
                check_sizes(settings[part], folder)
    try:
        # Shapes without memory, until they are those of the weights.
        with torch.device("meta"), _Unfilled():
            shapes = {name: value.shape for name, value in network_of(config).state_dict().items()}
        if {name: value.shape for name, value in tensors.items()} != shapes:
            raise KeyError("its weights don't have the shapes in its configuration")
        with torch.device(device), _Unfilled():
            model = network_of(config)
        with _Unfilled():
            durations = DurationPredictor.from_config(timing_config)
        model.load_state_dict(tensors)
        durations.load_state_dict(timing_tensors)
    except (LookupError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{folder} does not hold an A3T model: {first}") from None
    return Networks(model.eval(), durations.eval(), folder.name, sha256)


class _Unfilled(TorchFunctionMode):
    """Parameters aren't drawn at random while it is entered: weights will take their place.

    On the device "meta", where there is nothing to draw, the drawing alone would make torch import
    its compiler: 0.8 s.
    """

    DRAWS = (
        torch.Tensor.normal_,
        torch.Tensor.uniform_,
        nn.init.normal_,
        nn.init.uniform_,
        nn.init.xavier_uniform_,
        nn.init.kaiming_uniform_,
    )

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in self.DRAWS:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)
