"""The pitch of a recording on the mel's frame grid: frame t has the pitch at sample 300 t.

`taught_pitch` is what networks are taught: it agrees better with the phones on what is voiced
(docs/log.md) than `a3t.audio.analysis.world_pitch`.
"""

from __future__ import annotations

import warnings

import numpy as np

from a3t.grid import HOP, SAMPLE_RATE

LOW, HIGH = 60.0, 450.0  # Hz, where RAPT and SWIPE' look
SWIPE_THRESHOLD = 0.25  # strength of pitch; RAPT decides what is voiced
AGREED = 0.2  # octaves within which the two trackers agree
ASTRAY = 0.7  # octaves from the median of what they agree on: an octave wrong
ENOUGH = 10  # frames, for that median


def taught_pitch(samples: np.ndarray, frames: int) -> np.ndarray:
    """log2 of F0 in Hz, 0 where unvoiced, (frames,), for mono samples (n,) at 24 kHz.

    Voiced is what RAPT (Talkin 1995) calls so; there the pitch is that of SWIPE' (Camacho and
    Harris 2008), which errs by an octave less often. Where that hears none it is RAPT's, moved
    by octaves towards the rest if it is far from it. RAPT's voicing depends a little, by a frame
    in a hundred or two, on what the process has tracked before.
    """
    with warnings.catch_warnings():  # pkg_resources, which it imports, is deprecated
        warnings.simplefilter("ignore")
        import pysptk

    wave = np.asarray(samples, dtype=np.float64) * 32768.0  # RAPT expects 16-bit values
    if len(wave) < SAMPLE_RATE // 10 or not wave.any():
        return np.zeros(frames, np.float32)
    swipe = np.asarray(
        pysptk.swipe(wave, SAMPLE_RATE, HOP, min=LOW, max=HIGH, threshold=SWIPE_THRESHOLD)
    )
    # RAPT's frames stand for the sound half a hop after their places.
    rapt = np.asarray(
        pysptk.rapt(wave.astype(np.float32), SAMPLE_RATE, HOP // 2, min=LOW, max=HIGH)
    )
    rapt = rapt[np.clip(2 * np.arange(len(swipe)) - 1, 0, len(rapt) - 1)]
    first, second = (np.log2(np.maximum(hertz, 1.0)) for hertz in (swipe, rapt))
    found = np.where(swipe > 0, first, second)
    agreed = (swipe > 0) & (rapt > 0) & (np.abs(first - second) < AGREED)
    if agreed.sum() > ENOUGH:
        away = found - np.median(first[agreed])
        astray = (swipe <= 0) & (np.abs(away) > ASTRAY)
        found = np.where(astray, found - np.round(away), found)
    found = np.where(rapt > 0, found, 0.0)
    return np.pad(found, (0, max(0, frames - len(found))))[:frames].astype(np.float32)
