"""EditSpeech (Tan et al. 2021): two autoregressive decoders, one from the left, one from the right.

Partial inference: each decoder is made to say what is recorded on its side of the gap and goes on
by itself through it. Bidirectional fusion: the two versions of the gap are joined at the frame at
which they are nearest to each other (thesis, section 4.4.4 and figure 4.9). The decoders are
Tacotron 2's (Shen et al. 2018) over phones that are held for their durations, as our alignments
give them. B clips, T frames, L phones, D model width.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from evaluation.systems.fastspeech2 import SPEAKER
from evaluation.systems.interface import Gap, Mel, System
from evaluation.systems.speech_batches import Sentence, SpeechBatch

MELS = 80


class PhoneEncoder(nn.Module):
    """Phones to frames: convolutions and a bidirectional LSTM, each phone held for its frames."""

    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.phone = nn.Embedding(vocabulary, width)
        self.convolutions = nn.ModuleList(nn.Conv1d(width, width, 5, padding=2) for _ in range(3))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.recurrent = nn.LSTM(width, width // 2, bidirectional=True, batch_first=True)
        self.progress = nn.Linear(3, width)

    def forward(self, phones: Tensor, durations: Tensor, frames: int) -> Tensor:
        """Encode phones (B, L), durations (B, L) -> (B, frames, D); zeros beyond the last phone."""
        valid = (durations > 0)[..., None].float()
        x = self.phone(phones) * valid
        for conv, norm in zip(self.convolutions, self.norms, strict=True):
            x = x + F.relu(norm(conv(x.transpose(1, 2)).transpose(1, 2))) * valid
        x, _ = self.recurrent(x)
        ends = durations.cumsum(1)
        time = (
            torch.arange(frames, device=ends.device)[None].expand(len(phones), frames).contiguous()
        )
        owner = torch.searchsorted(ends, time, right=True)
        inside = owner < phones.shape[1]
        owner = owner.clamp(max=phones.shape[1] - 1)
        count = durations.gather(1, owner).clamp(min=1)
        elapsed = time - (ends - durations).gather(1, owner)
        place = torch.stack(
            [elapsed / count, (count - elapsed) / count, count.float().log() / 2], -1
        )
        held = x.gather(1, owner[..., None].expand(-1, -1, x.shape[-1])) + self.progress(place)
        return held * inside[..., None]


class FrameDecoder(nn.Module):
    """Tacotron 2's decoder without its attention: pre-net, two LSTMs, and a Post-Net."""

    def __init__(self, width: int, hidden: int, prenet: int, postnet: int, dropout: float) -> None:
        super().__init__()
        self.dropout, self.hidden = dropout, hidden
        self.first, self.second = nn.Linear(MELS, prenet), nn.Linear(prenet, prenet)
        self.recurrent = nn.LSTM(prenet + width, hidden, num_layers=2, batch_first=True)
        self.output = nn.Linear(hidden + width, MELS)
        self.postnet = nn.Sequential(
            nn.Conv1d(MELS, postnet, 5, padding=2), nn.Tanh(),
            nn.Conv1d(postnet, postnet, 5, padding=2), nn.Tanh(),
            nn.Conv1d(postnet, MELS, 5, padding=2),
        )  # fmt: skip

    def prenet(self, frame: Tensor) -> Tensor:
        """Apply dropout at all times, as in Tacotron 2: or else a decoder copies the last frame."""
        x = F.dropout(F.relu(self.first(frame)), self.dropout, training=True)
        return F.dropout(F.relu(self.second(x)), self.dropout, training=True)

    def forward(self, held: Tensor, mel: Tensor) -> Tensor:
        """Decode teacher-forced: held phones (B, T, D) and true mel (B, T, 80) -> (B, T, 80)."""
        before = F.pad(mel, (0, 0, 1, 0))[:, :-1]
        x, _ = self.recurrent(torch.cat([self.prenet(before), held], -1))
        return self.output(torch.cat([x, held], -1))

    def refine(self, mel: Tensor) -> Tensor:
        """Apply the Post-Net: (B, T, 80) -> (B, T, 80)."""
        return mel + self.postnet(mel.transpose(1, 2)).transpose(1, 2)

    def go_on(self, held: Tensor, mel: Tensor) -> Tensor:
        """Force the first frames ``mel`` (1, T', 80), then decode freely.

        Held phones (1, T, D) with T > T' -> (1, T - T', 80).
        """
        given = mel.shape[1]
        state: tuple[Tensor, Tensor] | None = None
        if given:
            before = F.pad(mel, (0, 0, 1, 0))[:, :-1]
            forced = torch.cat([self.prenet(before), held[:, :given]], -1)
            _, state = self.recurrent(forced)
        last = mel[:, -1:] if given else torch.zeros(1, 1, MELS)
        made = []
        for t in range(given, held.shape[1]):
            now = held[:, t : t + 1]
            x, state = self.recurrent(torch.cat([self.prenet(last), now], -1), state)
            last = self.output(torch.cat([x, now], -1))
            made.append(last)
        return torch.cat(made, 1)


class EditSpeechNetwork(nn.Module):
    """The encoder and both decoders.

    Its constructor's arguments are the ``model:`` part of a configuration.
    """

    def __init__(
        self,
        vocabulary: int = 73,
        width: int = 128,
        hidden: int = 256,
        prenet: int = 128,
        postnet: int = 96,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.mel_mean: Tensor
        self.mel_scale: Tensor
        self.register_buffer("mel_mean", torch.zeros(MELS))
        self.register_buffer("mel_scale", torch.ones(MELS))
        self.encoder = PhoneEncoder(vocabulary, width)
        self.voice = nn.Linear(SPEAKER, width)
        shape = (width, hidden, prenet, postnet, dropout)
        self.rightward, self.leftward = FrameDecoder(*shape), FrameDecoder(*shape)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> EditSpeechNetwork:
        """Make the network of a configuration."""
        return cls(**config["model"])

    def standardise(self, mel: Tensor) -> Tensor:
        """Scale a mel by the training's mean and deviation."""
        return (mel - self.mel_mean) / self.mel_scale

    def held(self, phones: Tensor, durations: Tensor, voice: Tensor, frames: int) -> Tensor:
        """Return the encoding of each frame's phone and the voice, (B, T, D)."""
        return self.encoder(phones, durations, frames) + self.voice(voice)[:, None]

    def forward(self, batch: SpeechBatch) -> dict[str, Tensor]:
        """Return the L1 of both decoders' frames, before and after their Post-Nets.

        Their sum is "total".
        """
        T = batch.mel.shape[1]
        time = torch.arange(T, device=batch.mel.device)
        inside = (time[None] < batch.frames[:, None])[..., None]
        mel = self.standardise(batch.mel) * inside
        held = self.held(batch.phones, batch.durations, batch.voice, T)
        found: dict[str, Tensor] = {}
        for name, decoder, turn in (
            ("rightward", self.rightward, lambda x: x),
            ("leftward", self.leftward, lambda x: reverse(x, batch.frames)),
        ):
            true = turn(mel)
            before = decoder(turn(held), true) * inside
            after = decoder.refine(before)
            count = inside.sum() * MELS
            found[name] = sum(((x - true).abs() * inside).sum() / count for x in (before, after))  # type: ignore[assignment]
        return {"total": found["rightward"] + found["leftward"]} | found

    @torch.inference_mode()
    def fill(self, sentence: Sentence, mel: Tensor, first: int, last: int) -> Tensor:
        """Fill the frames [first, last) of a mel (N, 80), both ways and fused, (last - first, 80).

        The pre-nets' dropout is drawn from one seed: the same input gives the same frames.
        """
        N = len(mel)
        held = self.held(sentence.phones, sentence.durations, sentence.voice, N)
        known = self.standardise(mel)[None]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            right = self.rightward.go_on(held[:, :last], known[:, :first])
            left = self.leftward.go_on(held[:, first:].flip(1), known[:, last:].flip(1))
        # The Post-Nets see the recording on their own side, as in training.
        right = self.rightward.refine(torch.cat([known[:, :first], right], 1))[0, first:]
        left = self.leftward.refine(torch.cat([known[:, last:].flip(1), left], 1))
        left = left[0, N - last :].flip(0)
        return fuse(right, left) * self.mel_scale + self.mel_mean


def reverse(x: Tensor, frames: Tensor) -> Tensor:
    """Turn each clip of (B, T, …) backwards in time, its padding still behind it."""
    time = torch.arange(x.shape[1], device=x.device)[None]
    place = torch.where(time < frames[:, None], frames[:, None] - 1 - time, time)
    return x.gather(1, place[..., None].expand_as(x))


def fuse(right: Tensor, left: Tensor) -> Tensor:
    """Take the version from the left until the frame at which both are nearest, then the other.

    Both are (n, 80).
    """
    place = int((right - left).abs().mean(-1).argmin())
    return torch.cat([right[:place], left[place:]])


class EditSpeechSystem(System):
    """EditSpeech on a gap."""

    name = "EditSpeech"

    def __init__(self, network: EditSpeechNetwork) -> None:
        self.network = network.eval()

    def fill(self, gap: Gap) -> Mel:
        """Fill the gap's frames, (last - first, 80)."""
        mel = torch.from_numpy(np.ascontiguousarray(gap.mel))
        filled: Mel = self.network.fill(Sentence.of(gap), mel, *gap.frame_span).numpy()
        return filled
