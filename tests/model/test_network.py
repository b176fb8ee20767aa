"""The network's properties, and the faults of the first implementation that it must not have."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from torch import nn

from a3t.learning.loop import reconstruction_loss
from a3t.model.a3t import A3T
from a3t.model.conformer import (
    MAX_NARROW_CHANNELS,
    Batch,
    Layout,
    MaskedBatchNorm,
    RelativeAttention,
    phone_spans,
)
from a3t.model.variance.adaptors import energy_loss, pitch_loss

CONF = Path(__file__).parents[2] / "a3t" / "model" / "conf"

TINY = {
    "width": 16,
    "heads": 2,
    "hidden": 24,
    "encoder_blocks": 1,
    "decoder_blocks": 1,
    "encoder_kernel": 3,
    "decoder_kernel": 5,
    "postnet_channels": 8,
    "alignment_rows": 30,
    "dropout": 0.1,
    "postnet_dropout": 0.1,
}
THESIS = TINY
SMALL = TINY | {
    "feed_forward_kernel": 1,
    "conv_norm": "layer",
    "frame_phones": True,
    "frame_progress": True,
    "phone_positions": "aligned",
    "normalise": True,
    "scaled_inputs": False,
}
PITCHED = SMALL | {"pitch": True}
CONDITIONED = PITCHED | {"energy": True, "voice": 12}
KINDS = pytest.mark.parametrize(
    "kind",
    [THESIS, SMALL, PITCHED, CONDITIONED],
    ids=["thesis", "small", "pitched", "conditioned"],
)


def make_clip(frames: int, phones: int, seed: int) -> Batch:
    rng = np.random.default_rng(seed)
    edges = np.sort(rng.choice(np.arange(1, frames), phones - 1, replace=False))
    of_frame = np.searchsorted(edges, np.arange(frames), side="right")
    masked = np.zeros(frames, bool)
    masked[frames // 3 : 2 * frames // 3] = True
    return Batch(
        torch.from_numpy(rng.normal(-2.0, 1.0, (1, frames, 80)).astype(np.float32)),
        torch.from_numpy(masked)[None],
        torch.from_numpy(rng.integers(2, 72, (1, phones))),
        torch.from_numpy(of_frame.astype(np.int64))[None],
        torch.tensor([frames]),
        torch.tensor([phones]),
    )


def pad(clips: list[Batch], frames: int, phones: int) -> Batch:
    """Clips in one batch; the padding holds noise, which nothing may depend on."""
    rng = torch.Generator().manual_seed(1)

    def grow(x: torch.Tensor, size: int, value: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, value[:, : size - x.shape[1]]], dim=1)

    noise = torch.randn(1, frames, 80, generator=rng) * 9
    return Batch(
        torch.cat([grow(c.mel, frames, noise) for c in clips]),
        torch.cat([grow(c.masked, frames, torch.ones(1, frames).bool()) for c in clips]),
        torch.cat([grow(c.phones, phones, torch.full((1, phones), 7)) for c in clips]),
        torch.cat([grow(c.frame_phone, frames, torch.full((1, frames), -1)) for c in clips]),
        torch.cat([c.frames for c in clips]),
        torch.cat([c.phone_count for c in clips]),
    )


def build(kind: dict[str, object]) -> A3T:
    torch.manual_seed(0)
    model = A3T(**kind)  # type: ignore[arg-type]
    with torch.no_grad():  # BatchNorm away from its identity, as after training
        for module in model.modules():
            if isinstance(module, MaskedBatchNorm):
                module.running_mean.normal_()
                module.running_var.uniform_(0.5, 2.0)
    return model


def test_the_thesis_model_has_its_published_size() -> None:
    config = yaml.safe_load((CONF / "paper.yaml").read_text())
    with torch.device("meta"):
        model = A3T.from_config(config)
    sizes = {name: sum(p.numel() for p in part.parameters()) for name, part in parts(model)}
    assert sum(p.numel() for p in model.parameters()) == 67_691_328
    assert sizes["alignment"] == 192_000
    assert sizes["acoustic"] == 31_952
    assert sizes["phone"] == 28_032
    assert sizes["encoder"] == 4 * 8_272_512
    assert sizes["decoder"] == 4 * 8_281_728
    assert sizes["output"] == 30_800
    assert sizes["postnet"] == 1_190_048


def parts(model: A3T) -> list[tuple[str, nn.Module]]:
    return [(name, part) for name, part in model.named_children()]


def test_the_shipped_configuration_is_small() -> None:
    config = yaml.safe_load((CONF / "small.yaml").read_text())
    with torch.device("meta"):
        size = sum(p.numel() for p in A3T.from_config(config).parameters())
    assert 3e6 < size < 6e6


@KINDS
def test_a_clip_alone_equals_the_same_clip_in_a_padded_batch(kind: dict[str, object]) -> None:
    model = build(kind).eval()
    clips = [make_clip(60, 9, 0), make_clip(25, 4, 1)]
    together = model(pad(clips, 70, 12))
    for b, clip in enumerate(clips):
        alone = model(clip)
        for one, other in zip(alone, together, strict=True):
            if not isinstance(one, torch.Tensor):  # not predicted, or no losses
                continue
            # The pitch's finest cosine has 12 periods in an octave: it magnifies rounding.
            limit = 3e-5 if "pitch" in kind else 1e-5
            torch.testing.assert_close(
                other[b : b + 1, : clip.mel.shape[1]], one, atol=limit, rtol=limit
            )


@KINDS
def test_padding_changes_no_statistics_in_training(kind: dict[str, object]) -> None:
    kind = kind | {"dropout": 0.0, "postnet_dropout": 0.0}
    clips = [make_clip(60, 9, 0), make_clip(25, 4, 1)]
    outputs = []
    for frames, phones in ((60, 9), (90, 20)):
        model = build(kind).train()
        outputs.append(model(pad(clips, frames, phones))[1])
    torch.testing.assert_close(outputs[0][0], outputs[1][0, :60], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(outputs[0][1, :25], outputs[1][1, :25], atol=1e-4, rtol=1e-4)


@KINDS
def test_every_parameter_gets_a_gradient(kind: dict[str, object]) -> None:
    model = A3T(**(kind | {"alignment_rows": 10})).train()  # type: ignore[arg-type]
    with torch.no_grad():
        for name, weight in model.named_parameters():
            # The first's gradient is zero while W is symmetric only; the others begin with zeros,
            # so that what lies behind them has no effect at first.
            if name.endswith("position_bias") or ".films." in name or "energy.embed" in name:
                weight.normal_()
    batch = pad([make_clip(60, 9, 0), make_clip(40, 9, 1)], 70, 9)
    batch = replace(batch, pitch=torch.rand(2, 70) * (torch.rand(2, 70) < 0.5) + 7)
    filled = model(batch)
    loss = reconstruction_loss(filled.before, filled.after, batch)
    if filled.pitch is not None:
        loss = loss + pitch_loss(filled.pitch, batch)
    if filled.energy is not None:
        loss = loss + energy_loss(filled.energy, batch)
    loss.backward()
    silent = [
        name
        for name, weight in model.named_parameters()
        if weight.grad is None or not bool(weight.grad.abs().max() > 0)
    ]
    assert silent == []


def test_the_post_net_scales_are_not_zero_at_the_start() -> None:
    model = A3T(**TINY)  # type: ignore[arg-type]
    assert model.postnet is not None
    for module in model.postnet.modules():
        if isinstance(module, nn.BatchNorm1d):
            assert bool((module.weight != 0).all())


@KINDS
def test_masked_frames_are_invisible_to_the_network(kind: dict[str, object]) -> None:
    model = build(kind).eval()
    clip = make_clip(60, 9, 0)
    noisy = clip.mel + torch.randn_like(clip.mel) * clip.masked[..., None]
    other = Batch(noisy, clip.masked, clip.phones, clip.frame_phone, clip.frames, clip.phone_count)
    torch.testing.assert_close(model(clip)[1], model(other)[1])
    filled = model.fill(clip)
    kept = ~clip.masked
    assert torch.equal(filled[kept], clip.mel[kept])


def test_attention_equals_transformer_xl_written_out() -> None:
    """Scores by rotation = the sum over offsets, computed pair by pair."""
    torch.manual_seed(0)
    width, heads, count = 12, 2, 7
    attention = RelativeAttention(width, heads, dropout=0.0).eval()
    positions = torch.tensor([[0.0, 1.0, 2.0, 3.0, 0.5, 2.5, 10.0]])
    x = torch.randn(1, count, width)
    maps: list[torch.Tensor] = []
    attention(x, Layout(torch.ones(1, count, 1), positions, seam=4), maps)

    size = width // heads
    q = attention.query(x).view(count, heads, size)
    k = attention.key(x).view(count, heads, size)
    scores = torch.zeros(heads, count, count)
    for i in range(count):
        for j in range(count):
            offset = float(positions[0, i] - positions[0, j])
            wave = torch.zeros(width)
            for d in range(0, width, 2):
                frequency = math.exp(-math.log(10000.0) * d / width)
                wave[d], wave[d + 1] = math.sin(offset * frequency), math.cos(offset * frequency)
            place = attention.position(wave).view(heads, size)
            for h in range(heads):
                content = (q[i, h] + attention.content_bias[h]) @ k[j, h]
                position = (q[i, h] + attention.position_bias[h]) @ place[h]
                scores[h, i, j] = (content + position) / math.sqrt(size)
    torch.testing.assert_close(maps[0][0], scores.softmax(-1), atol=1e-5, rtol=1e-4)


def test_attention_depends_on_offsets_only() -> None:
    torch.manual_seed(0)
    attention = RelativeAttention(12, 2, dropout=0.0).eval()
    x = torch.randn(1, 6, 12)
    valid = torch.ones(1, 6, 1)
    positions = torch.arange(6.0)[None]
    near = attention(x, Layout(valid, positions, 6))
    far = attention(x, Layout(valid, positions + 300, 6))
    torch.testing.assert_close(near, far, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("channels", "groups"), [(6, 1), (6, 6), (MAX_NARROW_CHANNELS, MAX_NARROW_CHANNELS)]
)
@pytest.mark.parametrize("kernel", [1, 3, 7])
def test_one_convolution_over_both_parts_equals_two(
    kernel: int, channels: int, groups: int
) -> None:
    """The last is wide enough to be run as an image."""
    torch.manual_seed(0)
    conv = nn.Conv1d(channels, 2 * channels, kernel, padding=kernel // 2, groups=groups)
    x, frames = torch.randn(2, 14, channels), 9
    layout = Layout(torch.ones(2, 14, 1), torch.zeros(2, 14), seam=frames)
    parts = [conv(part.transpose(1, 2)) for part in (x[:, :frames], x[:, frames:])]
    expected = torch.cat(parts, dim=2).transpose(1, 2)
    assert torch.allclose(layout.convolve(conv, x), expected, atol=1e-6)


def test_batch_norm_equals_torch_on_valid_frames() -> None:
    x = torch.randn(2, 10, 4)
    valid = torch.ones(2, 10, 1)
    valid[1, 6:] = 0
    ours, theirs = MaskedBatchNorm(4), nn.BatchNorm1d(4)
    made = ours(x, valid)
    rows = x[valid[..., 0] > 0]
    torch.testing.assert_close(made[valid[..., 0] > 0], theirs(rows), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(ours.running_var, theirs.running_var, atol=1e-5, rtol=1e-4)


def test_phone_spans() -> None:
    batch = make_clip(20, 3, 0)
    of_frame = torch.tensor([[0] * 5 + [1] * 3 + [2] * 12])
    batch = Batch(
        batch.mel, batch.masked, batch.phones, of_frame, torch.tensor([18]), batch.phone_count
    )
    first, count = phone_spans(batch)
    assert first.tolist() == [[0, 5, 8]]
    assert count.tolist() == [[5, 3, 10]]  # two of the last are padding


def test_alignment_rows_go_on_beyond_the_table() -> None:
    """500 phones were a hard cap (fault 11)."""
    model = build(THESIS).eval()
    assert torch.isfinite(model(make_clip(90, 70, 0))[1]).all()


@pytest.mark.parametrize(
    "change",
    [
        {"alignment_rows": 0},
        {"encoder_kernel": None, "decoder_kernel": None},
        {"postnet_layers": 0},
    ],
    ids=["no alignment embedding", "Transformer", "no Post-Net"],
)
def test_the_ablations_of_table_4_2_run(change: dict[str, object]) -> None:
    before, after, *_ = build(TINY | change)(make_clip(30, 5, 0))
    assert before.shape == after.shape == (1, 30, 80)
