"""Hums and whines planted under speech, found or not: python -m evaluation.sound.planted_hums

Held-out clips with the mains under them (50 or 60 Hz and harmonics) or a whine of 1 to 8 kHz, at
several levels below the speech; as recorded, in pink noise, in a room. *Found*: the share of the
tones that are audible there and are found beside a place in the middle; then of those that are
audible by 12 dB or more. A tone is audible that lies above the threshold of hearing, with speech at
65 dB (Terhardt 1979, "Calculating virtual pitch"), and above what the clip's quietest moments have
within its critical band.

*False*: places at which a tone is found where there is none. To be sure of that, the clips are
played at a speed that rises throughout by a quarter, in which no tone of their own stays steady.
"Joined": three clips in a row, digital silence between them; "gated": quiet moments are digital
silence.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.analysis.steady_tones import find_steady_tones
from a3t.audio.reading.recording import Recording
from a3t.grid import SAMPLE_RATE
from evaluation.harness.programs import program_parser
from evaluation.hearing.planting import aligner_held_out, chosen
from training.corpora.decoding import decode_floats
from training.sounds import coloured_noise, reverberant, speech_level, with_noise

LEVELS = (-20.0, -30.0, -40.0, -50.0)  # dB, of all of a hum beside the speech
CONDITIONS = ("as recorded", "noise 20 dB", "room")
SPEECH_SPL = 65.0  # dB
SPAN = 0.4  # seconds that would be replaced
SHORTEST = 6.0
Floats = np.ndarray
SILENCES = (0.3, 0.8)
NEAR = 0.3  # Hz
CLEARLY = 12.0  # dB
RISE = 0.12  # of the speed, either way from the middle


Planter = Callable[[np.random.Generator], tuple[Floats, Floats]]


def hum(draw: np.random.Generator) -> tuple[Floats, Floats]:
    """Its tones' frequencies and their amplitudes relative to each other."""
    base = draw.choice([50.0, 60.0]) * (1 + draw.uniform(-1e-3, 1e-3))
    orders = np.arange(1, 9)
    return base * orders, draw.uniform(0.2, 1.0, len(orders)) / orders**0.5


def whine(draw: np.random.Generator) -> tuple[Floats, Floats]:
    return np.array([draw.uniform(1000, 8000)]), np.ones(1)


def threshold_of_hearing(hertz: Floats) -> Floats:
    """dB SPL."""
    k = hertz / 1000
    return np.asarray(3.64 * k**-0.8 - 6.5 * np.exp(-0.6 * np.square(k - 3.3)) + 1e-3 * k**4)


def audible_by(speech: Floats, frequencies: Floats, amplitudes: Floats) -> Floats:
    """By how many dB the tones are audible under the speech (n,), where it pauses."""
    size = round(0.1 * SAMPLE_RATE)
    frames = np.lib.stride_tricks.sliding_window_view(speech, size)[:: size // 2] * np.hanning(size)
    power = np.square(np.abs(np.fft.rfft(frames, axis=1))) / (0.375 * size * size) * 2
    quiet = np.quantile(power, 0.1, axis=0)
    hertz = np.fft.rfftfreq(size, 1 / SAMPLE_RATE)
    full = SPEECH_SPL - 20 * np.log10(speech_level(speech))  # dB SPL of full scale
    own = 10 * np.log10(np.square(amplitudes) / 2) + full
    reach = 24.7 * (4.37 * frequencies / 1000 + 1) / 2 + 1 / (2 * 0.1)
    masks = [
        quiet[np.abs(hertz - f) <= near].sum() for f, near in zip(frequencies, reach, strict=True)
    ]
    masked = 10 * np.log10(np.array(masks) + 1e-12) + full
    return np.asarray(np.minimum(own - threshold_of_hearing(frequencies), own - masked))


def unsteady(sound: Floats) -> Floats:
    """The sound at a speed that rises evenly."""
    time = np.arange(len(sound))
    return np.interp(time + RISE * time * (time / len(sound) - 1), time, sound)


def under(condition: str, speech: Floats, draw: np.random.Generator) -> Floats:
    if condition == "noise 20 dB":
        return with_noise(speech, coloured_noise(len(speech), draw, -3.0), 20.0)
    return reverberant(speech, draw, 0.5, 3.0) if condition == "room" else speech


def found_in(sound: Floats, folder: Path, place: float = 0.5) -> Floats:
    path = folder / "sound.wav"
    peak = max(1.0, float(np.abs(sound).max()))
    soundfile.write(path, sound / peak, SAMPLE_RATE, subtype="PCM_16")
    recording = Recording.open(path)
    first = round(place * (len(sound) - SPAN * SAMPLE_RATE))
    return find_steady_tones(recording, first, first + round(SPAN * SAMPLE_RATE)).frequencies


def with_silences(sounds: Sequence[Floats], draw: np.random.Generator) -> Floats:
    parts = []
    for sound in sounds:
        parts += [sound, np.zeros(round(draw.uniform(*SILENCES) * SAMPLE_RATE))]
    return np.concatenate(parts)


def gated(sound: Floats) -> Floats:
    """Pieces of 20 ms that are 40 dB below the loudest are made silent."""
    size = SAMPLE_RATE // 50
    pieces = np.resize(sound, (len(sound) // size, size))
    power = np.square(pieces).mean(axis=1)
    return np.where((power < 1e-4 * power.max())[:, None], 0.0, pieces).reshape(-1)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = program_parser("sound.planted_hums", __doc__, clips=24, seed=5)
    parser.add_argument("--choosing", action="store_true", help="the half to choose limits on")
    parser.add_argument("--list", action="store_true", help="also list what is found falsely")
    options = parser.parse_args(arguments)
    clips = [clip for clip in aligner_held_out(not options.choosing) if clip.seconds >= SHORTEST]
    speech = [decode_floats(clip.path)[0] for clip in chosen(clips, options.clips, options.seed)]
    with tempfile.TemporaryDirectory() as folder:
        print("| hum | beside the speech | " + " | ".join(CONDITIONS) + " |")
        print("|---" * (2 + len(CONDITIONS)) + "|")
        for name, kind in (("mains", hum), ("whine", whine)):
            for level in LEVELS:
                cells = [_found(speech, kind, level, c, Path(folder)) for c in CONDITIONS]
                print(f"| {name} | {level:g} dB | " + " | ".join(cells) + " |", flush=True)
        print("\n| sound without steady tones | places | with a false tone | tones |")
        print("|---|---|---|---|")
        for condition in (*CONDITIONS, "joined", "gated"):
            print(_false(speech, condition, Path(folder), options.list), flush=True)
    return 0


def _found(
    speech: Sequence[Floats], kind: Planter, level: float, condition: str, folder: Path
) -> str:
    margins, hits = [], []
    for number, clip in enumerate(speech):
        draw = np.random.default_rng(number)
        sound = under(condition, clip, draw)
        frequencies, amplitudes = kind(draw)
        wanted = speech_level(clip) * 10 ** (level / 20)
        amplitudes *= wanted / np.sqrt(np.square(amplitudes).sum() / 2)
        time = np.arange(len(sound))[:, None] / SAMPLE_RATE
        tones = np.cos(2 * np.pi * frequencies * time + draw.uniform(0, 6, len(frequencies)))
        found = found_in(sound + tones @ amplitudes, folder)
        margins += [*audible_by(sound, frequencies, amplitudes)]
        hits += [len(found) > 0 and np.abs(found - f).min() < NEAR for f in frequencies]
    cells = []
    for least in (0.0, CLEARLY):
        own = np.array(hits)[np.array(margins) >= least]
        cells.append(f"{own.mean():.0%} of {len(own)}" if len(own) else "–")
    return "; ".join(cells)


def _false(speech: Sequence[Floats], condition: str, folder: Path, listed: bool) -> str:
    places = wrong = tones = 0
    for number, clip in enumerate(speech):
        draw = np.random.default_rng(number)
        sound = unsteady(clip)
        if condition == "joined":
            others = [unsteady(speech[(number + k) % len(speech)]) for k in (1, 2)]
            sound = with_silences([sound, *others], draw)
        elif condition == "gated":
            sound = gated(sound)
        else:
            sound = under(condition, sound, draw)
        for place in (0.35, 0.5, 0.65):
            found = found_in(sound, folder, place)
            places += 1
            wrong += len(found) > 0
            tones += len(found)
            if listed and len(found):
                print(f"clip {number} at {place}: {np.round(found, 1)} Hz")
    return f"| {condition} | {places} | {wrong} | {tones} |"


if __name__ == "__main__":
    sys.exit(main())
