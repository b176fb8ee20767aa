"""Training steps per second: our network against ESPnet's own modules in the same configuration.

python -m evaluation.speed.training_speed --config a3t/model/conf/paper.yaml --clips 2

Both are built from the same arguments and take turns, step by step, on the same batch: forward,
backward, an Adam step. ``--clock cpu`` counts the process's own seconds, summed over its threads,
for use on a busy machine. ESPnet's network is assembled like the first A3T implementation:
Conformer stacks over [frames ; phones] with relative positions, Linear, Post-Net.
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which are slow
    from a3t.errors import end_at_once

    end_at_once()

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from a3t.console import run
from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.voice.kernel.objective import reconstruction_loss
from evaluation.harness.programs import program_parser
from training.configuration import read_config


class ReferenceNetwork(nn.Module):
    """A3T built from ESPnet's modules, whose convolutions don't mask padding."""

    def __init__(self, model: dict[str, Any]) -> None:
        super().__init__()
        from espnet.nets.pytorch_backend.conformer.encoder import Encoder
        from espnet.nets.pytorch_backend.tacotron2.decoder import Postnet

        width = model["width"]

        def stack(blocks: int, kernel: int) -> nn.Module:
            return Encoder(
                idim=0,
                attention_dim=width,
                attention_heads=model["heads"],
                linear_units=model["hidden"],
                num_blocks=blocks,
                input_layer=None,
                dropout_rate=model["dropout"],
                positional_dropout_rate=model["dropout"],
                attention_dropout_rate=model["dropout"],
                positionwise_layer_type="conv1d",
                positionwise_conv_kernel_size=model["feed_forward_kernel"],
                macaron_style=True,
                pos_enc_layer_type="rel_pos",
                selfattention_layer_type="rel_selfattn",
                activation_type="swish",
                use_cnn_module=True,
                cnn_module_kernel=kernel,
            )

        self.mask = nn.Parameter(torch.zeros(model["mels"]))
        self.acoustic = nn.Sequential(
            nn.Linear(model["mels"], width), nn.LayerNorm(width), nn.ReLU()
        )
        self.phone = nn.Embedding(model["vocabulary"], width)
        self.alignment = nn.Embedding(model["alignment_rows"], width)
        self.encoder = stack(model["encoder_blocks"], model["encoder_kernel"])
        self.decoder = stack(model["decoder_blocks"], model["decoder_kernel"])
        self.output = nn.Linear(width, model["mels"])
        self.postnet = Postnet(
            idim=0,
            odim=model["mels"],
            n_layers=model["postnet_layers"],
            n_chans=model["postnet_channels"],
            n_filts=5,
            dropout_rate=model["postnet_dropout"],
        )

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        T = batch.mel.shape[1]
        frames = self.acoustic(torch.where(batch.masked[..., None], self.mask, batch.mel))
        frames = frames + self.alignment(batch.frame_phone + 1)
        order = torch.arange(batch.phones.shape[1]) + 1
        tokens = self.phone(batch.phones) + self.alignment(order)
        x = torch.cat([frames, tokens], dim=1)
        mask = torch.ones(x.shape[0], 1, x.shape[1], dtype=torch.bool)
        x, _ = self.encoder(x, mask)
        x, _ = self.decoder(x, mask)
        before = self.output(x[:, :T])
        return before, before + self.postnet(before.transpose(1, 2)).transpose(1, 2)


def make_batch(clips: int, frames: int, phones: int) -> Batch:
    """Random clips of equal length with four fifths of their phones masked."""
    owner = (torch.arange(frames) * phones // frames).expand(clips, frames)
    return Batch(
        torch.randn(clips, frames, 80),
        owner % 5 != 0,
        torch.randint(0, 73, (clips, phones)),
        owner.contiguous(),
        torch.full((clips,), frames),
        torch.full((clips,), phones),
    )


def stepper(
    network: nn.Module, batch: Batch, clock: Callable[[], float], bf16: bool
) -> Callable[[], float]:
    """A function that makes one training step and returns its duration in seconds."""
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-4, fused=True)

    def step() -> float:
        start = clock()
        with torch.autocast("cpu", torch.bfloat16, bf16):
            filled = network(batch)
        loss = reconstruction_loss(filled[0], filled[1], batch)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return clock() - start

    return step


def compare(
    model: dict[str, Any],
    batch: Batch,
    steps: int,
    clock: Callable[[], float] = time.perf_counter,
    bf16: Sequence[str] = (),
) -> str:
    """Report the median step of each network, and their ratio, after one warm-up step; ``bf16``
    names the networks whose matrix products are in bfloat16."""
    networks: dict[str, nn.Module] = {"ours": A3T(**model), "ESPnet's": ReferenceNetwork(model)}
    work = {
        name: stepper(network, batch, clock, name in bf16) for name, network in networks.items()
    }
    times: dict[str, list[float]] = {name: [] for name in work}
    for k in range(steps + 1):
        for name, step in work.items():
            seconds = step()
            if k:
                times[name].append(seconds)
    frames = batch.mel.shape[0] * batch.mel.shape[1]
    lines = []
    for name, network in networks.items():
        seconds = statistics.median(times[name])
        count = sum(p.numel() for p in network.parameters())
        lines.append(
            f"{name}: {1 / seconds:.3f} steps/s, {frames / seconds:.0f} frames/s, "
            f"{count:,} parameters"
        )
    turns = zip(times["ESPnet's"], times["ours"], strict=True)
    ratio = statistics.median(theirs / ours for theirs, ours in turns)
    return "\n".join([*lines, f"ratio: {ratio:.2f}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns 0 for success, 1 for an unusable file."""
    parser = program_parser("speed.training_speed", __doc__, clips=4)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--frames", type=int, default=400)
    parser.add_argument("--phones", type=int, default=60)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument(
        "--bf16", choices=["none", "ours", "both"], default="none", help="whose products are bf16"
    )
    options = parser.parse_args(arguments)
    clock = time.perf_counter if options.clock == "wall" else time.process_time
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)

    def work() -> None:
        model = read_config(options.config)["model"]
        batch = make_batch(options.clips, options.frames, options.phones)
        low = {"none": (), "ours": ("ours",), "both": ("ours", "ESPnet's")}[options.bf16]
        print(compare(model, batch, options.steps, clock, low))

    return run(work)


if __name__ == "__main__":
    sys.exit(main())
