"""Hum, music and noise under an edit: python -m evaluation.sound.background_under_edits

Held-out clips with a background under the speech, two words of each replaced. For a hum (50 Hz and
harmonics) and a held chord: the deepest fall of the background's own frequencies within the new
words, in pieces of 0.2 s, with and without what carries steady tones on. For these, for music that
changes, pink noise and another talker: how often the edit says that music will break off.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

import numpy as np
import soundfile
import soxr

from a3t.audio.analysis.background import music_under
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from evaluation.harness.programs import program_parser
from evaluation.hearing.planting import aligner_held_out, chosen
from training.alignment.degradation import RATE, music
from training.corpora import Clip

TONES = {"hum": [50.0 * k for k in (1, 2, 3, 4, 6)], "held chord": [220.0, 277.2, 329.6, 440.3]}
KINDS = (*TONES, "music", "pink noise", "another talker", "nothing")
PIECE = 0.2  # seconds
SHORTEST = 5.0


def background(kind: str, number: int, count: int, rate: int, other: Clip) -> np.ndarray:
    """(count,) of a kind."""
    draw, time = np.random.default_rng(number), np.arange(count) / rate
    if kind in TONES:
        return np.sum([np.sin(2 * np.pi * f * time + f) for f in TONES[kind]], axis=0)
    if kind == "music":
        made = music(round(count / rate * RATE) + RATE, draw)
        return np.asarray(soxr.resample(made, RATE, rate)[:count])
    if kind == "pink noise":
        spectrum = np.fft.rfft(draw.standard_normal(count))
        return np.fft.irfft(spectrum / np.sqrt(np.arange(len(spectrum)) + 1), count)
    if kind == "another talker":
        sound, own = soundfile.read(str(other.path), always_2d=True)
        return np.resize(soxr.resample(sound.mean(axis=1), own, rate), count)
    return np.zeros(count)


def strength(sound: np.ndarray, frequencies: Sequence[float], rate: int) -> float:
    """The power at these frequencies, dB."""
    time, window = np.arange(len(sound)) / rate, np.hanning(len(sound))
    found = [np.sum(sound * window * np.exp(-2j * np.pi * f * time)) for f in frequencies]
    return float(10 * np.log10(np.sum(np.square(np.abs(found))) + 1e-20))


def falls(editor: Editor, wav: Path, clip: Clip, kind: str, added: np.ndarray) -> Iterator[float]:
    """The deepest one without and with the tones carried on, dB."""
    words = list(Transcript.from_text(clip.text).spoken)
    middle = len(words) // 2
    new = [*words[:middle], "never", "again", *words[middle + 2 :]]
    plan = editor.plan(wav, text=" ".join(words), new_text=" ".join(new), verify=False)
    rate = plan.recording.sample_rate
    size = round(PIECE * rate)
    wanted = strength(added[:size], TONES[kind], rate)
    for carried in (False, True):
        with mock.patch("a3t.rendering.joining.find_steady_tones", return_value=None) as nothing:
            if carried:
                nothing.side_effect = find
            made = editor.render(plan).patches[0].samples.mean(axis=1)
        pieces = [made[k : k + size] for k in range(0, len(made) - size, size // 2)]
        yield min(strength(piece, TONES[kind], rate) for piece in pieces) - wanted


def main(arguments: Sequence[str] | None = None) -> int:
    parser = program_parser("sound.background_under_edits", __doc__, clips=16, seed=3)
    options = parser.parse_args(arguments)
    editor = Editor.load()
    clips = [
        clip
        for clip in chosen(aligner_held_out(), 6 * options.clips, options.seed)
        if clip.seconds >= SHORTEST
    ][: options.clips]
    print(
        "| background | dB beside the speech | falls: before | worst | now | worst | music said |"
    )
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "talk.wav"
        for kind in KINDS:
            for level in (-10.0, -20.0) if kind != "nothing" else (-np.inf,):
                said, found = [], []
                for number, clip in enumerate(clips):
                    sound, rate = soundfile.read(str(clip.path), always_2d=True)
                    speech, other = sound.mean(axis=1), clips[(number + 5) % len(clips)]
                    added = background(kind, number, len(speech), rate, other)
                    power = np.mean(np.square(added)) or 1.0
                    added *= np.sqrt(np.mean(np.square(speech)) / power) * 10 ** (level / 20)
                    soundfile.write(wav, (speech + added) / 2, rate)
                    recording = Recording.open(wav)
                    half = recording.samples // 2
                    try:
                        aligned = editor.align(recording, clip.text)
                        said.append(music_under(recording, aligned, half, half) is not None)
                        if kind in TONES:
                            found.append([*falls(editor, wav, clip, kind, added / 2)])
                    except (AlignmentError, InputError, ValueError):
                        continue
                row = " |  |  |  | "
                if found:
                    before, now = np.array(found).T
                    figures = (np.median(before), before.min(), np.median(now), now.min())
                    row = " | " + " | ".join(f"{x:.1f}" for x in figures) + " | "
                print(f"| {kind} | {level:g}{row}{np.mean(said):.0%} of {len(said)} |", flush=True)
    return 0


def find(*arguments: object) -> object:
    from a3t.audio.analysis import steady_tones

    return steady_tones.find_steady_tones(*arguments)  # type: ignore[arg-type]


if __name__ == "__main__":
    sys.exit(main())
