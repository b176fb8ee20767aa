"""A picture of an edit: waveform, words and mel before and after it, with the changes marked."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from a3t.audio.output.patches import read_patched
from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.rendering.edited import EditedRecording
from a3t.rendering.edited_alignment import edited_alignment, new_numbers

MAX_PICTURE_S = 12.0  # seconds shown; a longer recording is cut to the part around its first edits
MARGIN = 2.0  # seconds shown before the first edit of a longer recording
# Okabe and Ito's colours, which can be told apart with any colour vision, and a sign for each, so
# that no information is conveyed by colour alone.
OPS = {
    "replace": ("#0072B2", "↔", "replaced"),
    "insert": ("#009E73", "+", "inserted"),
    "delete": ("#D55E00", "−", "deleted"),
}
INK, FAINT, WAVE = "#222222", "#9a9a9a", "#5b6470"
TOP = (1.62 + 1.05) / 3.1  # share of the waveform's axes that a mark covers


@dataclass(frozen=True)
class Mark:
    """An edit's span on one side, in seconds.

    wordless: whether it has no words there, like an insertion before the edit and a deletion after.
    """

    op: str
    start: float
    end: float
    wordless: bool


@dataclass(frozen=True)
class Label:
    """A word above the waveform, in seconds; ``op`` is set if it belongs to an edit."""

    text: str
    start: float
    end: float
    op: str | None = None


@dataclass(frozen=True)
class Side:
    """The drawn part of one recording: samples (n,) at ``rate``, from ``start`` seconds."""

    title: str
    text: str
    samples: npt.NDArray[np.float32]
    rate: int
    start: float
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]

    @property
    def end(self) -> float:
        """Where it ends, in seconds."""
        return self.start + len(self.samples) / self.rate

    @property
    def shown_labels(self) -> tuple[Label, ...]:
        """The labels within the picture; words cut by its edge are omitted."""
        first, last = self.start - 0.05, self.end + 0.05
        return tuple(word for word in self.labels if first <= word.start and word.end <= last)


def sides_of(result: EditedRecording) -> tuple[Side, Side]:
    """Return the drawn parts of a recording and of its edit.

    They begin at the same point of unchanged sound.
    """
    plan, edited, recording = result.plan, result.map, result.recording
    changes, rate, length = edited.samples.changes, recording.sample_rate, recording.samples
    longest = max(recording.seconds, edited.output_seconds)
    first = edited.seconds(changes[0].source[0]) if changes else 0.0
    start = max(0.0, min(first - MARGIN, longest - MAX_PICTURE_S))
    begin, stop = round(start * rate), round((start + MAX_PICTURE_S) * rate)
    old = recording.mono(min(begin, length), min(stop, length))
    length = edited.samples.output_length
    new = read_patched(recording, result.patches, min(begin, length), min(stop, length))
    sides = []
    numbers = new_numbers(result)
    new_words = [[numbers[k] for k in range(*edit.new)] for edit in plan.edits]
    for title, text, samples, aligned, wordless, spans, words in (
        ("Before", plan.text.text, old, plan.alignment, "insert",
         [change.source for change in changes], [range(*edit.old) for edit in plan.edits]),
        ("After", plan.new_text.text, new.mean(axis=1).astype(np.float32), edited_alignment(result),
         "delete", [change.output for change in changes], new_words),
    ):  # fmt: skip
        ops = [edit.op for edit in plan.edits]
        op_of = {k: op for own, op in zip(words, ops, strict=True) for k in own}
        marks = tuple(
            Mark(op, edited.seconds(first), edited.seconds(last), op == wordless)
            for op, (first, last) in zip(ops, spans, strict=True)
        )
        labels = tuple(
            Label(word.text, word.start, word.end, op_of.get(k))
            for k, word in enumerate(aligned.spoken)
        )
        side = Side(title, text, samples, rate, start, marks, labels)
        if longest > MAX_PICTURE_S:
            side = replace(side, text=f"… {' '.join(word.text for word in side.shown_labels)} …")
        sides.append(side)
    return sides[0], sides[1]


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from a3t.audio.reading.recording import Recording
    from alignment import Alignment


def draw_edit(result: EditedRecording, out_png: Path) -> None:
    """Draw an edit to ``out_png``; of a longer recording only 12 s around the first changes.

    Raises InputError if it can't be written.
    """
    from a3t.audio.output.files import atomic_path

    with _drawing(), atomic_path(out_png) as temporary:
        figure = edit_figure(result)
        figure.savefig(temporary, format="png", dpi=150, facecolor="white")


def draw_alignment(recording: Recording, alignment: Alignment, out_png: Path) -> None:
    """Draw the waveform with its words, and its mel with its phones, to ``out_png``.

    Of a longer recording the first 12 s. Raises InputError if it can't be written.
    """
    from a3t.audio.output.files import atomic_path

    rate = recording.sample_rate
    samples = recording.mono(0, min(recording.samples, round(MAX_PICTURE_S * rate)))
    words = tuple(Label(word.text, word.start, word.end) for word in alignment.spoken)
    text = " ".join(word.text for word in alignment.spoken)
    side = Side("Words and phones", text, samples, rate, 0.0, (), words)
    with _drawing(), atomic_path(out_png) as temporary:
        figure = new_figure(side.end, 4.6)
        wave, spectrogram = figure.subplots(2, 1, sharex=True, height_ratios=[1.25, 1.75])
        wave.set_xlim(0.0, side.end)
        width = figure.get_figwidth() / side.end
        mel = _mel(side)
        _draw_wave(wave, side, float(np.abs(samples).max(initial=1e-6)), width)
        _draw_mel(spectrogram, side, mel, (float(mel.min()), float(mel.max())))
        for phone in (phone for word in alignment.words for phone in word.phones):
            if phone.end <= side.end:
                spectrogram.axvline(phone.end, color="white", linewidth=0.6)
                middle = (phone.start + phone.end) / 2
                spectrogram.text(middle, 74, phone.symbol, color="white", fontsize=6, ha="center")
        figure.savefig(temporary, format="png", dpi=150, facecolor="white")


@contextmanager
def _drawing() -> Iterator[None]:
    """Have matplotlib draw in silence, and take a "$" for a dollar, not for a formula.

    It warns of a folder for its cache that can't be written, and of signs that its font lacks.
    Raises InputError if it isn't installed.
    """
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                import matplotlib
            except ImportError:
                raise InputError("A picture needs matplotlib: pip install 'a3t[demo]'.") from None
            with matplotlib.rc_context({"text.parse_math": False}):
                yield
    finally:
        logger.setLevel(level)


def new_figure(seconds: float, height: float) -> Figure:
    """Return an empty figure for so many seconds; needs neither pyplot nor a display."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    width = float(np.clip(2.4 * seconds, 10.0, 20.0))
    figure = Figure(figsize=(width, height), layout="constrained")
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(h_pad=0.05, w_pad=0.06, hspace=0.0)
    return figure


def edit_figure(result: EditedRecording) -> Figure:
    """Return the picture of `draw_edit` as a matplotlib figure."""
    before, after = sides_of(result)
    shown = max(before.end - before.start, after.end - after.start)
    figure = new_figure(shown, 7.6)
    grid = figure.add_gridspec(5, 1, height_ratios=[1.25, 1.75, 0.18, 1.25, 1.75])
    mels = [_mel(side) for side in (before, after)]
    loudness = (float(np.quantile(mels[0], 0.02)), float(np.quantile(mels[0], 0.998)))
    peak = max(float(np.abs(side.samples).max(initial=1e-6)) for side in (before, after))
    for side, mel, row in zip((before, after), mels, (0, 3), strict=True):
        wave, spectrogram = figure.add_subplot(grid[row]), figure.add_subplot(grid[row + 1])
        for axes in (wave, spectrogram):
            axes.set_xlim(side.start, side.start + shown)
        _draw_wave(wave, side, peak, figure.get_figwidth() / shown)
        _draw_mel(spectrogram, side, mel, loudness)
    _legend(figure, before, after)
    return figure


def _mel(side: Side) -> npt.NDArray[np.float32]:
    """Return the log-mel (frames, 80) of the drawn part."""
    import soxr

    from a3t.audio.analysis.mel import log_mel
    from a3t.grid import SAMPLE_RATE

    mel: npt.NDArray[np.float32] = log_mel(
        soxr.resample(side.samples, side.rate, SAMPLE_RATE)
    ).numpy()
    return mel


def _draw_wave(axes: Axes, side: Side, peak: float, inches_per_second: float) -> None:
    """Draw the waveform, as the range of each of up to 4000 slices, and the words above it."""
    slices = min(len(side.samples), 4000)
    edges = np.linspace(0, len(side.samples), slices + 1).astype(int)[:-1]
    times = side.start + edges / side.rate
    low = np.minimum.reduceat(side.samples, edges) / peak
    high = np.maximum.reduceat(side.samples, edges) / peak
    axes.fill_between(times, low, high, color=WAVE, linewidth=0.3, edgecolor=WAVE)
    axes.set_ylim(-1.05, 2.05)  # words are in the upper part, signs above them
    axes.set_yticks([])
    axes.tick_params(labelbottom=False, length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    _title(axes, side)
    for mark in side.marks:
        _shade(axes, mark)
    for label in side.shown_labels:
        _write(axes, label, inches_per_second)


def _draw_mel(
    axes: Axes, side: Side, mel: npt.NDArray[np.float32], loudness: tuple[float, float]
) -> None:
    """Draw the log-mel as an image with its frequencies on the left."""
    hop = seconds_of(1)
    extent = (side.start - hop / 2, side.start + (len(mel) - 0.5) * hop, -0.5, mel.shape[1] - 0.5)
    axes.imshow(
        mel.T,
        origin="lower",
        aspect="auto",
        extent=extent,
        cmap="magma",
        vmin=loudness[0],
        vmax=loudness[1],
        interpolation="nearest",
    )
    axes.set_ylim(-0.5, mel.shape[1] - 0.5)
    kilohertz = np.array([0.5, 1.0, 2.0, 4.0])
    axes.set_yticks(_bin_of(kilohertz * 1000.0), [f"{k:g}" for k in kilohertz])
    axes.set_ylabel("kHz", color=INK, fontsize=9)
    axes.xaxis.set_major_formatter("{x:g} s")
    axes.tick_params(colors=INK, labelsize=9, length=3)
    for spine in axes.spines.values():
        spine.set_visible(False)
    for mark in side.marks:
        colour = OPS[mark.op][0]
        if mark.end > mark.start:
            axes.axvspan(mark.start, mark.end, facecolor="none", edgecolor="white", linewidth=3)
            axes.axvspan(mark.start, mark.end, facecolor="none", edgecolor=colour, linewidth=1.6)
        else:
            axes.axvline(mark.start, color="white", linewidth=3)
            axes.axvline(mark.start, color=colour, linewidth=1.6)


def _bin_of(hertz: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the (fractional) mel bin whose filter is centred on a frequency."""
    from a3t.audio.analysis.mel import N_FFT, mel_filters
    from a3t.grid import SAMPLE_RATE

    centres = mel_filters().numpy().argmax(axis=1) * SAMPLE_RATE / N_FFT
    return np.interp(hertz, centres, np.arange(len(centres)))


def _shade(axes: Axes, mark: Mark) -> None:
    colour, sign, _ = OPS[mark.op]
    if mark.end > mark.start:
        axes.axvspan(mark.start, mark.end, ymax=TOP, color=colour, alpha=0.16, linewidth=0)
    for edge in {mark.start, mark.end}:
        axes.axvline(edge, color=colour, linewidth=1.1, ymax=TOP)
    if mark.wordless:
        axes.text(
            (mark.start + mark.end) / 2,
            1.86,
            sign,
            fontsize=10,
            fontweight="bold",
            color="white",
            ha="center",
            va="center",
            bbox={"boxstyle": "circle,pad=0.15", "facecolor": colour, "edgecolor": "none"},
        )


def _write(axes: Axes, label: Label, inches_per_second: float) -> None:
    """Draw a word as large as its space allows; skip it if it would be illegible."""
    room = (label.end - label.start) * inches_per_second * 72.0  # points
    size = min(9.5, room / (0.62 * len(label.text)))
    if label.op is not None:
        size = max(size, 7.0)
    if size < 5.0:
        return
    colour = OPS[label.op][0] if label.op else INK
    axes.text(
        (label.start + label.end) / 2,
        1.32,
        label.text,
        fontsize=size,
        color=colour,
        fontweight="bold" if label.op else "normal",
        ha="center",
        va="center",
        clip_on=True,
    )
    if label.op is None:
        axes.vlines([label.start, label.end], 1.1, 1.55, color=FAINT, linewidth=0.5)


def _title(axes: Axes, side: Side) -> None:
    """Draw "Before" or "After" in bold, and as much of the text as there is room for."""
    axes.set_title(side.title, loc="left", fontsize=11, fontweight="bold", color=INK, pad=8)
    figure = axes.get_figure()
    assert figure is not None
    room = int(figure.get_figwidth() * 10.5)  # type: ignore[union-attr]
    text = side.text if len(side.text) <= room else side.text[:room].rstrip() + " …"
    axes.annotate(
        text,
        (0, 1),
        (62, 8.5),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=11,
        color=INK,
    )


def _legend(figure: Figure, before: Side, after: Side) -> None:
    from matplotlib.patches import Patch

    ops = dict.fromkeys(mark.op for mark in (*before.marks, *after.marks))
    if not ops:
        return
    handles = [
        Patch(facecolor=colour + "33", edgecolor=colour, label=f"{sign} {word}")
        for colour, sign, word in (OPS[op] for op in ops)
    ]
    figure.legend(
        handles=handles,
        loc="outside lower right",
        ncols=len(handles),
        frameon=False,
        fontsize=9,
    )
