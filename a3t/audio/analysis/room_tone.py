"""Room tone: a recording's noise where nobody speaks, measured and synthesised.

What is measured is each frequency's power and how the channels share it, in the recording's own
pauses: the mean, or less where it comes and goes more than noise does, as under music, whose mean
would fill what lies between its notes. What is made is Gaussian noise with exactly that: it never
repeats, and a breath or a click that stood in a pause is not heard in it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.spans import Span
from alignment import Alignment

FRAME_S = 0.04
TONE_BLOCK_FRAMES = 1000  # made at once
GUARD_S = 0.03  # of a pause at either end: the words beside it fade there
ENOUGH_PAUSE_S = 2.0  # of pauses; those nearest the edit
MIN_FRAMES = 8
WINDOW_S = 5.0  # of recording that is searched where there are too few pauses
QUIET_SHARE = 0.25  # of the frames: what is 6 dB louder than these is a breath or a click
ABOVE_QUIET = 4.0  # as a ratio of powers
SPEECH_NOISE_SHARE = 0.1  # of frames of speech that are taken for noise
LOW_SHARE = 0.25  # of a frequency's powers in noise are below 0.29 of their mean
TONE_SMOOTHED_BINS = 5  # frequencies over which that is looked at
GATED = 1e-4  # RMS: -80 dB of full scale, quieter than any room through a microphone
MAX_ROOM_TO_SPEECH = 0.2  # of the speech's RMS; what is louder than that is no room


@dataclass(frozen=True, eq=False)
class RoomTone:
    """A stationary noise.

    rate: Hz. power: (bins, channels, channels) complex, Hermitian: the mean product of the
    channels' spectra in frames of 2 (bins - 1) samples under a window of mean power 1, full scale
    at 1; the diagonal is each channel's power.
    """

    rate: int
    power: np.ndarray

    @property
    def channels(self) -> int:
        """Number of channels."""
        return int(self.power.shape[1])

    @property
    def level(self) -> np.ndarray:
        """RMS of each channel, (channels,), full scale at 1."""
        power = np.einsum("fcc->fc", self.power).real
        size = 2 * (len(power) - 1)
        both_sides = 2 * power.sum(axis=0) - power[0] - power[-1]
        return np.asarray(np.sqrt(both_sides)) / size

    def sound(self, samples: int, seed: int = 0) -> np.ndarray:
        """Make room tone, (samples, channels) float32, full scale at 1; the seed decides it."""
        hop = len(self.power) - 1
        frames = -(-samples // hop) + 1
        draw, root = np.random.default_rng(seed), _root(self.power)
        total = np.zeros((frames + 1, hop, self.channels))
        for first in range(0, frames, TONE_BLOCK_FRAMES):
            halves = self._frames(root, min(TONE_BLOCK_FRAMES, frames - first), draw)
            total[first : first + len(halves)] += halves[:, 0]
            total[first + 1 : first + 1 + len(halves)] += halves[:, 1]
        return total.reshape(-1, self.channels)[hop : hop + samples].astype(np.float32)

    def _frames(self, root: np.ndarray, count: int, draw: np.random.Generator) -> np.ndarray:
        """Return independent frames, (count, 2, hop, channels): the halves of each."""
        size = 2 * (len(self.power) - 1)
        real, imaginary = draw.standard_normal((2, count, len(self.power), self.channels, 1))
        spectra = (root @ ((real + 1j * imaginary) / np.sqrt(2)))[..., 0]
        spectra[:, [0, -1]] = spectra[:, [0, -1]].real * np.sqrt(2)  # these two have no phase
        # Windows whose squares add up to 1: independent frames then have a constant power.
        window = np.sin(np.pi * (np.arange(size) + 0.5) / size).reshape(-1, 1)
        pieces = np.fft.irfft(spectra, size, axis=1) * window
        return pieces.reshape(count, 2, size // 2, self.channels)


def room_tone(
    recording: Recording, alignment: Alignment, samples: int, seed: int = 0, near: int | None = None
) -> np.ndarray:
    """Return the recording's room tone, (samples, channels) float32 at its own rate.

    Full scale is at 1. Taken from the alignment's pauses, those nearest sample ``near`` first
    (default: the middle). It has no constant part and starts and ends abruptly: cross-fade it. The
    same arguments give the same samples.
    """
    return find_room_tone(recording, alignment, near).sound(samples, seed)


def find_room_tone(recording: Recording, alignment: Alignment, near: int | None = None) -> RoomTone:
    """Measure the noise in the alignment's pauses nearest sample ``near``.

    Where these are too short, the quietest frames of the five seconds around ``near`` are measured.
    At most nine seconds are read. Where the nearest pauses are silenced, as by a noise gate, those
    between words decide, since a start and an end are often cleaned alone; without any, the
    quietest frames of the speech do, if they are as quiet as a room.
    """
    near = recording.samples // 2 if near is None else near
    paused = _paused(recording, alignment, near)
    if paused is None:
        return _in_speech(recording, near, (0, recording.samples))[0]
    if paused.level.max() >= GATED or not alignment.spoken:
        return paused
    start, end = alignment.spoken[0].end, alignment.spoken[-1].start
    inside = [word for word in alignment.words if start <= word.start and word.end <= end]
    between = _paused(recording, replace(alignment, words=tuple(inside)), near)
    if between is not None:
        return between
    start, end = alignment.spoken[0].start, alignment.spoken[-1].end
    quiet, speech = _in_speech(recording, near, recording.samples_between(start, end))
    return quiet if GATED < quiet.level.max() < MAX_ROOM_TO_SPEECH * speech else paused


def _paused(recording: Recording, alignment: Alignment, near: int) -> RoomTone | None:
    """Measure the noise in the pauses nearest to a sample; None if they are too short."""
    pauses = pauses_near(alignment, recording, near)
    frames = _frames((to_float(recording.read(*pause)) for pause in pauses), recording.sample_rate)
    if len(frames) < MIN_FRAMES:
        return None
    return _measured(frames, recording.sample_rate, QUIET_SHARE, ABOVE_QUIET)


def _in_speech(recording: Recording, near: int, within: Span) -> tuple[RoomTone, float]:
    """Measure the quietest frames of a span's five seconds nearest a sample, and all's RMS."""
    reach = round(WINDOW_S / 2 * recording.sample_rate)
    around = max(within[0], near - reach), min(within[1], near + reach)
    sound = to_float(recording.read(around[0], max(around)))
    tone = _measured(
        _frames([sound], recording.sample_rate), recording.sample_rate, SPEECH_NOISE_SHARE, 1
    )
    return tone, float(np.sqrt(np.square(sound).mean(axis=0).max()))


def pauses_near(alignment: Alignment, recording: Recording, near: int) -> list[Span]:
    """Return samples [first, last) of the pauses nearest ``near``, without their ends."""
    rate, pauses = recording.sample_rate, []
    for word in alignment.words:
        first = round((word.start + GUARD_S) * rate) if word.start > 0 else 0
        last = min(round((word.end - GUARD_S) * rate), recording.samples)
        if word.is_pause and last - first >= FRAME_S * rate:
            pauses.append((first, last))
    pauses.sort(key=lambda span: max(span[0] - near, near - span[1], 0))
    taken: list[Span] = []
    left = round(ENOUGH_PAUSE_S * rate)
    for first, last in pauses:
        if left < FRAME_S * rate:
            break
        # Of a long pause the part that lies nearest.
        start = min(max(first, near - left // 2), max(first, last - left))
        taken.append((start, min(last, start + left)))
        left -= taken[-1][1] - taken[-1][0]
    return sorted(taken)


def _frames(pieces: Iterable[np.ndarray], rate: int) -> np.ndarray:
    """Return spectra (frames, bins, channels) of pieces (n, channels), frames half overlapping."""
    size = 2 * round(FRAME_S * rate / 2)
    window = np.sin(np.pi * (np.arange(size) + 0.5) / size)[:, None] * np.sqrt(2)
    spectra = []
    for piece in pieces:
        sound = piece - piece.mean(axis=0)
        starts = range(0, len(sound) - size + 1, size // 2)
        spectra += [np.fft.rfft(sound[k : k + size] * window, axis=0) for k in starts]
    return np.array(spectra)


def _measured(frames: np.ndarray, rate: int, share: float, above: float) -> RoomTone:
    """Average the quiet ones among the frames (n, bins, channels)."""
    loud = np.square(np.abs(frames)).sum(axis=(1, 2))
    sounding = loud > 0 if loud.any() else loud == 0  # a digital silence is nobody's room
    frames, loud = frames[sounding], loud[sounding]
    quiet = frames[loud <= above * np.quantile(loud, share)]
    mean = np.einsum("tfc,tfd->fcd", quiet, quiet.conj()) / len(quiet)
    return RoomTone(rate, mean * _steady_share(quiet)[:, None, None])


def _steady_share(frames: np.ndarray) -> np.ndarray:
    """Return how much of the frames' (n, bins, channels) mean power is always there, (bins,).

    The lower quarter tells it of noise, whose powers are distributed exponentially.
    """
    power = np.square(np.abs(frames)).mean(axis=2)
    steady = np.quantile(power, LOW_SHARE, axis=0) / -np.log(1 - LOW_SHARE)
    low, mean = (
        np.convolve(values, np.ones(TONE_SMOOTHED_BINS), "same")
        for values in (steady, power.mean(axis=0))
    )
    return np.asarray(np.minimum(low / np.maximum(mean, 1e-30), 1.0))


def _root(power: np.ndarray) -> np.ndarray:
    """Return a factor A of (bins, c, c) Hermitian power, A Aᴴ; channels may be silent or equal."""
    values, vectors = np.linalg.eigh(power)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :])
