"""The thesis's Baselines 1 to 3: a text-to-speech system used as an editor (section 4.4.4)."""

from __future__ import annotations

import numpy as np

from evaluation.systems.fastspeech2 import FastSpeech2Network, speech_of
from evaluation.systems.interface import Gap, Mel, Output, System


def sentence(network: FastSpeech2Network, gap: Gap) -> Mel:
    """The whole sentence spoken, as long as the gap's mel: frames beyond its last phone, which no
    phone speaks, are the recording's own."""
    spoken = speech_of(network, gap)
    result: Mel = np.concatenate([spoken, gap.mel[len(spoken) :]])
    return result


class SlicedSentence(System):
    """Baseline 3: the whole sentence by TTS, of which the slice is inserted into the recording."""

    name = "Baseline 3"

    def __init__(self, network: FastSpeech2Network) -> None:
        self.network = network.eval()

    def fill(self, gap: Gap) -> Mel:
        return sentence(self.network, gap)[slice(*gap.frame_span)]


class WholeSentence(SlicedSentence):
    """Baseline 1: the whole new sentence by TTS; nothing of the recording remains."""

    name = "Baseline 1"

    def output(self, gap: Gap) -> Output:
        return Output(gap.frame_span, (0, len(gap.mel)), sentence(self.network, gap))


class EditedWords(SlicedSentence):
    """Baseline 2: the edited words alone by TTS, inserted into the recording."""

    name = "Baseline 2"

    def fill(self, gap: Gap) -> Mel:
        first, last = gap.phone_span
        spoken = speech_of(self.network, gap, first, last)
        # A gap may begin or end within a phone, whose margin is made again with it.
        start = gap.frame_span[0] - int(gap.durations[:first].sum())
        result: Mel = spoken[start : start + gap.length]
        missing = gap.length - len(result)
        return np.pad(result, ((0, missing), (0, 0)), mode="edge") if missing > 0 else result
