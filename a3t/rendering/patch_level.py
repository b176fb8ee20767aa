"""The level of patches beside the recording that they are joined to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import soxr

from a3t.audio.analysis.mel import log_mel
from a3t.audio.output.patches import Patch, read_patched
from a3t.audio.reading.recording import Recording
from a3t.grid import SAMPLE_RATE
from a3t.plan.edit_plan import Window
from a3t.plan.edit_windows import WindowFrames
from a3t.rendering.mel_corrections import lacking_gain

SHARE = 0.8  # of what a patch lacks once it is matched and joined
MOST = 0.25  # log10 units, 5 dB
FADE_S = 0.03  # over which a patch's ends stay the recording's own
PEAK = 0.99  # of full scale


def relevelled(
    recording: Recording, window: Window, frames: WindowFrames, patches: Mapping[int, Patch]
) -> dict[int, Patch]:
    """Return a window's patches, by edit, as loud as their neighbours, phone class by phone class.

    Filled frames have that level already; but what matches a patch to its recording changes it, and
    the joints go by a tenth of a second alone.
    """
    unchanged = dict(patches)
    first, last = recording.samples_in(window.source)
    last += sum(patch.growth for patch in patches.values())
    sound = read_patched(recording, [*patches.values()], first, last).mean(axis=1)
    if recording.sample_rate != SAMPLE_RATE:
        sound = soxr.resample(sound, recording.sample_rate, SAMPLE_RATE)
    mel = log_mel(sound.astype(np.float32))[: len(frames.masked)]
    if len(mel) < len(frames.masked):
        return unchanged
    symbols = [phone.symbol for phone in frames.phones]
    placed = frames.masked, symbols, frames.phone_of_frame
    result = {}
    for k, patch in patches.items():
        lacking = lacking_gain(mel, *placed, frames.spans[k])
        factor = 10 ** float(np.clip(SHARE * lacking, -MOST, MOST))
        peak = float(np.abs(patch.samples).max(initial=1e-9))
        factor = min(factor, max(PEAK / peak, 1.0))
        fade = max(1, min(round(FADE_S * recording.sample_rate), len(patch.samples) // 2))
        place = np.arange(len(patch.samples)) + 0.5
        share = np.clip(np.minimum(place, place[::-1]) / fade, 0.0, 1.0)[:, None]
        result[k] = Patch(patch.source, patch.samples * factor**share)
    return result
