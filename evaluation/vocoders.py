"""Copy-synthesis: held-out clips to mels and back, by each vocoder.

The loss here is due to the vocoder alone, and is the least that any edit costs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder import load_vocoder
from evaluation import metrics
from evaluation.clips import LOW_RATE, held_out
from evaluation.harness.estimates import Interval
from evaluation.harness.programs import (
    add_corpora_and_out,
    clips_of,
    markdown_table,
    rows_to_tsv,
    write_report,
)
from evaluation.systems.interface import Gap
from evaluation.tables.judging import GapJudge, Made
from evaluation.tables.tasks import GIVEN, GapTask
from training.corpora import Clip
from training.corpora.decoding import decode_floats

Floats32 = npt.NDArray[np.float32]

UNSEEN = ", unseen voices"


@dataclass(frozen=True)
class Original:
    """A clip to copy: whole frames of it, (300 T,) at 24 kHz, and its log10 mel (T, 80)."""

    name: str
    part: str
    rate: int  # at which it was recorded
    samples: Floats32
    mel: Floats32


@dataclass(frozen=True)
class VocoderRow:
    """One vocoder on one clip; NaN where a figure is undefined or its package missing."""

    clip: str
    part: str
    vocoder: str
    pesq: float  # wide-band
    stoi: float
    mcd: float  # dB, 5 ms, order 24, no c0, at the recording's own rate, time-warped
    mel_l1: float  # log10 units
    f0_cents: float  # RMSE over the frames voiced in both
    voicing: float  # share of frames whose voicing differs
    similarity: float  # cosine of the speaker embeddings
    processor: float = float("nan")  # seconds a second of sound


def draw_parts(clips: Iterable[Clip], count: int) -> list[Original]:
    """Up to ``count`` held-out clips of each corpus, for each of seen and unseen voices.

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
    """A judge of copies of a clip: the whole of it is the gap, its durations given."""
    none, frames = np.zeros(0, np.int64), len(original.mel)
    gap = Gap(original.mel, none, none, (0, frames), none)
    samples = original.samples
    task = GapTask(
        original.name, GIVEN, "", "", True, gap, samples, len(samples), (samples, (0, frames)), (),
        rate=SAMPLE_RATE if original.rate >= SAMPLE_RATE else LOW_RATE,
    )  # fmt: skip
    return GapJudge(task)


def vocoder_row(
    original: Original,
    judge: GapJudge,
    vocoder: str,
    samples: Floats32,
    processor: float = float("nan"),
) -> VocoderRow:
    """All figures of one copy, (300 T,) at 24 kHz."""
    mel = log_mel(samples)[: len(original.mel)].numpy()
    found = judge.against_truth(Made(samples, (0, len(samples)), mel))
    pair = (original.samples, samples, SAMPLE_RATE)
    return VocoderRow(
        clip=original.name,
        part=original.part,
        vocoder=vocoder,
        pesq=found["pesq"],
        stoi=found["stoi"],
        mcd=found["mcd"],
        mel_l1=found["mel_l1"],
        f0_cents=found["f0"],
        voicing=found["voicing"],
        similarity=metrics.figure_or_nan(metrics.speaker_similarity, *pair),
        processor=processor,
    )


def measure_vocoders(originals: Sequence[Original], names: Sequence[str]) -> list[VocoderRow]:
    """Every clip by every vocoder (a name or a folder for `load_vocoder`)."""
    vocoders = [load_vocoder(name) for name in names]
    for vocoder in vocoders:
        vocoder(torch.zeros(20, 80) - 3)  # the first call plans transforms and reserves memory
    rows = []
    for original in tqdm(originals, unit="clip", disable=None):
        judge = judge_of(original)
        for vocoder in vocoders:
            begun = time.process_time()
            samples = vocoder(torch.from_numpy(original.mel)).numpy()
            spent = (time.process_time() - begun) * SAMPLE_RATE / len(samples)
            shown = f"{vocoder.name} ({vocoder.sha256[:12]})" if vocoder.sha256 else vocoder.name
            rows.append(vocoder_row(original, judge, shown, samples, spent))
    return rows


Column = tuple[str, Callable[[VocoderRow], float], int]  # heading, figure, decimals
COLUMNS: tuple[Column, ...] = (
    ("PESQ-WB", lambda row: row.pesq, 2),
    ("STOI", lambda row: row.stoi, 3),
    ("MCD, dB", lambda row: row.mcd, 2),
    ("mel L1", lambda row: row.mel_l1, 3),
    ("F0, cents", lambda row: row.f0_cents, 1),
    ("voicing error, %", lambda row: 100 * row.voicing, 2),
    ("speaker", lambda row: row.similarity, 3),
    ("× real time", lambda row: row.processor, 3),
)

LEGEND = """\
Means over clips with 95 % intervals. MCD: WORLD envelope every 5 ms, mel-cepstrum of order 24
without c0, at the recording's own rate (all-pass constant 0.466 at 24 kHz, or 0.41 for clips
recorded at 16 kHz), frames paired by exact dynamic time warping. Mel L1: log10 units. F0: RMSE over
frames voiced in both, by Harvest; voicing error: frames whose voicing differs. Speaker: cosine of
Resemblyzer's embeddings. × real time: processor seconds of all threads per second of sound."""


def quality_table(rows: Sequence[VocoderRow], by_part: bool) -> str:
    """A Markdown table of the figures of each vocoder, over all clips or part by part."""
    head = ["vocoder", *(["part", "clips"] if by_part else ["clips"])]
    lines = []
    for vocoder, part in dict.fromkeys((r.vocoder, r.part if by_part else "") for r in rows):
        group = [row for row in rows if row.vocoder == vocoder and part in ("", row.part)]
        cells = [vocoder, *([part] if by_part else []), str(len(group))]
        cells += [Interval.of(map(figure, group)).shown(digits) for _, figure, digits in COLUMNS]
        lines.append(cells)
    return markdown_table([*head, *(name for name, _, _ in COLUMNS)], lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--vocoder", action="append", default=[], metavar="NAME_OR_PATH",
        help="a vocoder to add to Griffin-Lim and the built-in one (repeatable)",
    )  # fmt: skip
    parser.add_argument("--clips", type=int, default=8, metavar="N", help="per part (default: 8)")
    add_corpora_and_out(parser)


def run(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    if options.clips < 1:
        raise InputError("At least one clip of each part is needed.")
    originals = draw_parts(clips_of(options), options.clips)
    rows = measure_vocoders(originals, ["griffin-lim", "builtin", *options.vocoder])
    parts = list(dict.fromkeys(item.part for item in originals))
    unseen = sum(item.part.endswith(UNSEEN) for item in originals)
    page = [
        "# Vocoders: copy-synthesis\n",
        f"{len(originals)} held-out clips of {len(parts)} parts, {unseen} of them by unseen voices,"
        " converted to mels and back.\n",
        quality_table(rows, by_part=False),
        quality_table(rows, by_part=True),
        LEGEND + "\n",
    ]
    write_report(options.out, "vocoders", "\n".join(page), rows_to_tsv(rows))
