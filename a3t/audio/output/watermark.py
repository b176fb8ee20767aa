"""A mark in synthetic sound that outlasts its file's comment, and the search for it.

Spread spectrum (Kirovski and Malvar, "Spread-spectrum watermarking of audio signals", IEEE
Transactions on Signal Processing 51, 2003): between 0.3 and 5.5 kHz each cell of 64 ms and 94 Hz
becomes a little louder or softer, by a random sign that is always the same one. Conversion (MP3,
AAC, another sample rate) leaves most of that. The search sums the signs' agreement with what a
spectrum has above its own surroundings. Where the sound agrees by itself it is changed less, as
in Malvar and Florêncio, "Improved spread spectrum" (same volume).

It is no proof, and no secret: whoever reads this can take a mark off, or put one on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import soxr

from a3t.audio.reading.recording import Recording

RATE = 16_000  # Hz
SIZE, HOP = 512, 256  # samples of a window and from one to the next, at RATE
CELL = 4  # windows, 64 ms
FIRST, WIDTH, BANDS = 10, 3, 55  # bins: 312 Hz on, 94 Hz a band, to 5.5 kHz
ROWS = 16  # of cells, after which the signs begin again: about a second
PERIOD = ROWS * CELL * HOP  # samples
SIGNS = np.random.default_rng(2003).choice([-1.0, 1.0], (ROWS, BANDS))
_WINDOW = np.sqrt(np.hanning(SIZE + 1)[:-1])

AGREEMENT = 2.1  # of a row of cells with its signs, in standard deviations, that a mark has
MOST = 2.0  # dB by which a cell is changed
PASSES = 4
FADE = 0.015  # seconds at either end

STEP = 128  # samples from one place where a mark may begin to the next
ROW = CELL * HOP // STEP  # such steps from one row of cells to the next
SHORTEST, LONGEST = 4, 48  # rows that are judged together: from a quarter of a second to three
LEAST = 6.0  # standard deviations; four hours without a mark have 5.3 at most (docs/log.md)
OUTLIER = 6.0  # dB
BLOCK = 60  # seconds that are searched at once
APART = 0.3  # seconds between marks that are told as one


def with_watermark(samples: np.ndarray, rate: int) -> np.ndarray:
    """The sound with a mark in it; samples: (n,) or (n, channels), full scale at 1, at ``rate`` Hz.

    The result has their shape and type, and is no louder than full scale, or than they are. The
    same sound gets the same mark.
    """
    result = np.array(samples)
    length = _period(rate)
    for first in range(0, len(samples), length):
        piece = samples[first : first + length].astype(np.float64)
        place = (np.arange(len(piece)) + 0.5) / rate
        fade = np.clip(np.minimum(place, place[::-1]) / FADE, 0.0, 1.0)
        for channel in np.ndindex(samples.shape[1:]):
            own = (slice(None), *channel)
            change = _change(soxr.resample(piece[own], rate, RATE))
            change = soxr.resample(change, RATE, rate)[: len(piece)]
            result[first : first + len(change)][own] += change * fade[: len(change)]
        most = max(1.0, float(np.abs(piece).max()))
        np.clip(result[first : first + length], -most, most, out=result[first : first + length])
    return result


def pieces_with_watermark(pieces: Iterable[np.ndarray], rate: int) -> Iterator[np.ndarray]:
    """The pieces (n,) of a sound as `with_watermark` makes the whole, as soon as they are known."""
    length, waiting = _period(rate), np.empty(0, np.float32)
    for piece in pieces:
        waiting = np.concatenate([waiting, piece])
        if ready := len(waiting) // length * length:
            yield with_watermark(waiting[:ready], rate)
            waiting = waiting[ready:]
    if len(waiting):
        yield with_watermark(waiting, rate)


def watermarks_in(recording: Recording) -> list[tuple[float, float]]:
    """The marks of a recording: [start, end) in seconds, in order. One of less than a second, or
    of little bandwidth, may be overlooked."""
    found: list[tuple[float, float]] = []
    for start, end in sorted(_found(recording)):
        if found and start - found[-1][1] < APART:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _period(rate: int) -> int:
    """The samples at ``rate`` Hz after which a mark begins again."""
    return round(PERIOD / RATE * rate)


def _change(sound: np.ndarray) -> np.ndarray:
    """The sound that marks a sound (n,) at RATE, of at most PERIOD samples, when it is added."""
    spectrum = _spectrum(sound, HOP)
    rows = -(-len(spectrum) // CELL)
    signs = np.resize(SIGNS, (rows, BANDS))
    gains = np.zeros(rows)  # dB
    made = sound
    for _ in range(PASSES):
        cells = _cells(_spectrum(made, HOP), 1)[::CELL]
        apart = _apart(cells, 1)
        spread = np.sqrt(np.square(apart).sum(axis=1)) + 1e-9
        lacks = AGREEMENT - (apart * signs[: len(apart)]).sum(axis=1) / spread
        gains[: len(apart)] += 0.6 * lacks
        gains[len(apart) :] = gains[len(apart) - 1] if len(apart) else 0.0
        gains = np.clip(gains, 0.0, MOST)
        louder = np.zeros(spectrum.shape)
        changes = gains[:, None] * signs - _mean_power(gains)[:, None]
        bands = np.repeat(changes, WIDTH, axis=1)
        louder[:, FIRST : FIRST + WIDTH * BANDS] = np.repeat(bands, CELL, axis=0)[: len(spectrum)]
        made = _sound(spectrum * 10 ** (louder / 20), len(sound))
    return made - sound


def _mean_power(gains: np.ndarray) -> np.ndarray:
    """The dB by which cells, half of them so many dB louder and half softer, gain in power."""
    return 10 * np.log10(np.cosh(np.log(10) / 10 * gains))


def _spectrum(sound: np.ndarray, hop: int) -> np.ndarray:
    """(frames, bins) complex: window k's middle lies at k · hop, the last one's after the end."""
    padded = np.pad(sound, (SIZE // 2, SIZE))
    windows = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::hop]
    spectrum: np.ndarray = np.fft.rfft(windows * _WINDOW, axis=1)
    return spectrum


def _sound(spectrum: np.ndarray, length: int) -> np.ndarray:
    """The (length,) sound of which `_spectrum` with HOP is the spectrum."""
    pieces = np.fft.irfft(spectrum, axis=1) * _WINDOW
    sound = np.zeros(len(pieces) * HOP + SIZE - HOP)
    for k in range(SIZE // HOP):
        part = pieces[:, k * HOP : (k + 1) * HOP].reshape(-1)
        sound[k * HOP : k * HOP + len(part)] += part
    return sound[SIZE // 2 : SIZE // 2 + length]


def _cells(spectrum: np.ndarray, hops: int) -> np.ndarray:
    """(n, BANDS) dB: the level of the cell that begins with each window; ``hops``: windows from one
    HOP to the next."""
    magnitude = np.abs(spectrum[:, FIRST : FIRST + WIDTH * BANDS])
    level = 20 * np.log10(magnitude + 1e-5).reshape(len(magnitude), BANDS, WIDTH).mean(axis=2)
    count = max(0, len(level) - (CELL - 1) * hops)
    return sum((level[k * hops : k * hops + count] for k in range(CELL)), np.zeros(())) / CELL


def _apart(cells: np.ndarray, apart: int) -> np.ndarray:
    """(n, BANDS) dB: what cells have above the five bands around them, less half of what those
    before and after them have; ``apart``: entries from one to the next."""
    padded = np.pad(cells, ((0, 0), (2, 2)), mode="edge")
    own = cells - sum(padded[:, k : k + BANDS] for k in range(5)) / 5
    result = own.copy()
    result[apart:] -= own[:-apart] / 4
    result[:-apart] -= own[apart:] / 4
    return np.clip(result, -OUTLIER, OUTLIER)


def _found(recording: Recording) -> Iterator[tuple[float, float]]:
    """Marks in any order, each of three seconds at most, of which some may touch or overlap."""
    end, beyond = round(recording.seconds * RATE), LONGEST * ROW
    for first in range(0, end, BLOCK * RATE):
        last = min(end, first + BLOCK * RATE + beyond * STEP)
        sound = recording.resampled(first, last, RATE).astype(np.float64)
        apart = _apart(_cells(_spectrum(sound, STEP), HOP // STEP), ROW)
        plain, rows = _plainest(apart)
        count = min(len(plain), BLOCK * RATE // STEP)
        while count and plain[:count].max() > LEAST:
            start = int(plain[:count].argmax())
            stop = start + int(rows[start]) * ROW
            yield (first + start * STEP) / RATE, (first + stop * STEP) / RATE
            # What is found speaks for no other mark.
            apart[max(0, start - ROW + 1) : stop] = 0.0
            near = slice(max(0, start - beyond), stop)
            some = _plainest(apart[near.start : stop + beyond])
            plain[near], rows[near] = (each[: len(plain[near])] for each in some)


def _plainest(apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) each, for every place where a mark may begin: how plain the plainest is there, in
    standard deviations, and of how many rows; apart: (n, BANDS) dB, of cells in steps of STEP."""
    agree, power = apart @ SIGNS.T, np.square(apart).sum(axis=1)
    total, squares = np.zeros(len(apart)), np.full(len(apart), 1e-9)
    plain, rows = np.zeros(len(apart)), np.zeros(len(apart), int)
    for k in range(min(LONGEST, -(-len(apart) // ROW))):
        count = len(apart) - k * ROW
        total[:count] += agree[k * ROW :, k % ROWS]
        squares[:count] += power[k * ROW :]
        if k + 1 >= SHORTEST:
            here = total[:count] / np.sqrt(squares[:count])
            better = here > plain[:count]
            plain[:count][better], rows[:count][better] = here[better], k + 1
    return plain, rows
