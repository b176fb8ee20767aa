"""A3T: fills masked spectrogram from its surroundings and the text (thesis, figure 4.2).

B clips, T frames, L phones, N = T + L tokens, D model width.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from a3t.model.conformer import (
    AcousticEmbedding,
    Batch,
    ConformerBlock,
    FramePhone,
    Layout,
    VoiceVector,
    phone_spans,
    run_block,
)
from a3t.model.postnet import PostFilter, PostNet
from a3t.model.variance.adaptors import (
    EnergyAdaptor,
    PitchAdaptor,
    decided,
    raised,
    relative_energy,
    spread_out,
    visible_frames,
)


class Filled(NamedTuple):
    """The network's output for a batch.

    log10 mel (B, T, 80) before and after the Post-Net, and, where it predicts them, the pitch
    (B, T, 2) and the energy (B, T); see `a3t.model.variance`. Outside training
    ``refined`` is the mel after the post-filters, if there are any.
    """

    before: Tensor
    after: Tensor
    pitch: Tensor | None
    energy: Tensor | None = None
    refined: Tensor | None = None

    @property
    def mel(self) -> Tensor:
        """The mel that masked frames are filled with, (B, T, 80)."""
        return self.after if self.refined is None else self.refined


class A3T(nn.Module):
    """The network. Its constructor's arguments are the ``model:`` part of a configuration.

    Args:
        vocabulary: phones and special symbols.
        width, heads, hidden: D, attention heads, width inside a feed-forward layer.
        encoder_blocks, decoder_blocks, encoder_kernel, decoder_kernel: the two Conformer stacks;
            a kernel of null makes a stack a Transformer.
        feed_forward_kernel: 3 as in the thesis (Conv1d), 1 for linear layers.
        conv_norm: "batch" as in the thesis, or "layer".
        alignment_rows: rows of the cross-modal alignment embedding; 0 leaves it out.
        alignment_spread: standard deviation of its random rows; null: 1 with scaled_inputs, which
            are then far larger, else 0.1. Where nothing else tells a frame its phone, rows as large
            as the inputs (1.0) are found by attention in a third of the steps.
        frame_phones, frame_progress: also tell each frame its phone, and its place in the phone.
        phone_positions: "sequence" puts the phones after the frames, as in the thesis; "aligned"
            puts each phone in the middle of its frames.
        postnet_channels, postnet_layers: the Post-Net; 0 layers leave it out.
        dropout, postnet_dropout: rates.
        normalise: standardise each mel bin inside the network, by buffers that training fills.
        scaled_inputs: multiply what enters a stack by √width, as the thesis's code does.
        pitch: predict each frame's pitch after the encoder, and tell the decoder of masked frames.
        pitch_spread: the factor by which the predicted melody is widened; 1 for none.
        energy: the same with each frame's energy, above the level of what is visible.
        voice: size of a vector pooled from the visible frames that conditions every block; 0: none.
        recompute: compute activations again in training's backward pass: for long clips.
        sharpen: strengths of a post-filter across bins (`a3t.model.postnet.PostFilter`); 0: none.
        steady: how much it steadies the highest bins from frame to frame; 0: not.
        mel_spread: how much more the filled frames vary (`a3t.model.postnet.widened`); 1: no more.
    """

    def __init__(
        self,
        vocabulary: int = 73,
        mels: int = 80,
        width: int = 384,
        heads: int = 2,
        hidden: int = 1536,
        encoder_blocks: int = 4,
        decoder_blocks: int = 4,
        encoder_kernel: int | None = 7,
        decoder_kernel: int | None = 31,
        feed_forward_kernel: int = 3,
        conv_norm: str = "batch",
        alignment_rows: int = 500,
        alignment_spread: float | None = None,
        frame_phones: bool = False,
        frame_progress: bool = False,
        phone_positions: str = "sequence",
        postnet_channels: int = 256,
        postnet_layers: int = 5,
        dropout: float = 0.2,
        postnet_dropout: float = 0.5,
        normalise: bool = False,
        scaled_inputs: bool = True,
        pitch: bool = False,
        pitch_spread: float = 1.0,
        energy: bool = False,
        voice: int = 0,
        recompute: bool = False,
        sharpen: float | Mapping[str, Sequence[float]] = 0.0,
        steady: float = 0.0,
        mel_spread: float = 1.0,
    ) -> None:
        super().__init__()
        if phone_positions not in ("sequence", "aligned"):
            raise ValueError(f"phone_positions: 'sequence' or 'aligned', not {phone_positions!r}")
        self.mel_mean: Tensor
        self.mel_scale: Tensor
        self.scale = math.sqrt(width) if scaled_inputs else 1.0
        self.aligned_positions = phone_positions == "aligned"
        self.normalise, self.recompute = normalise, recompute
        self.pitch_spread = pitch_spread
        self.post_filter = PostFilter(mel_spread, sharpen, steady)
        if normalise:  # only then: the thesis's model has no such buffers
            self.register_buffer("mel_mean", torch.zeros(mels))
            self.register_buffer("mel_scale", torch.ones(mels))

        self.acoustic = AcousticEmbedding(mels, width)
        self.phone = nn.Embedding(vocabulary, width)
        self.alignment = nn.Embedding(alignment_rows, width) if alignment_rows else None
        spread = alignment_spread or (None if scaled_inputs else 0.1)
        if self.alignment is not None and spread:
            nn.init.normal_(self.alignment.weight, std=spread)
        self.frame_phone = FramePhone(width, frame_progress) if frame_phones else None

        def stack(blocks: int, kernel: int | None) -> nn.ModuleList:
            shape = (width, heads, hidden, feed_forward_kernel, kernel, conv_norm, dropout)
            return nn.ModuleList(ConformerBlock(*shape) for _ in range(blocks))

        self.encoder = stack(encoder_blocks, encoder_kernel)
        self.encoder_norm = nn.LayerNorm(width)
        self.pitch = PitchAdaptor(width) if pitch else None
        self.decoder = stack(decoder_blocks, decoder_kernel)
        self.decoder_norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, mels)
        self.postnet = (
            PostNet(mels, postnet_channels, 5, postnet_layers, postnet_dropout)
            if postnet_layers
            else None
        )
        self.dropout = nn.Dropout(dropout)
        # Last, so that without them the random weights of the others are what they were.
        self.energy = EnergyAdaptor(width) if energy else None
        blocks = encoder_blocks + decoder_blocks
        self.voice = VoiceVector(mels, width, blocks, voice) if voice else None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> A3T:
        """Build from a configuration whose ``model`` part holds constructor arguments."""
        return cls(**config["model"])

    def forward(self, batch: Batch, maps: list[Tensor] | None = None) -> Filled:
        """Fill the masked frames.

        Every frame has a value; those of unmasked frames train nothing.
        A pitch in the batch replaces the predicted one in the decoder, and then the
        masked frames' own energy as well: that is training. ``maps``, if given, receives each
        block's attention (B, heads, N, N), encoder first (figure 4.7).
        """
        layout = self._layout(batch)
        T = batch.mel.shape[1]
        alone = Layout(layout.valid[:, :T], layout.positions[:, :T], seam=T)

        x = torch.cat(self._embed(batch), dim=1)  # (B, N, D)
        voice, again = self._voice(batch), self.recompute and self.training
        for place, block in enumerate(self.encoder):
            x = self._voiced(run_block(block, x, layout, maps, again), voice, place)
        x = self.encoder_norm(x)
        frames = x[:, :T]
        pitch = self.pitch.predict(frames, alone.valid) if self.pitch is not None else None
        energy = self.energy.predict(frames, alone.valid) if self.energy is not None else None
        told = self._contours(batch, pitch, energy)
        for adaptor, contour in zip((self.pitch, self.energy), told, strict=True):
            if adaptor is not None and contour is not None:
                frames = frames + adaptor.condition(contour, batch.masked)
        x = torch.cat([frames, x[:, T:]], dim=1)
        x = self.dropout(x * self.scale)  # the decoder's own positional encoding; see _layout
        for place, block in enumerate(self.decoder, len(self.encoder)):
            x = self._voiced(run_block(block, x, layout, maps, again), voice, place)
        before = self.output(self.decoder_norm(x[:, :T])).float()
        after = before + self.postnet(before, alone).float() if self.postnet else before
        if self.normalise:
            before = before * self.mel_scale + self.mel_mean
            after = after * self.mel_scale + self.mel_mean
        filtered = not (self.post_filter.idle or self.training)
        refined = self.post_filter(after, batch) if filtered else None
        return Filled(before, after, pitch, energy, refined)

    def fill(self, batch: Batch) -> Tensor:
        """Return the mel (B, T, 80), its masked frames filled, where the network is."""
        batch = batch.to(self.output.weight.device)
        with torch.inference_mode():
            filled = self(batch).mel
        return torch.where(batch.masked[..., None], filled, batch.mel)

    def _contours(
        self, batch: Batch, pitch: Tensor | None, energy: Tensor | None
    ) -> tuple[Tensor | None, Tensor | None]:
        """Return the log2 F0 and the energy (B, T) for the decoder.

        They are the batch's own where it has a pitch, otherwise as predicted.
        """
        if batch.pitch is not None:
            return batch.pitch, None if energy is None else relative_energy(batch)
        if pitch is None:
            return None, None if energy is None else energy.detach()
        told = raised(self.told_pitch(batch, pitch.detach()), batch.rise)
        return told, None if energy is None else energy.detach()

    def told_pitch(self, batch: Batch, pitch: Tensor) -> Tensor:
        """Return the log2 F0 (B, T), 0 where unvoiced, to tell the decoder.

        ``pitch``: predicted, (B, T, 2). Any rise comes later.
        """
        return spread_out(decided(pitch), batch.masked, visible_frames(batch), self.pitch_spread)

    def _standardised(self, mel: Tensor) -> Tensor:
        """Scale a log10 mel (B, T, 80) to what the network computes with."""
        return (mel - self.mel_mean) / self.mel_scale if self.normalise else mel

    def _voice(self, batch: Batch) -> Tensor | None:
        """Return the vector of the visible frames' voice, (B, size)."""
        if self.voice is None:
            return None
        mel = self._standardised(batch.mel)
        vector: Tensor = self.voice(mel, visible_frames(batch), batch.frames)
        return vector

    def _voiced(self, x: Tensor, voice: Tensor | None, place: int) -> Tensor:
        """Condition a block's output (B, N, D) by the voice where there is one."""
        return x if self.voice is None or voice is None else self.voice.condition(x, voice, place)

    def _embed(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Embed frames (B, T, D) and phones (B, L, D): times √D, then with the alignment."""
        mel = self._standardised(batch.mel)
        phones = self.phone(batch.phones)
        frames = self.dropout(self.acoustic(mel, batch.masked) * self.scale)
        if self.frame_phone is not None and batch.phones.shape[1]:  # speech alone has none
            frames = frames + self.frame_phone(batch, phones * self.scale)
        tokens = self.dropout(phones * self.scale)
        if self.alignment is not None:
            frame_rows, phone_rows = self._alignment_rows(batch)
            frames = frames + self.alignment(frame_rows)
            tokens = tokens + self.alignment(phone_rows)
        return frames, tokens

    def _alignment_rows(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return row j + 1 for phone j and its frames, row 0 for what is unaligned (section 4.3.2).

        Beyond the table the rows start again at 1: phones that share a row are then far apart.
        """
        assert self.alignment is not None
        shift: Tensor | int = 0 if batch.row_offset is None else batch.row_offset[:, None]
        rows = self.alignment.num_embeddings - 1
        frame_rows = torch.where(batch.frame_phone >= 0, (batch.frame_phone + shift) % rows + 1, 0)
        index = torch.arange(batch.phones.shape[1], device=batch.phones.device)[None]
        phone_rows = torch.where(index < batch.phone_count[:, None], (index + shift) % rows + 1, 0)
        return frame_rows, phone_rows

    def _layout(self, batch: Batch) -> Layout:
        """Return positions as relative attention uses them.

        Frames count from 0, phones follow the clip's own last frame (not the batch's), or stand
        amid their frames.
        """
        T, L = batch.mel.shape[1], batch.phones.shape[1]
        device = batch.mel.device
        time = torch.arange(T, device=device)[None]
        order = torch.arange(L, device=device)[None]
        valid = torch.cat([time < batch.frames[:, None], order < batch.phone_count[:, None]], dim=1)
        if self.aligned_positions:
            first, count = phone_spans(batch)
            phones = first + (count - 1).clamp(min=0) / 2
        else:
            phones = (batch.frames[:, None] + order).float()
        frames = time.float().expand(batch.mel.shape[0], T)
        return Layout(valid[..., None].float(), torch.cat([frames, phones], dim=1), seam=T)
