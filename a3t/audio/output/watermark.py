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

MARK_RATE_HZ = 16_000  # Hz
MARK_WINDOW_SAMPLES, MARK_HOP_SAMPLES = 512, 256  # at MARK_RATE_HZ
CELL_WINDOWS = 4  # windows, 64 ms
FIRST_BIN, BAND_BINS, MARK_BANDS = 10, 3, 55  # bins: 312 Hz on, 94 Hz a band, to 5.5 kHz
MARK_ROWS = 16  # of cells, after which the signs begin again: about a second
PERIOD_SAMPLES = MARK_ROWS * CELL_WINDOWS * MARK_HOP_SAMPLES  # samples
SIGNS = np.random.default_rng(2003).choice([-1.0, 1.0], (MARK_ROWS, MARK_BANDS))
_WINDOW = np.sqrt(np.hanning(MARK_WINDOW_SAMPLES + 1)[:-1])

AGREEMENT = 2.1  # of a row of cells with its signs, in standard deviations, that a mark has
MAX_CHANGE_DB = 2.0  # dB by which a cell is changed
PASSES = 4
MARK_FADE_S = 0.015  # seconds at either end

STEP_SAMPLES = 128  # samples from one place where a mark may begin to the next
# Such steps from one row of cells to the next.
ROW_STEPS = CELL_WINDOWS * MARK_HOP_SAMPLES // STEP_SAMPLES
MIN_ROWS, MAX_ROWS = 4, 48  # rows that are judged together: from a quarter of a second to three
# Standard deviations; 14 hours without a mark have 5.6 at most (docs/log.md). What begins inside a
# mark could begin with any of its rows, and is less likely.
MIN_DEVIATIONS, CUT_DEVIATIONS = 6.0, 0.4
OUTLIER_DB = 6.0  # dB
MARK_BLOCK_S = 60  # seconds that are searched at once
MAX_GAP_S = 0.3  # seconds between marks that are told as one


def with_watermark(samples: np.ndarray, rate: int) -> np.ndarray:
    """Return the sound with a mark in it.

    samples: (n,) or (n, channels), full scale at 1, at ``rate`` Hz. The result has their shape and
    type, and is no louder than full scale, or than they are. The same sound gets the same mark.
    """
    result = np.array(samples)
    length = _period(rate)
    for first in range(0, len(samples), length):
        piece = samples[first : first + length].astype(np.float64)
        place = (np.arange(len(piece)) + 0.5) / rate
        fade = np.clip(np.minimum(place, place[::-1]) / MARK_FADE_S, 0.0, 1.0)
        for channel in np.ndindex(samples.shape[1:]):
            selection = (slice(None), *channel)
            change = _change(soxr.resample(piece[selection], rate, MARK_RATE_HZ))
            change = soxr.resample(change, MARK_RATE_HZ, rate)[: len(piece)]
            result[first : first + len(change)][selection] += change * fade[: len(change)]
        most = max(1.0, float(np.abs(piece).max()))
        np.clip(result[first : first + length], -most, most, out=result[first : first + length])
    return result


def pieces_with_watermark(pieces: Iterable[np.ndarray], rate: int) -> Iterator[np.ndarray]:
    """Yield the pieces (n,) of a sound as `with_watermark` makes the whole, once they are known."""
    length, waiting = _period(rate), np.empty(0, np.float32)
    for piece in pieces:
        waiting = np.concatenate([waiting, piece])
        if ready := len(waiting) // length * length:
            yield with_watermark(waiting[:ready], rate)
            waiting = waiting[ready:]
    if len(waiting):
        yield with_watermark(waiting, rate)


def watermarks_in(recording: Recording) -> list[tuple[float, float]]:
    """Return the marks of a recording: [start, end) in seconds, in order.

    One of less than a second, or of little bandwidth, may be overlooked.
    """
    marks: list[tuple[float, float]] = []
    for start, end in sorted(_found(recording)):
        if marks and start - marks[-1][1] < MAX_GAP_S:
            marks[-1] = marks[-1][0], max(marks[-1][1], end)
        else:
            marks.append((start, end))
    return marks


def _period(rate: int) -> int:
    """Return the samples at ``rate`` Hz after which a mark begins again."""
    return round(PERIOD_SAMPLES / MARK_RATE_HZ * rate)


def _change(sound: np.ndarray) -> np.ndarray:
    """Return the sound that marks a sound (n,) at `MARK_RATE_HZ` when it is added.

    The sound has at most `PERIOD_SAMPLES`.
    """
    spectrum = _spectrum(sound, MARK_HOP_SAMPLES)
    rows = -(-len(spectrum) // CELL_WINDOWS)
    signs = np.resize(SIGNS, (rows, MARK_BANDS))
    gains = np.zeros(rows)  # dB
    made = sound
    for _ in range(PASSES):
        cells = _cells(_spectrum(made, MARK_HOP_SAMPLES), 1)[::CELL_WINDOWS]
        apart = _apart(cells, 1)
        spread = np.sqrt(np.square(apart).sum(axis=1)) + 1e-9
        lacks = AGREEMENT - (apart * signs[: len(apart)]).sum(axis=1) / spread
        gains[: len(apart)] += 0.6 * lacks
        gains[len(apart) :] = gains[len(apart) - 1] if len(apart) else 0.0
        gains = np.clip(gains, 0.0, MAX_CHANGE_DB)
        louder = np.zeros(spectrum.shape)
        changes = gains[:, None] * signs - _mean_power(gains)[:, None]
        bands = np.repeat(changes, BAND_BINS, axis=1)
        louder[:, FIRST_BIN : FIRST_BIN + BAND_BINS * MARK_BANDS] = np.repeat(
            bands, CELL_WINDOWS, axis=0
        )[: len(spectrum)]
        made = _sound(spectrum * 10 ** (louder / 20), len(sound))
    return made - sound


def _mean_power(gains: np.ndarray) -> np.ndarray:
    """Return the dB of power that cells gain, half of them so many dB louder and half softer."""
    return 10 * np.log10(np.cosh(np.log(10) / 10 * gains))


def _spectrum(sound: np.ndarray, hop: int) -> np.ndarray:
    """Transform the sound into (frames, bins) complex, a frame every ``hop`` samples.

    Window k's middle lies at k · hop, the last one's after the end.
    """
    padded = np.pad(sound, (MARK_WINDOW_SAMPLES // 2, MARK_WINDOW_SAMPLES))
    windows = np.lib.stride_tricks.sliding_window_view(padded, MARK_WINDOW_SAMPLES)[::hop]
    spectrum: np.ndarray = np.fft.rfft(windows * _WINDOW, axis=1)
    return spectrum


def _sound(spectrum: np.ndarray, length: int) -> np.ndarray:
    """Return the sound (length,) of which `_spectrum` with `MARK_HOP_SAMPLES` is the spectrum."""
    pieces = np.fft.irfft(spectrum, axis=1) * _WINDOW
    sound = np.zeros(len(pieces) * MARK_HOP_SAMPLES + MARK_WINDOW_SAMPLES - MARK_HOP_SAMPLES)
    for k in range(MARK_WINDOW_SAMPLES // MARK_HOP_SAMPLES):
        part = pieces[:, k * MARK_HOP_SAMPLES : (k + 1) * MARK_HOP_SAMPLES].reshape(-1)
        sound[k * MARK_HOP_SAMPLES : k * MARK_HOP_SAMPLES + len(part)] += part
    return sound[MARK_WINDOW_SAMPLES // 2 : MARK_WINDOW_SAMPLES // 2 + length]


def _cells(spectrum: np.ndarray, hops: int) -> np.ndarray:
    """Return the level of the cell that begins with each window, (n, MARK_BANDS) dB.

    ``hops``: windows from one hop to the next.
    """
    magnitude = np.abs(spectrum[:, FIRST_BIN : FIRST_BIN + BAND_BINS * MARK_BANDS])
    level = 20 * np.log10(magnitude + 1e-5).reshape(len(magnitude), MARK_BANDS, BAND_BINS).mean(
        axis=2
    )
    count = max(0, len(level) - (CELL_WINDOWS - 1) * hops)
    return (
        sum((level[k * hops : k * hops + count] for k in range(CELL_WINDOWS)), np.zeros(()))
        / CELL_WINDOWS
    )


def _apart(cells: np.ndarray, apart: int) -> np.ndarray:
    """Return what cells have above the five bands around them, (n, MARK_BANDS) dB.

    Half of what those before and after them have is taken off; ``apart``: entries from one to the
    next.
    """
    padded = np.pad(cells, ((0, 0), (2, 2)), mode="edge")
    levels = cells - sum(padded[:, k : k + MARK_BANDS] for k in range(5)) / 5
    result = levels.copy()
    result[apart:] -= levels[:-apart] / 4
    result[:-apart] -= levels[apart:] / 4
    return np.clip(result, -OUTLIER_DB, OUTLIER_DB)


def _found(recording: Recording) -> Iterator[tuple[float, float]]:
    """Yield marks in any order, each of three seconds at most; some may touch or overlap."""
    end, beyond = round(recording.seconds * MARK_RATE_HZ), MAX_ROWS * ROW_STEPS
    for first in range(0, end, MARK_BLOCK_S * MARK_RATE_HZ):
        last = min(end, first + MARK_BLOCK_S * MARK_RATE_HZ + beyond * STEP_SAMPLES)
        sound = recording.resampled(first, last, MARK_RATE_HZ).astype(np.float64)
        apart = _apart(
            _cells(_spectrum(sound, STEP_SAMPLES), MARK_HOP_SAMPLES // STEP_SAMPLES), ROW_STEPS
        )
        plain, rows = _plainest(apart)
        count = min(len(plain), MARK_BLOCK_S * MARK_RATE_HZ // STEP_SAMPLES)
        while count and plain[:count].max() > MIN_DEVIATIONS:
            start = int(plain[:count].argmax())
            stop = start + int(rows[start]) * ROW_STEPS
            yield (
                (first + start * STEP_SAMPLES) / MARK_RATE_HZ,
                (first + stop * STEP_SAMPLES) / MARK_RATE_HZ,
            )
            # What is found speaks for no other mark.
            apart[max(0, start - ROW_STEPS + 1) : stop] = 0.0
            near = slice(max(0, start - beyond), stop)
            some = _plainest(apart[near.start : stop + beyond])
            plain[near], rows[near] = (each[: len(plain[near])] for each in some)


def _plainest(apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how plain the plainest mark is at each place, and of how many rows, (n,) each.

    It is plain by so many standard deviations. apart: (n, MARK_BANDS) dB, of cells in steps of
    STEP_SAMPLES.
    """
    agree = (apart @ np.tile(SIGNS, (2, 1)).T).astype(np.float32)
    power = np.square(apart).sum(axis=1)
    total = np.zeros((len(apart), MARK_ROWS), np.float32)
    squares = np.full(len(apart), 1e-9)
    plain, rows = np.zeros(len(apart)), np.zeros(len(apart), int)
    for k in range(min(MAX_ROWS, -(-len(apart) // ROW_STEPS))):
        count = len(apart) - k * ROW_STEPS
        # Column j: of a stretch that begins with row j of the signs, as one that is cut out does.
        total[:count] += agree[k * ROW_STEPS :, k % MARK_ROWS :][:, :MARK_ROWS]
        squares[:count] += power[k * ROW_STEPS :]
        if k + 1 >= MIN_ROWS:
            spread = np.sqrt(squares[:count])
            cut = total[:count, 1:].max(axis=1) / spread - CUT_DEVIATIONS
            here = np.maximum(total[:count, 0] / spread, cut)
            better = here > plain[:count]
            plain[:count][better], rows[:count][better] = here[better], k + 1
    return plain, rows
