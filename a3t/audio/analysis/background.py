"""Sounds behind the speech: tones, which an edit continues, and music, which it can't.

Steady tones, such as a hum. A tone counts as steady if it is sure on both sides of the edit, and as
loud: what speech hides on one of them, or what is a line of a codec there, would whistle in the
patch. Across the edit it goes on from its left side's phase to its right side's, so that at both
joints it meets itself. Under new words it stands out no more than under the recorded ones: a codec
may keep a line in pauses alone.

In frames of a quarter of a second a tone turns from one to the next as its frequency says. Each
frame is weighed by the noise beside the tone's frequency at that moment, so that pauses tell most:
what adds up is the estimate of a known signal in noise whose level changes (Kay 1998, "Fundamentals
of Statistical Signal Processing: Detection Theory", the generalised matched filter). A voice can
hold a harmonic for half a second, so a tone has to be there without its best half second as well.

Music is heard in the pauses nearest a place: sound that is there all the time, loud beside the
speech, and made of tones, once those are taken off that are steady enough to be carried on, and a
hum that isn't: a motor's may waver, but it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import soxr

from a3t.audio.analysis.room_tone import pauses_near
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from alignment import Alignment

TONE_FRAME_S = 0.25  # seconds
TONE_HOP_S = 0.125
PADDING_FACTOR = 2  # times as many bins
NOISE_BESIDE_HZ = (12.0, 40.0)  # Hz from a tone, where its noise is measured
QUIET_FRAMES_SHARE = 0.08  # the share of frames whose noise counts as much as the loudest of them
SILENT_POWER_SHARE = 1e-8  # of the mean power, or …
DIGITAL_SILENCE = 1e-11  # … of full scale: a fifth of a frame below either is a digital silence
LOWEST_TONE_HZ, HIGHEST_TONE_HZ = 30.0, 11_000.0  # Hz
MIN_STRENGTH = 15.0  # the least strength of a peak
MIN_APART_HZ = 2.0  # Hz between two tones
MAX_TONES = 30  # tones
BEST_S = 0.5  # seconds, without which a tone has to be there, too
SIDE_S = 4.0  # seconds on either side
FITTED_S = 2.0  # seconds of a side, the nearest, to which a tone's level and phase are fitted
LOW_RATE_HZ = 24_000  # Hz, at which tones are looked for
MIN_SIDE_S = 1.0  # seconds
SAME_TONE_HZ = 0.3  # Hz by which the two sides may differ
# How sure a tone is on both sides, chosen on planted hums and on sounds without any:
SURE_ON_BOTH = (10.0, 0.85)  # what must last, and agree
MAX_LEVEL_RATIO = 2.0  # times as loud may it be on one of them
MAINS_HZ = (50.0, 60.0)  # Hz; a hum's harmonics tell where to look for the others …
MAINS_DRIFT = 0.002  # … of a mains that is so far off, …
MAX_HARMONICS = 20  # … up to so many
HARMONIC_BOTH = (4.0, 0.6)  # how sure these are
LOUD_SHARE = 0.1  # of the loudest frame's power: quieter ones are pauses
MAX_STANDING_OUT = 1.5  # times as far above its surroundings as in the recording, in power
MAX_TAKEN_OUT = 1.5  # times as loud as beside it may a tone be that is taken out
LEVEL_S = 0.05  # seconds whose level weighs a moment
MIN_POWER_SHARE = 1e-4  # of the mean power; what is below weighs no more
MUSIC_FRAME_S = 0.08  # seconds
MUSIC_BAND_HZ = (100.0, 4000.0)  # Hz
MUSIC_BESIDE_HZ = 150.0  # Hz on either side of a bin, which a tone stands out of
TONE_TO_MEDIAN = 4.0  # times the median
MIN_TONAL_SHARE = 0.5  # of the power that must be in tones; of noise a quarter is
AUDIBLE_MUSIC_DB = -30.0  # dB beside the speech; chosen with the line before (docs/log.md)
QUIETER_SHARE = 0.25  # of the frames may be quieter
MIN_MUSIC_FRAMES = 4
HUM_HZ = 300.0  # Hz; a tone below, in at least …
HUMMING_SHARE = 0.8  # … of the frames, is a machine's: music's come and go


@dataclass(frozen=True)
class ToneSign:
    """The evidence for a tone at ``frequency``, Hz.

    strength: the squared estimate of the tone over its variance: noise alone has 1 in the mean, and
    more than 10 in one of 20,000 places. lasting: the same without its best half second. agreement:
    how much of what the frames have adds up, 0 to 1. weight: how well the tone would be seen: the
    strength of one of amplitude 1.
    """

    frequency: float
    strength: float
    lasting: float
    agreement: float
    weight: float


class ToneEvidence:
    """All frames of a stretch of sound, mono (n,), at ``rate`` Hz."""

    def __init__(self, mono: np.ndarray, rate: int) -> None:
        size = _frame_samples(rate)
        hop = round(TONE_HOP_S * rate)
        self.step, self.width = hop / rate, rate / (PADDING_FACTOR * size)
        frames = np.lib.stride_tricks.sliding_window_view(mono, size)[::hop]
        fifths = frames[:, : size // 5 * 5].reshape(len(frames), 5, -1).var(axis=2)
        heard = fifths.min(axis=1) > max(float(mono.var()) * SILENT_POWER_SHARE, DIGITAL_SILENCE)
        last = min(round(HIGHEST_TONE_HZ / self.width), PADDING_FACTOR * size // 2 - 1)
        self.weights = np.zeros((len(frames), last + 1))
        self.products = np.zeros((len(frames), last + 1), complex)
        if heard.any():
            # Each frame's middle comes first, so that its phase is the tone's there.
            around = (PADDING_FACTOR - 1) * size // 2
            middle = np.fft.fftshift(
                np.pad(frames[heard] * np.hanning(size), [(0, 0), (around, around)]), axes=1
            )
            spectrum = np.fft.rfft(middle, axis=1)[:, : last + 1]
            noise = _beside(np.square(np.abs(spectrum)), self.width)
            noise = np.maximum(noise, np.quantile(noise, QUIET_FRAMES_SHARE, axis=0)) + 1e-20
            self.weights[heard] = 1 / noise
            self.products[heard] = spectrum / noise
        self._frequencies, self._strengths = self._all_strengths()

    def _all_strengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Return frequencies in steps of less than a tenth of a hertz, and their strengths."""
        count = 1 << (4 * len(self.products) - 1).bit_length()
        turned = np.square(np.abs(np.fft.fft(self.products, count, axis=0)))
        fine = 1 / (count * self.step)
        place = np.arange(
            round(LOWEST_TONE_HZ / fine), round((self.products.shape[1] - 1) * self.width / fine)
        )
        bins = np.round(place * fine / self.width).astype(int)
        seen = self.weights.sum(axis=0)[bins]
        return place * fine, turned[place % count, bins] / np.maximum(seen, 1e-30)

    def peaks(self) -> list[ToneSign]:
        """Return the strongest tones that there may be."""
        values = self._strengths
        tops = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] > values[2:])) + 1
        tops = tops[values[tops] > MIN_STRENGTH]
        places: list[int] = []
        for top in tops[np.argsort(-values[tops])]:
            hertz = self._frequencies[[*places, top]]
            if len(places) < MAX_TONES and (np.abs(hertz[:-1] - hertz[-1]) > MIN_APART_HZ).all():
                places.append(int(top))
        return [self._sign(top) for top in places]

    def near(self, frequency: float, reach: float) -> ToneSign:
        """Return the evidence for a tone within ``reach`` Hz of a frequency."""
        inside = np.flatnonzero(np.abs(self._frequencies - frequency) <= reach)
        return self._sign(int(inside[np.argmax(self._strengths[inside])]))

    def _sign(self, place: int) -> ToneSign:
        frequency = self._between(place)
        column = min(round(frequency / self.width), self.products.shape[1] - 1)
        turn = np.exp(-2j * np.pi * frequency * self.step * np.arange(len(self.products)))
        parts, weights = self.products[:, column] * turn, self.weights[:, column]
        whole, weight = parts.sum(), weights.sum()
        count = round(BEST_S / self.step) + 1
        lasting = 0.0
        if len(parts) > count:
            ones = np.ones(count)
            rest = whole - np.convolve(parts, ones, "valid")
            left = np.maximum(weight - np.convolve(weights, ones, "valid"), 1e-30)
            lasting = float((np.square(np.abs(rest)) / left).min())
        return ToneSign(
            frequency,
            float(np.square(np.abs(whole)) / max(weight, 1e-30)),
            lasting,
            float(np.abs(whole) / max(np.abs(parts).sum(), 1e-30)),
            float(weight),
        )

    def _between(self, place: int) -> float:
        """Return a peak's frequency, by a parabola through it and the places beside it."""
        frequency, step = self._frequencies[place], self._frequencies[1] - self._frequencies[0]
        if not 0 < place < len(self._strengths) - 1:
            return float(frequency)
        before, here, after = self._strengths[place - 1 : place + 2]
        bend = before - 2 * here + after
        if bend >= 0 or here < max(before, after):
            return float(frequency)
        return float(frequency + step * 0.5 * (before - after) / bend)


def _frame_samples(rate: int) -> int:
    return 2 * round(TONE_FRAME_S * rate / 2)


def _powers(mono: np.ndarray, frequencies: np.ndarray, rate: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the power of a sound (n,) at frequencies, Hz, and on both sides of them.

    Both are (frames, frequencies), of the frames that are about as loud as the loudest.
    """
    size = _frame_samples(rate)
    mono = np.pad(mono, (0, max(size - len(mono), 0)))
    frames = np.lib.stride_tricks.sliding_window_view(mono, size)[:: round(TONE_HOP_S * rate)]
    levels = np.square(frames).mean(axis=1)
    frames = frames[levels >= LOUD_SHARE * levels.max(initial=0.0)]
    spectra = np.fft.rfft(frames * np.hanning(size), PADDING_FACTOR * size, axis=1)
    power, width = np.square(np.abs(spectra)), rate / (PADDING_FACTOR * size)
    bins = np.round(frequencies / width).astype(int)
    return power[:, bins], _beside(power, width)[:, bins]


def _beside(power: np.ndarray, width: float) -> np.ndarray:
    """Average the power on both sides of each bin within `NOISE_BESIDE_HZ`, (frames, bins)."""
    near, far = (round(hertz / width) for hertz in NOISE_BESIDE_HZ)
    count = power.shape[1]
    total = np.pad(np.cumsum(power, axis=1), [(0, 0), (1, 0)])
    place = np.arange(count)
    edges = [(place - far, place - near + 1), (place + near, place + far + 1)]
    (a, b), (c, d) = (tuple(np.clip(edge, 0, count) for edge in pair) for pair in edges)
    sums = total[:, b] - total[:, a] + total[:, d] - total[:, c]
    return np.asarray(sums / np.maximum(b - a + d - c, 1))


@dataclass(frozen=True, eq=False)
class SteadyTones:
    """Tones beside an edit.

    rate: Hz. frequencies: (n,) Hz. left, right: (n, channels) complex amplitudes: a side's tone is
    the real part of amplitude · exp(2πi · frequency · sample / rate), by the recording's samples.
    standing: (n,) how many times as strong as what is beside it in frequency a tone is, at most.
    """

    rate: int
    frequencies: np.ndarray
    left: np.ndarray
    right: np.ndarray
    standing: np.ndarray

    def __len__(self) -> int:
        """Count the tones."""
        return len(self.frequencies)

    def through(self, sound: np.ndarray, leave: int, enter: int) -> np.ndarray:
        """Return new words (n, channels) with these tones in place of their own.

        They are as loud as beside the edit, unless they would stand out more than there.
        """
        sound = self.without(sound)
        _, beside = _powers(sound.mean(axis=1), self.frequencies, self.rate)
        size = _frame_samples(self.rate)
        levels = np.stack([np.abs(side.mean(axis=1)) for side in (self.left, self.right)]).max(0)
        most = MAX_STANDING_OUT * np.maximum(self.standing, 1.0) * np.median(beside, axis=0)
        shares = np.minimum(1.0, np.sqrt(most) / np.maximum(levels * size / 4, 1e-20))
        bounded = replace(
            self, left=self.left * shares[:, None], right=self.right * shares[:, None]
        )
        return sound + bounded.across(len(sound), leave, enter)

    def across(self, samples: int, leave: int, enter: int) -> np.ndarray:
        """Return the tones on (samples, channels), from the left side's phase to the right side's.

        Their sample s follows the left side's sample s - leave at its start and the right side's
        sample s - enter at its end.
        """
        place = np.arange(samples)
        share = (0.5 - 0.5 * np.cos(np.pi * place / max(samples, 1)))[:, None]
        result = np.zeros((samples, self.left.shape[1]))
        for frequency, one, other in zip(self.frequencies, self.left, self.right, strict=True):
            step = 2j * np.pi * frequency / self.rate
            begin, end = one * np.exp(-step * leave), other * np.exp(-step * enter)
            turn = np.angle(end * np.conj(begin))
            level = np.abs(begin) * (1 - share) + np.abs(end) * share
            phase = np.angle(begin) + turn * share
            result += level * np.cos(np.imag(step) * place[:, None] + phase)
        return result

    def without(self, sound: np.ndarray) -> np.ndarray:
        """Return the sound (n, channels) without these tones, as far as it has them itself.

        Its pauses tell, for speech has all frequencies; and what is louder than the tone beside the
        edit isn't the tone. Else the opposite of the speech would whistle in the pauses.
        """
        if not len(self) or len(sound) < 2 * len(self):
            return sound
        basis = _basis(self.frequencies, np.arange(len(sound)), self.rate)
        weight = np.square(_weights(sound.mean(axis=1), self.rate))
        fit = _fitted(basis, sound, weight).reshape(2, len(self), -1)
        most = MAX_TAKEN_OUT * np.maximum(np.abs(self.left), np.abs(self.right))
        fit *= np.minimum(1.0, most / np.maximum(np.hypot(*fit), 1e-20))
        return np.asarray(sound - np.einsum("si,ic->sc", basis, fit.reshape(2 * len(self), -1)))


def find_steady_tones(recording: Recording, first: int, last: int) -> SteadyTones:
    """Find the steady tones beside the recording's samples [first, last); read eight seconds.

    None are found where a side has less than a second, nor in a recording of so little.
    """
    rate, reach = recording.sample_rate, round(SIDE_S * recording.sample_rate)
    spans = [(max(0, first - reach), first), (last, min(recording.samples, last + reach))]
    nothing = np.zeros((0, recording.channels), complex)
    none = SteadyTones(rate, np.zeros(0), nothing, nothing, np.zeros(0))
    if any(end - start < MIN_SIDE_S * rate for start, end in spans):
        return none
    sides = [to_float(recording.read(*span)) for span in spans]
    sides = [side - side.mean(axis=0) for side in sides]
    low = min(rate, LOW_RATE_HZ)
    monos = [soxr.resample(side.mean(axis=1), rate, low) for side in sides]
    steady = _steady(*(ToneEvidence(mono, low) for mono in monos))
    if not steady:
        return none
    frequencies = np.array(steady)
    fitted = round(FITTED_S * rate)
    left = _amplitudes(frequencies, sides[0][-fitted:], max(first - fitted, spans[0][0]), rate)
    right = _amplitudes(frequencies, sides[1][:fitted], last, rate)
    loud = np.stack([np.abs(each).max(axis=1) for each in (left, right)])
    alike = loud.max(axis=0) <= MAX_LEVEL_RATIO * loud.min(axis=0)
    near = (sides[0][-fitted:], sides[1][:fitted])
    powers = [_powers(side.mean(axis=1), frequencies[alike], rate) for side in near]
    ratios = [np.median(at / np.maximum(beside, 1e-20), axis=0) for at, beside in powers]
    standing = np.max(ratios, axis=0)
    return SteadyTones(rate, frequencies[alike], left[alike], right[alike], standing)


def _steady(left: ToneEvidence, right: ToneEvidence) -> list[float]:
    """Return the frequencies of the tones that are sure on both sides, Hz."""
    pairs = [(sign, right.near(sign.frequency, SAME_TONE_HZ)) for sign in left.peaks()]
    pairs += [(left.near(sign.frequency, SAME_TONE_HZ), sign) for sign in right.peaks()]
    sure: list[float] = []
    for pair in sorted(pairs, key=lambda both: -max(sign.strength for sign in both)):
        if not _are_sure(pair, *SURE_ON_BOTH):
            continue
        weights = [sign.strength for sign in pair]
        frequency = float(np.average([sign.frequency for sign in pair], weights=weights))
        if all(abs(frequency - other) > MIN_APART_HZ for other in sure):
            sure.append(frequency)
    for frequency in _harmonics(np.array(sure)):
        pair = left.near(frequency, SAME_TONE_HZ / 2), right.near(frequency, SAME_TONE_HZ / 2)
        if _are_sure(pair, *HARMONIC_BOTH):
            sure.append(frequency)
    return sorted(sure)


def _harmonics(known: np.ndarray) -> list[float]:
    """Return the other harmonics, Hz, of mains hum of which two or more are known."""
    expected: list[float] = []
    for mains in MAINS_HZ:
        orders = np.round(known / mains).clip(1, MAX_HARMONICS)
        inside = np.abs(known - orders * mains) < MAINS_DRIFT * mains * orders
        if inside.sum() < 2:
            continue
        base = float(orders[inside] @ known[inside] / np.square(orders[inside]).sum())
        for frequency in base * np.arange(1, MAX_HARMONICS + 1):
            if np.abs(np.array([*known, *expected]) - frequency).min() > MIN_APART_HZ:
                expected.append(float(frequency))
    return expected


def _are_sure(pair: Sequence[ToneSign], lasting: float, agreement: float) -> bool:
    return all(sign.lasting > lasting and sign.agreement > agreement for sign in pair)


def _weights(mono: np.ndarray, rate: int) -> np.ndarray:
    """Return the reciprocal of the level around each sample, (n,)."""
    width = max(round(LEVEL_S * rate), 1)
    total = np.concatenate([[0.0], np.cumsum(np.square(mono, dtype=np.float64))])
    place = np.arange(len(mono))
    last, start = np.minimum(place + width // 2 + 1, len(mono)), np.maximum(place - width // 2, 0)
    power = (total[last] - total[start]) / (last - start)
    mean = float(power.mean())
    return np.asarray(1 / np.sqrt(power + mean * MIN_POWER_SHARE + 1e-20))


def _amplitudes(frequencies: np.ndarray, side: np.ndarray, start: int, rate: int) -> np.ndarray:
    """Fit complex amplitudes (n, channels) by weighted least squares.

    side: (samples, channels) from ``start``.
    """
    weight = _weights(side.mean(axis=1), rate)
    basis = _basis(frequencies, start + np.arange(len(side)), rate)
    fit = _fitted(basis, side, np.square(weight))
    return np.asarray(fit[: len(frequencies)] - 1j * fit[len(frequencies) :])


def _fitted(basis: np.ndarray, sound: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Solve least squares by the normal equations: (2 n, channels).

    A trace is added, for tones that are one within so little sound.
    """
    weighted = basis if weight is None else basis * weight[:, None]
    products = np.einsum("si,sj->ij", weighted, basis)  # products of so few columns need no threads
    products += np.eye(len(products)) * np.trace(products) * 1e-6
    return np.asarray(np.linalg.solve(products, np.einsum("si,sc->ic", weighted, sound)))


def _basis(frequencies: np.ndarray, place: np.ndarray, rate: int) -> np.ndarray:
    """Return cosines and sines, (samples, 2 n)."""
    angle = 2 * np.pi / rate * np.outer(place, frequencies)
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1)


def music_under(recording: Recording, alignment: Alignment, first: int, last: int) -> float | None:
    """Return the level of music around samples [first, last), dB beside the speech.

    None if there is none, or no pause to hear it in.
    """
    rate = recording.sample_rate
    steady = find_steady_tones(recording, first, last)
    pauses = pauses_near(alignment, recording, (first + last) // 2)
    spectra = [
        _frames(steady.without(to_float(recording.read(*pause))).mean(axis=1), rate)
        for pause in pauses
    ]
    frames = np.concatenate(spectra) if spectra else np.empty((0, 0))
    if len(frames) < MIN_MUSIC_FRAMES:
        return None
    tonal = _tonal(frames)
    others = ~_hum(tonal, rate)
    powers = frames[:, others].sum(axis=1)
    shares = (frames * tonal)[:, others].sum(axis=1) / np.maximum(powers, 1e-20)
    level = 10 * np.log10(np.quantile(powers, QUIETER_SHARE) + 1e-20) - _speech_level(
        recording, alignment, (first + last) / 2 / rate
    )
    return (
        float(level) if level > AUDIBLE_MUSIC_DB and np.median(shares) > MIN_TONAL_SHARE else None
    )


def _frames(sound: np.ndarray, rate: int) -> np.ndarray:
    """Return the power in MUSIC_BAND_HZ, (frames, bins)."""
    size = round(MUSIC_FRAME_S * rate)
    starts = range(0, len(sound) - size + 1, size // 2)
    hertz = np.fft.rfftfreq(size, 1 / rate)
    inside = (hertz >= MUSIC_BAND_HZ[0]) & (hertz <= MUSIC_BAND_HZ[1])
    window = np.hanning(size)
    spectra = [np.fft.rfft((sound[k : k + size]) * window)[inside] for k in starts]
    return np.square(np.abs(np.array(spectra).reshape(-1, int(inside.sum()))))


def _tonal(power: np.ndarray) -> np.ndarray:
    """Find where a frame's power stands out of its neighbourhood, (frames, bins) bool."""
    reach = max(round(MUSIC_BESIDE_HZ * MUSIC_FRAME_S), 1)
    near = np.lib.stride_tricks.sliding_window_view(
        np.pad(power, [(0, 0), (reach, reach)], mode="reflect"), 2 * reach + 1, axis=1
    )
    return np.asarray(power > TONE_TO_MEDIAN * np.median(near, axis=2))


def _hum(tonal: np.ndarray, rate: int) -> np.ndarray:
    """Find where a low tone stands nearly all the time, (bins,) bool.

    That is a machine's, which isn't quite steady.
    """
    size = round(MUSIC_FRAME_S * rate)
    hertz = np.fft.rfftfreq(size, 1 / rate)
    hertz = hertz[(hertz >= MUSIC_BAND_HZ[0]) & (hertz <= MUSIC_BAND_HZ[1])]
    return np.asarray((tonal.mean(axis=0) >= HUMMING_SHARE) & (hertz < HUM_HZ))


def _speech_level(recording: Recording, alignment: Alignment, near: float) -> float:
    """Return the mean power of the frames of the words within five seconds, in dB."""
    rate = recording.sample_rate
    words = [word for word in alignment.spoken if abs(word.start - near) < 5.0]
    powers = [
        float(frame.sum())
        for word in words or alignment.spoken[:20]
        for frame in _frames(recording.mono(*recording.samples_between(word.start, word.end)), rate)
    ]
    return float(10 * np.log10(np.mean(powers or [1e-20]) + 1e-20))
