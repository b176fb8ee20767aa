"""Does a patch sound like its recording? Resynthesised parts of clips, compared with the originals.

    python -m evaluation.sound.sound_match [--clips 24]

Reads the corpora in A3T_CORPORA. The middle third of each held-out clip's phones is filled with its
own phones and durations, vocoded, and matched to the recording (`a3t.audio.matching.match_options`)
by one step, by all or by none; the reference is the original sound. Each clip is used as it is,
coloured by a random equaliser, with room noise at 20 dB, band-limited like a telephone, resampled
to 48 kHz, and with a vocoder limited to 8 kHz, which simulates a missing band above 12 kHz, since
no corpus here has that band. One thread.
"""

from __future__ import annotations

import tempfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import soundfile
import soxr
import torch
from scipy.signal import firwin, firwin2, lfilter, oaconvolve

from a3t.audio.analysis.mel import log_mel
from a3t.audio.analysis.room_tone import find_room_tone
from a3t.audio.matching import sound_matching as own_sound
from a3t.audio.matching.match_options import MatchedTraits
from a3t.audio.matching.sound_matching import MEL_TOP, Neighbour, OwnSound
from a3t.audio.matching.spectra import decibels, frequencies, spectra
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.fades import rms
from a3t.audio.splicing.rate_and_level import resample_patch
from a3t.editor import Editor
from a3t.grid import HOP, SAMPLE_RATE
from a3t.model.filling import MaskedMel, fill
from a3t.text.phones import PHONES
from alignment import Alignment, Phone, Word, pause
from evaluation.clips import HeldOutClip, draw_clips
from evaluation.harness.programs import program_parser
from training.corpora import corpora_root, read_corpora

CONTEXT = 120  # frames on each side, as in an edit
CLEAR = 4  # frames beside the region that are not learnt from
FLOOR_DB = -95.0  # re full scale, per bin; quieter levels are clipped to it
STEPS = {
    "nothing": MatchedTraits(False, False, False),
    "bandwidth": MatchedTraits(True, False, False),
    "spectrum": MatchedTraits(False, True, False),
    "room tone": MatchedTraits(False, False, True),
    "all three": MatchedTraits(),
}

Sound = np.ndarray


def coloured(sound: Sound, draw: np.random.Generator) -> tuple[Sound, int]:
    hertz = np.array([0, 200, 500, 1000, 2000, 4000, 8000, 12000])
    gains = 10 ** (draw.uniform(-6, 6, len(hertz)) / 20)
    return oaconvolve(sound, firwin2(1023, hertz, gains, fs=SAMPLE_RATE), "same"), SAMPLE_RATE


def noisy(sound: Sound, draw: np.random.Generator) -> tuple[Sound, int]:
    noise = lfilter([1.0], [1.0, -0.97], draw.standard_normal(len(sound)))
    return sound + 0.1 * rms(sound) * noise / rms(noise), SAMPLE_RATE


def telephone(sound: Sound, draw: np.random.Generator) -> tuple[Sound, int]:
    low = soxr.resample(sound, SAMPLE_RATE, 16_000)
    band = firwin(513, [300, 3400], pass_zero=False, fs=16_000)
    return oaconvolve(low, band, "same") + 2e-5 * draw.standard_normal(len(low)), 16_000


def resampled(sound: Sound, draw: np.random.Generator) -> tuple[Sound, int]:
    return soxr.resample(sound, SAMPLE_RATE, 48_000), 48_000


def as_it_is(sound: Sound, draw: np.random.Generator) -> tuple[Sound, int]:
    return sound, SAMPLE_RATE


CONDITIONS: dict[str, Callable[[Sound, np.random.Generator], tuple[Sound, int]]] = {
    "as it is": as_it_is,
    "coloured": coloured,
    "noise at 20 dB": noisy,
    "telephone": telephone,
    "at 48 kHz": resampled,
    "vocoder to 8 kHz": as_it_is,
}


@dataclass(frozen=True)
class RemadeStretch:
    """A resynthesised stretch at the recording's rate, its original, and its neighbours."""

    made: Sound
    true: Sound
    rate: int
    neighbours: tuple[Neighbour, ...]
    recording: Recording
    alignment: Alignment
    first: int


def make_case(editor: Editor, item: HeldOutClip, condition: str, folder: Path) -> RemadeStretch:
    """Put a clip under a condition and fill its middle third."""
    draw = np.random.default_rng(zlib.crc32(item.name.encode()))
    sound, rate = CONDITIONS[condition](item.samples.astype(np.float64), draw)
    path = folder / "recording.wav"
    soundfile.write(path, np.clip(sound, -1, 1), rate, "PCM_24")
    recording = Recording.open(path)
    mono = recording.resampled(0, len(item.mel) * HOP, SAMPLE_RATE)
    first, last = item.frames(item.region)
    begin, end = max(0, first - CONTEXT), min(int(item.durations.sum()), last + CONTEXT)
    owner = np.repeat(np.arange(len(item.phones)), item.durations)[begin:end]
    phones, place = np.unique(owner, return_inverse=True)
    masked = np.zeros(end - begin, bool)
    masked[first - begin : last - begin] = True
    mel = log_mel(mono)[begin:end]
    filled = fill(editor.model, MaskedMel(mel, masked, item.phones[phones].tolist(), place))
    vocoded = editor.vocoder(filled).numpy()
    if condition == "vocoder to 8 kHz":
        low = soxr.resample(soxr.resample(vocoded, SAMPLE_RATE, 16_000), 16_000, SAMPLE_RATE)
        vocoded = np.pad(low, (0, max(0, len(vocoded) - len(low))))[: len(vocoded)]

    def both(start: int, stop: int) -> tuple[Sound, Sound]:
        made, at = resample_patch(
            vocoded[(start - begin) * HOP : (stop - begin) * HOP], start * HOP, rate
        )
        real = recording.mono(at, min(at + len(made), recording.samples)).astype(np.float64)
        return real, made[: len(real)]

    sides = [(begin, first - CLEAR), (last + CLEAR, end)]
    neighbours = tuple(Neighbour(*both(*side)) for side in sides if side[0] < side[1])
    true, made = both(first, last)
    middle = round(first * HOP * rate / SAMPLE_RATE)
    return RemadeStretch(made, true, rate, neighbours, recording, aligned(item), middle)


def aligned(item: HeldOutClip) -> Alignment:
    """The item's phones as an alignment, a word each."""
    edges = np.concatenate([[0], np.cumsum(item.durations)]) * HOP / SAMPLE_RATE
    words = []
    for phone, word, start, end in zip(item.phones, item.words, edges, edges[1:], strict=False):
        if word < 0:
            words.append(pause(start, end))
        else:
            words.append(Word("word", start, end, 1.0, (Phone(PHONES[phone], start, end),)))
    return Alignment(tuple(words), float(edges[-1]))


def given(case: RemadeStretch, match: MatchedTraits) -> Sound:
    """What was made, with the recording's own sound."""
    tone = find_room_tone(case.recording, case.alignment, case.first) if match.room_tone else None
    own = OwnSound(match, case.neighbours, tone, 0)
    real = np.concatenate([neighbour.real for neighbour in case.neighbours])
    return own.in_its_room(own.coloured(case.made, case.rate)[:, None], rms(real))[:, 0]


def errors(made: Sound, true: Sound, rate: int) -> list[float]:
    """In dB: log-spectral distance in third-octave bands, below and above the mel's upper limit;
    bias of the level above it; difference of the quietest tenth of the frames."""
    edges = 100 * 2 ** (np.arange(25) / 3)
    edges = edges[edges <= rate / 2]
    hertz = frequencies(rate)
    levels = []
    for sound in (made, true):
        power = np.square(np.abs(spectra(sound, rate)[6:-6]))
        bands = [
            power[:, (a <= hertz) & (hertz < b)] for a, b in zip(edges, edges[1:], strict=False)
        ]
        means = np.stack([band.mean(axis=1) for band in bands if band.size], axis=1)
        levels.append(np.maximum(decibels(means, rate), FLOOR_DB))
    full = [((a <= hertz) & (hertz < b)).any() for a, b in zip(edges, edges[1:], strict=False)]
    top = edges[1:][full] > MEL_TOP * 1.1
    difference = levels[0] - levels[1]
    low, high = (
        float(np.sqrt(np.square(difference[:, part]).mean(axis=1)).mean()) if part.any() else np.nan
        for part in (~top, top)
    )
    bias = float(difference[:, top].mean()) if top.any() else np.nan
    quiet = np.quantile(levels[0], 0.1, axis=0) - np.quantile(levels[1], 0.1, axis=0)
    return [low, high, bias, float(np.abs(quiet).mean())]


def mean(values: tuple[float, ...]) -> str:
    """The mean of the values that are not NaN."""
    valid = [value for value in values if not np.isnan(value)]
    return f"{np.mean(valid):.2f}" if valid else "–"


def limits(condition: str) -> AbstractContextManager[object]:
    if condition != "vocoder to 8 kHz":
        return nullcontext()
    return mock.patch.multiple(own_sound, VOCODER_TOP=7_700.0, FADE_HERTZ=200.0)


def cases(
    editor: Editor, items: list[HeldOutClip], condition: str, folder: Path
) -> Iterator[RemadeStretch]:
    for item in items:
        if item.rate > 16_000 or condition != "vocoder to 8 kHz":
            yield make_case(editor, item, condition, folder)


def main() -> None:
    parser = program_parser("sound.sound_match", __doc__, clips=24)
    options = parser.parse_args()
    torch.set_num_threads(1)
    editor = Editor.load()
    items = list(draw_clips(read_corpora(corpora_root()), options.clips))
    print(
        "| recording | clips | given | below 7.6 kHz | above | too loud above | quietest tenth |\n"
        "|---|---|---|---|---|---|---|"
    )
    for condition in CONDITIONS:
        found = defaultdict(list)
        with tempfile.TemporaryDirectory() as temporary, limits(condition):
            for case in cases(editor, items, condition, Path(temporary)):
                for step, match in STEPS.items():
                    found[step].append(errors(given(case, match), case.true, case.rate))
        for step, rows in found.items():
            figures = " | ".join(map(mean, zip(*rows, strict=True)))
            print(f"| {condition} | {len(rows)} | {step} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
