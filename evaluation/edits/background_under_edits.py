"""Hum, music and noise under an edit.

Held-out clips with a background under the speech, two words of each replaced. For a hum (50 Hz and
harmonics) and a held chord: the deepest fall of the background's own frequencies within the new
words, in pieces of 0.2 s, with and without what carries steady tones on. For these, for music that
changes, pink noise and another talker: how often the edit says that music will break off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
import soundfile
import soxr

from a3t.audio.analysis.background import find_steady_tones, music_under
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.text.transcript import Transcript
from evaluation.harness.declared_tables import Column, Row, Table, count, share
from evaluation.harness.measurement import Measurement, Setting, repeated
from evaluation.hearing.planting import aligner_held_out, chosen
from training.alignment.distortions import SAMPLE_RATE_HZ, music
from training.corpora import Clip
from training.programs import counts

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
        made = music(round(count / rate * SAMPLE_RATE_HZ) + SAMPLE_RATE_HZ, draw)
        return np.asarray(soxr.resample(made, SAMPLE_RATE_HZ, rate)[:count])
    if kind == "pink noise":
        spectrum = np.fft.rfft(draw.standard_normal(count))
        return np.fft.irfft(spectrum / np.sqrt(np.arange(len(spectrum)) + 1), count)
    if kind == "another talker":
        sound, own = soundfile.read(str(other.path), always_2d=True)
        return np.resize(soxr.resample(sound.mean(axis=1), own, rate), count)
    return np.zeros(count)


def strength(sound: np.ndarray, frequencies: Sequence[float], rate: int) -> float:
    """Return the power at these frequencies, dB."""
    time, window = np.arange(len(sound)) / rate, np.hanning(len(sound))
    found = [np.sum(sound * window * np.exp(-2j * np.pi * f * time)) for f in frequencies]
    return float(10 * np.log10(np.sum(np.square(np.abs(found))) + 1e-20))


def falls(editor: Editor, wav: Path, clip: Clip, kind: str, added: np.ndarray) -> Iterator[float]:
    """Return the deepest fall without and with the tones carried on, dB."""
    words = list(Transcript.from_text(clip.text).spoken)
    middle = len(words) // 2
    new = [*words[:middle], "never", "again", *words[middle + 2 :]]
    plan = editor.plan(wav, text=" ".join(words), new_text=" ".join(new), verify=False)
    rate = plan.recording.sample_rate
    size = round(PIECE * rate)
    wanted = strength(added[:size], TONES[kind], rate)
    for carried in (False, True):
        with mock.patch("a3t.rendering.renderer.find_steady_tones", return_value=None) as nothing:
            if carried:
                nothing.side_effect = find_steady_tones
            made = editor.render(plan).patches[0].samples.mean(axis=1)
        pieces = [made[k : k + size] for k in range(0, len(made) - size, size // 2)]
        yield min(strength(piece, TONES[kind], rate) for piece in pieces) - wanted


class BackgroundTask(NamedTuple):
    """A clip with a background at a level, dB beside the speech; ``other`` may talk in it."""

    name: str
    number: int
    clip: Clip
    other: Clip
    kind: str
    level: float


def backgrounds(setting: Setting) -> Iterator[BackgroundTask]:
    """List every background under every clip."""
    wanted = setting.options.clips
    fitting = chosen(aligner_held_out(), 6 * wanted, setting.options.seed)
    clips = [clip for clip in fitting if clip.seconds >= SHORTEST][:wanted]
    for kind in setting.options.kind or KINDS:
        for level in (-10.0, -20.0) if kind != "nothing" else (-np.inf,):
            for k, clip in enumerate(clips):
                other = clips[(k + 5) % len(clips)]
                yield BackgroundTask(clip.name, k, clip, other, kind, level)


def measure(task: BackgroundTask, setting: Setting) -> Iterator[Row]:
    """Return the share of edits that warn of music, and the drop of tones."""
    sound, rate = soundfile.read(str(task.clip.path), always_2d=True)
    speech = sound.mean(axis=1)
    added = background(task.kind, task.number, len(speech), rate, task.other)
    power = np.mean(np.square(added)) or 1.0
    added *= np.sqrt(np.mean(np.square(speech)) / power) * 10 ** (task.level / 20)
    wav = setting.folder / "talk.wav"
    soundfile.write(wav, (speech + added) / 2, rate)
    recording = Recording.open(wav)
    half = recording.samples // 2
    aligned = setting.editor.align(recording, task.clip.text)
    row: Row = {"background": task.kind, "dB": f"{task.level:g}"}
    row["said"] = music_under(recording, aligned, half, half) is not None
    if task.kind in TONES:
        row["without"], row["with"] = falls(setting.editor, wav, task.clip, task.kind, added / 2)
    yield row


def _falls(head: str, name: str, worst: bool = False) -> Column:
    of = np.min if worst else np.median
    return Column(head, lambda rows: float(of([row[name] for row in rows])), ".1f")


MEASUREMENT = Measurement(
    backgrounds,
    measure,
    [
        Table(
            (
                count("clips"),
                _falls("fall without", "without"),
                _falls("worst without", "without", True),
                _falls("fall with", "with"),
                _falls("worst with", "with", True),
                share("music said", "said", ".0f"),
            ),
            ("background", "dB"),
        )
    ],
    (*counts(clips=16, seed=3), repeated("--kind", KINDS, choices=KINDS)),
    legend="Falls in dB, of tones that are carried on and are not; music said: per cent.",
)
