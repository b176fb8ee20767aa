"""FastSpeech 2 (Ren et al. 2021) for many voices: ESPnet's own module, with our alignments.

A speaker embedding carries the voice, and with ``use_gst`` a global style token (Wang et al.
2018) of the speaker's own mel as well (thesis, section 4.4.5). ESPnet is needed, which is not among
the packages of an editor: see recipes/README.md. B clips, T frames, L phones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from a3t.errors import InputError
from a3t.text.phones import PHONES
from evaluation.systems.interface import Gap, Mel, Output, System
from evaluation.systems.speech_batches import Sentence, SpeechBatch
from training.espnet.torchaudio_stand_in import install

SPEAKER = 256  # numbers in a speaker embedding


def espnet_fastspeech2(**arguments: Any) -> nn.Module:
    """Make ESPnet's module; raise InputError if ESPnet is not installed.

    Its default initialiser sets what is called a bias to 0 and draws matrices anew, without regard
    to what they are; in ESPnet's older releases it set every vector to 0, and with it the scales of
    all BatchNorms. Those of the Conformer's convolutions, of the Post-Net and of the style tokens'
    reference encoder then let nothing through, forwards or backwards, and so were never trained:
    "+ GST" added a constant. Here every module keeps its own initial values, and a test wants a
    gradient in all parameters.
    """
    install()
    try:
        from espnet2.tts.fastspeech2 import FastSpeech2
    except ImportError:
        raise InputError(
            "FastSpeech 2 is ESPnet's: install it as recipes/README.md says, and run this again."
        ) from None
    module: nn.Module = FastSpeech2(
        idim=len(PHONES), odim=80, spk_embed_dim=SPEAKER, init_type="pytorch", use_masking=True,
        **arguments,
    )  # fmt: skip
    return module


class FastSpeech2Network(nn.Module):
    """The module with standardised mels, pitch and energy, as ESPnet's global_mvn has them.

    Its constructor's arguments are the ``model:`` part of a configuration, ESPnet's names.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__()
        self.mel_mean: Tensor
        self.mel_scale: Tensor
        self.adaptor: Tensor
        self.register_buffer("mel_mean", torch.zeros(80))
        self.register_buffer("mel_scale", torch.ones(80))
        # Mean and deviation of the phones' pitch and energy.
        self.register_buffer("adaptor", torch.tensor([7.5, 0.5, -1.0, 0.5]))
        self.espnet = espnet_fastspeech2(**arguments)

    def standardise(self, mel: Tensor) -> Tensor:
        """Scale a mel by the training's mean and deviation."""
        return (mel - self.mel_mean) / self.mel_scale

    def forward(self, batch: SpeechBatch) -> dict[str, Tensor]:
        """Return ESPnet's losses of a batch, and their sum, "total"."""
        pitch_mean, pitch_scale, energy_mean, energy_scale = self.adaptor.unbind()
        voiced = batch.pitch > 0
        pitch = torch.where(voiced, (batch.pitch - pitch_mean) / pitch_scale, 0.0)
        energy = (batch.energy - energy_mean) / energy_scale
        # ESPnet puts an end symbol after the last phone, which has no frames.
        durations = nn.functional.pad(batch.durations, (0, 1))
        pitch, energy = (nn.functional.pad(x, (0, 1))[..., None] for x in (pitch, energy))
        time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
        inside = time[None] < batch.frames[:, None]
        mel = self.standardise(batch.mel) * inside[..., None]
        total, parts, _ = self.espnet(
            batch.phones, batch.phone_count, mel, batch.frames,
            durations, batch.phone_count + 1, pitch, batch.phone_count + 1,
            energy, batch.phone_count + 1, spembs=batch.voice,
        )  # fmt: skip
        names = ("l1_loss", "duration_loss", "pitch_loss", "energy_loss")
        return {"total": total} | {name: torch.as_tensor(parts[name]) for name in names}

    @torch.inference_mode()
    def speak(self, sentence: Sentence) -> Tensor:
        """Speak a sentence with its durations, its pitch and energy predicted: (frames, 80)."""
        assert not self.training
        voice, style = sentence.voice[0], self.standardise(sentence.style)[0]
        phones = sentence.phones[0]
        found = self.espnet.inference(phones, style, spembs=voice)  # type: ignore[operator]
        timed = self.espnet._forward(  # type: ignore[operator]
            nn.functional.pad(phones, (0, 1), value=len(PHONES) - 1)[None],
            torch.tensor([len(phones) + 1]),
            style[None],
            ds=nn.functional.pad(sentence.durations, (0, 1)),
            ps=found["pitch"][None],
            es=found["energy"][None],
            spembs=voice[None],
        )
        mel: Tensor = timed[1][0] * self.mel_scale + self.mel_mean
        return mel

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> FastSpeech2Network:
        """Make the network of a configuration."""
        return cls(**config["model"])


class FastSpeech2System(System):
    """The sentence spoken with the given durations, of which the slice is inserted.

    It is the thesis's Baseline 3 (section 4.4.4).
    """

    def __init__(self, network: FastSpeech2Network, name: str = "FastSpeech 2") -> None:
        self.network, self.name = network.eval(), name

    def speak(self, gap: Gap, first: int = 0, last: int | None = None) -> Mel:
        """Speak a gap's phones [first, last): a mel (their durations' sum, 80)."""
        mel: Mel = self.network.speak(Sentence.of(gap, first, last)).numpy()
        return mel

    def fill(self, gap: Gap) -> Mel:
        """Fill the gap with its slice of the sentence."""
        return self.sentence(gap)[slice(*gap.frame_span)]

    def sentence(self, gap: Gap) -> Mel:
        """Speak the whole sentence, as long as the gap's mel.

        Frames beyond its last phone, which no phone speaks, are the recording's own.
        """
        spoken = self.speak(gap)
        result: Mel = np.concatenate([spoken, gap.mel[len(spoken) :]])
        return result


class WholeSentence(FastSpeech2System):
    """Baseline 1: the whole new sentence by TTS; nothing of the recording remains."""

    def output(self, gap: Gap) -> Output:
        """Return the whole clip, spoken."""
        return Output(gap.frame_span, (0, len(gap.mel)), self.sentence(gap))


class EditedWords(FastSpeech2System):
    """Baseline 2: the edited words alone by TTS, inserted into the recording."""

    def fill(self, gap: Gap) -> Mel:
        """Speak the gap's phones alone."""
        first, last = gap.phone_span
        spoken = self.speak(gap, first, last)
        # A gap may begin or end within a phone, whose margin is made again with it.
        start = gap.frame_span[0] - int(gap.durations[:first].sum())
        result: Mel = spoken[start : start + gap.length]
        missing = gap.length - len(result)
        return np.pad(result, ((0, missing), (0, 0)), mode="edge") if missing > 0 else result
