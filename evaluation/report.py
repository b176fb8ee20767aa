"""Writes rows of figures as a TSV file, and as a Markdown table of means and standard errors."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.output.files import atomic_path
from evaluation.reconstruction import ReconstructionRow


@dataclass(frozen=True)
class Mean:
    """A mean over ``count`` clips with its standard error; NaN values are ignored."""

    value: float
    error: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Mean:
        valid = np.array([value for value in values if not math.isnan(value)])
        if len(valid) == 0:
            return cls(math.nan, math.nan, 0)
        error = valid.std(ddof=1) / math.sqrt(len(valid)) if len(valid) > 1 else math.nan
        return cls(float(valid.mean()), float(error), len(valid))

    def shown(self, digits: int = 2) -> str:
        if self.count == 0:
            return "–"
        if math.isnan(self.error):
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f}"

    def __str__(self) -> str:
        return self.shown()


def rows_to_tsv(rows: Sequence[Any]) -> str:
    """A TSV text with a header and one line per row; rows are of one dataclass, figures are to four
    decimals."""
    text = io.StringIO()
    names = [field.name for field in fields(rows[0])]
    writer = csv.DictWriter(text, names, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = asdict(row)
        for name, value in cells.items():
            if isinstance(value, float):
                cells[name] = "" if math.isnan(value) else f"{value:.4f}"
        writer.writerow(cells)
    return text.getvalue()


def write_report(out: Path, name: str, page: str, table: str | None = None) -> None:
    """Write NAME.md and, if there is a table, NAME.tsv into a folder; print the page."""
    out.mkdir(parents=True, exist_ok=True)
    for ending, text in (("tsv", table), ("md", page)):
        if text is not None:
            with atomic_path(out / f"{name}.{ending}") as temporary:
                temporary.write_text(text, encoding="utf-8")
    print(page)


Column = tuple[str, Callable[[Sequence[ReconstructionRow]], Mean]]

COLUMNS: tuple[Column, ...] = (
    ("MCD", lambda rows: Mean.of(row.mcd for row in rows)),
    ("seen voices", lambda rows: Mean.of(row.mcd for row in rows if row.seen)),
    ("unseen voices", lambda rows: Mean.of(row.mcd for row in rows if not row.seen)),
    ("not warped", lambda rows: Mean.of(row.mcd_unwarped for row in rows)),
    ("all at 24 kHz", lambda rows: Mean.of(row.mcd_24k for row in rows)),
    ("all at 16 kHz", lambda rows: Mean.of(row.mcd_16k for row in rows)),
    ("mel distance", lambda rows: Mean.of(row.mel_distance for row in rows)),
    ("mel L1", lambda rows: Mean.of(row.mel_l1 for row in rows)),
    ("detail", lambda rows: Mean.of(row.detail for row in rows)),
    ("PLCMOS", lambda rows: Mean.of(row.plcmos for row in rows)),
    ("speaker", lambda rows: Mean.of(row.similarity for row in rows)),
    ("first impl.", lambda rows: Mean.of(row.first_implementation for row in rows)),
)

LEGEND = """\
MCD in dB: WORLD envelope every 5 ms, mel-cepstrum of order 24 without c0, frames paired by exact
dynamic time warping; "not warped": frame by frame. It is computed at the recording's own rate:
24 kHz (all-pass constant 0.466), or 16 kHz (0.41) for LibriSpeech, which has nothing above 8 kHz to
compare with; "all at 24 kHz" and "all at 16 kHz" use one rate for all clips. Mel distance in dB:
cepstra (DCT, c1–c24) of the log-mels themselves, before any vocoder; time-warped where durations
are predicted. Mel L1 in log10 units. Detail: mean second difference of the filled mel from bin to
bin, over the recording's; below 1 it is blurred. PLCMOS: the rating from 1 to 5 that listeners
would give the filled gap in its surroundings, as predicted by Microsoft's network (Diener et al.
2023) without the recording. Speaker: cosine of Resemblyzer's embeddings of the region and of the
whole clip. "First impl.": the MCD that A3T's authors took (frame shift of 300 ms, order 80,
constant 0.41, with c0), for comparison with the thesis only. Means over clips ± standard error."""


def markdown_table(rows: Sequence[ReconstructionRow]) -> str:
    """A Markdown table, one row per kind of durations and system: means ± standard errors."""
    lines = ["| durations | system | " + " | ".join(name for name, _ in COLUMNS) + " |"]
    lines.append("|---|---|" + "---|" * len(COLUMNS))
    for durations, system in dict.fromkeys((row.durations, row.system) for row in rows):
        group = [r for r in rows if (r.durations, r.system) == (durations, system)]
        cells = [str(figure(group)) for _, figure in COLUMNS]
        shown = "–" if system == "copy-synthesis" else durations
        lines.append(f"| {shown} | {system} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def paired_difference(
    rows: Sequence[ReconstructionRow],
    system: str,
    baseline: str,
    durations: str,
    figure: Callable[[ReconstructionRow], float] = lambda row: row.mcd,
) -> tuple[Mean, int]:
    """System minus baseline, averaged clip by clip, and the number of clips with a lower system."""
    values = {(row.clip, row.system): figure(row) for row in rows if row.durations == durations}
    clips = [clip for clip, name in values if name == system and (clip, baseline) in values]
    differences = [values[clip, system] - values[clip, baseline] for clip in clips]
    return Mean.of(differences), sum(difference < 0 for difference in differences)


def markdown_report(rows: Sequence[ReconstructionRow], title: str, facts: Sequence[str]) -> str:
    """The page: the setup (``facts``, one line each), the table, and the comparison in words."""
    clips = {row.clip: row.seen for row in rows}
    seen = sum(clips.values())
    parts = [
        f"# {title}\n",
        f"{len(clips)} held-out clips, {seen} by voices in the training data and"
        f" {len(clips) - seen} by others. The middle third of each clip's phones is"
        " masked, filled, vocoded with its surroundings, and only the region is compared with the"
        " recording.\n",
        "\n".join(f"- {fact}" for fact in facts) + "\n",
        markdown_table(rows),
        LEGEND + "\n",
    ]
    systems = dict.fromkeys(row.system for row in rows)
    baseline = "mean spectrum"
    for durations in dict.fromkeys(row.durations for row in rows):
        for system in systems:
            if system in ("copy-synthesis", baseline, "interpolation"):
                continue
            difference, lower = paired_difference(rows, system, baseline, durations)
            if difference.count:
                parts.append(
                    f"Durations {durations}: MCD of {system} minus that of the {baseline}, clip by"
                    f" clip: {difference} dB; lower on {lower} of {difference.count} clips.\n"
                )
    lengths = {(r.clip, r.frames, r.true_frames) for r in rows if r.durations == "predicted"}
    if lengths:
        ratio = Mean.of(frames / true for _, frames, true in lengths)
        off = Mean.of(abs(frames / true - 1) for _, frames, true in lengths)
        parts.append(
            f"Predicted over true length of the region: {ratio}; mean deviation {off.value:.0%}.\n"
        )
    return "\n".join(parts)
