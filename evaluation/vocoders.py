"""Copy-synthesis: held-out clips to mels and back, by each vocoder.

The loss here is due to the vocoder alone, and is the least that any edit costs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder import load_vocoder
from evaluation import metrics
from evaluation.clips import LOW_RATE, held_out
from evaluation.harness.declared_tables import Row, Table, count, mean
from evaluation.harness.measurement import CORPORA, Measurement, Setting
from evaluation.systems.interface import Gap
from evaluation.tables.judging import GapJudge, Made
from evaluation.tables.tasks import GIVEN, GapTask
from training.corpora import Clip, is_unseen
from training.corpora.decoding import decode_floats
from training.programs import option

Floats32 = npt.NDArray[np.float32]

USUAL = ("griffin-lim", "builtin")
UNSEEN = ", unseen voices"


@dataclass(frozen=True)
class Original:
    """A clip to copy: whole frames of it, (300 T,) at 24 kHz, and its log10 mel (T, 80)."""

    name: str
    part: str
    rate: int  # at which it was recorded
    samples: Floats32
    mel: Floats32


def draw_parts(clips: Iterable[Clip], count: int) -> list[Original]:
    """Draw up to ``count`` held-out clips of each corpus, for each of seen and unseen voices.

    A larger count includes the clips of a smaller one. Raises InputError if there are none.
    """
    clips = list(clips)
    parts: dict[str, list[Clip]] = {}
    for seen in (True, False):
        for clip in held_out(clips, seen):
            parts.setdefault(clip.corpus + ("" if seen else UNSEEN), []).append(clip)
    if not parts:
        raise InputError("The corpora have no held-out clips of 2 to 12 s: add a corpus.")
    return [_original(clip, part) for part, own in parts.items() for clip in own[:count]]


def _original(clip: Clip, part: str) -> Original:
    samples, rate = decode_floats(clip.path)
    frames = len(samples) // HOP
    samples = samples[: frames * HOP]
    return Original(clip.name, part, rate, samples, log_mel(samples)[:frames].numpy())


def judge_of(original: Original) -> GapJudge:
    """Return a judge of copies of a clip: the whole of it is the gap, its durations given."""
    none, frames = np.zeros(0, np.int64), len(original.mel)
    gap = Gap(original.mel, none, none, (0, frames), none)
    samples = original.samples
    task = GapTask(
        original.name, GIVEN, "", "", True, gap, samples, len(samples), (samples, (0, frames)), (),
        rate=SAMPLE_RATE if original.rate >= SAMPLE_RATE else LOW_RATE,
    )  # fmt: skip
    return GapJudge(task)


def copy_figures(original: Original, judge: GapJudge, samples: Floats32) -> dict[str, float]:
    """Return all figures of one copy, (300 T,) at 24 kHz.

    One is NaN where it is undefined or its package missing.
    """
    mel = log_mel(samples)[: len(original.mel)].numpy()
    found = judge.against_truth(Made(samples, (0, len(samples)), mel))
    pair = (original.samples, samples, SAMPLE_RATE)
    return {
        **found,
        "voicing": 100 * found["voicing"],
        "similarity": metrics.figure_or_nan(metrics.speaker_similarity, *pair),
    }


def originals(setting: Setting) -> list[Original]:
    """Return the clips to copy."""
    options = setting.options
    clips = [clip for clip in setting.clips if is_unseen(clip.voice) or not options.unseen]
    names = [*(() if options.only else USUAL), *(options.vocoder or ())]
    setting.known["vocoders"] = {name: load_vocoder(name) for name in names}
    for vocoder in setting.known["vocoders"].values():
        vocoder(torch.zeros(20, 80) - 3)  # the first call plans transforms and reserves memory
    return draw_parts(clips, options.clips)


def copy_clip(original: Original, setting: Setting) -> Iterator[Row]:
    """Copy a clip by every vocoder."""
    judge = judge_of(original)
    for name, vocoder in setting.known["vocoders"].items():
        begun = time.process_time()
        samples = vocoder(torch.from_numpy(original.mel)).numpy()
        spent = (time.process_time() - begun) * SAMPLE_RATE / len(samples)
        row = {"clip": original.name, "part": original.part, "vocoder": name, "processor": spent}
        yield row | copy_figures(original, judge, samples)


MEASUREMENT = Measurement(
    originals,
    copy_clip,
    [
        Table(
            (
                count("clips"),
                mean("PESQ-WB", "pesq"),
                mean("STOI", "stoi", ".3f"),
                mean("MCD, dB", "mcd"),
                mean("mel L1", "mel_l1", ".3f"),
                mean("F0, cents", "f0", ".1f"),
                mean("voicing error, %", "voicing"),
                mean("similarity", "similarity", ".3f"),
                mean("times real time", "processor", ".3f"),
            ),
            ("vocoder",),
            "part",
        )
    ],
    (
        option(
            "--vocoder", action="append", metavar="NAME_OR_PATH",
            help="a vocoder to add to Griffin-Lim and the built-in one (repeatable)",
        ),
        option("--only", action="store_true", help="those of --vocoder alone"),
        option("--unseen", action="store_true", help="clips of unseen voices alone"),
        option("--clips", type=int, default=8, metavar="N", help="per part (default: 8)"),
        CORPORA,
    ),
    legend="""\
Means over clips with 95 % intervals. MCD: WORLD envelope every 5 ms, mel-cepstrum of order 24
without c0, at the recording's own rate (all-pass constant 0.466 at 24 kHz, or 0.41 for clips
recorded at 16 kHz), frames paired by exact dynamic time warping. Mel L1: log10 units. F0: RMSE over
frames voiced in both, by Harvest; voicing error: frames whose voicing differs. Similarity: cosine
of Resemblyzer's embeddings. Times real time: processor seconds of all threads per second.""",
)  # fmt: skip
