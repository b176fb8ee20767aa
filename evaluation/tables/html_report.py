"""One static page of a comparison: tables, box plots, and the worst results to see and to hear.

It holds everything itself, pictures and sound too, and loads nothing from anywhere.
"""

from __future__ import annotations

import base64
import html
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.analysis.mel import log_mel
from a3t.grid import HOP, SAMPLE_RATE
from evaluation.packages import eval_package
from evaluation.systems.named import FLOORS, base_name
from evaluation.tables.comparison import RECORDING, REFERENCES, ComparisonRow, file_name
from evaluation.tables.intervals import Rows
from evaluation.tables.judging import MEASURES
from evaluation.tables.tasks import EDIT, KINDS
from evaluation.tables.thesis_tables import LEGEND, FilledTable, title_of

WORST = 2  # results of each system and kind that are shown
REACH = 2 * SAMPLE_RATE  # samples shown on each side of a gap
PLOTTED = ("mcd", "similarity", "dnsmos_p808")

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0 2rem; font-size: 13px; }
th, td { border-bottom: 1px solid #ccc; padding: .25rem .6rem; text-align: left; }
th { vertical-align: bottom; } td.failed { background: #fdd; } td { white-space: nowrap; }
td:first-child, th:first-child { background: #fff; left: 0; position: sticky; }
figure { margin: 1rem 0; } img { max-width: 100%; } audio { vertical-align: middle; height: 2rem; }
.wide { overflow-x: auto; } .note { color: #555; max-width: 60rem; }
"""


def html_report(
    title: str,
    facts: Sequence[str],
    tables: Sequence[FilledTable],
    rows: Rows,
    sounds: Path | None,
    more: Sequence[str] = (),
) -> str:
    """The page. ``sounds``: the folder of `comparison.write_sound`, if sounds were kept; ``more``:
    further Markdown tables and lists."""
    parts = [f"<h1>{html.escape(title)}</h1>", "<ul>"]
    parts += [f"<li>{html.escape(fact)}</li>" for fact in facts]
    parts.append("</ul>")
    for table in tables:
        parts.append(_table(table))
    parts += [_from_markdown(text) for text in more]
    parts.append(f'<p class="note">{html.escape(LEGEND)}</p>')
    for kind in KINDS:
        own = [row for row in rows if row.kind == kind and not row.error]
        if own:
            parts += _plots(kind, own)
    if sounds is not None:
        parts.append(f"<h2>The {WORST} worst of each system</h2>")
        for kind in KINDS:
            parts += _worst(kind, [row for row in rows if row.kind == kind], sounds)
    body = "\n".join(parts)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style><body>{body}</body></html>\n"
    )


def _table(table: FilledTable) -> str:
    spec = table.spec
    heads = ["system", "clips", "failed", *table.heads]
    if spec.thesis:
        heads.append(f"thesis: {spec.thesis_head}")
    lines = [f"<h2>{html.escape(title_of(spec))}</h2>", '<div class="wide"><table><tr>']
    lines += [f"<th>{html.escape(head)}</th>" for head in heads]
    lines.append("</tr>")
    for name, count, failed, cells in table.rows:
        marked = ' class="failed"' if failed else ""
        shown = [html.escape(str(cell)) for cell in cells]
        if spec.thesis:
            shown.append(html.escape(spec.thesis.get(base_name(name), "")))
        lines.append(
            f"<tr><td>{html.escape(name)}</td><td>{count}</td><td{marked}>{failed or '–'}</td>"
            + "".join(f"<td>{cell}</td>" for cell in shown)
            + "</tr>"
        )
    return "\n".join([*lines, "</table></div>"])


def _from_markdown(text: str) -> str:
    """Headings, tables, list items and lines, which is all that our own Markdown has."""
    found = []
    for line in text.splitlines():
        cells = [html.escape(cell.strip()) for cell in line.strip("|").split(" | ")]
        if line.startswith("### "):
            found.append(f"<h2>{html.escape(line[4:])}</h2>")
        elif line.startswith("|---"):
            continue
        elif line.startswith("|"):
            found.append(f"<tr><td>{'</td><td>'.join(cells)}</td></tr>")
        elif line:
            found.append(f"<p>{html.escape(line.removeprefix('- ').replace('**', ''))}</p>")
    rows = "\n".join(found)
    # Rows that follow each other are a table.
    table = r'<div class="wide"><table>\g<0></table></div>'
    return re.sub(r"(?:<tr>.*</tr>\n?)+", table, rows)


def _plots(kind: str, rows: Rows) -> list[str]:
    """A box plot of each of the main measures: quartiles, whiskers, every clip a dot."""
    with eval_package("matplotlib"):
        from matplotlib.figure import Figure
    shown = []
    for measure in PLOTTED:
        values: dict[str, list[float]] = {}
        for row in rows:
            value = row.figures.get(measure, math.nan)
            if not math.isnan(value):
                values.setdefault(row.system, []).append(value)
        if not values:
            continue
        names = sorted(values, key=lambda name: float(np.median(values[name])))
        figure = Figure(figsize=(9, 0.6 + 0.32 * len(names)), layout="constrained")
        axes = figure.subplots()
        axes.boxplot([values[name] for name in names], orientation="horizontal", showfliers=False)
        for place, name in enumerate(names, start=1):
            spread = np.linspace(-0.15, 0.15, len(values[name]))
            axes.plot(values[name], place + spread, "o", color="#0072B2", alpha=0.45, markersize=3)
        axes.set_yticks(range(1, len(names) + 1), names)
        axes.set_xlabel(f"{MEASURES[measure][0]}, {kind}")
        shown.append(picture(figure, f"{measure} of each system"))
    return [f"<h2>Clip by clip: {kind}</h2>", *shown] if shown else []


def _worst(kind: str, rows: Rows, sounds: Path) -> list[str]:
    """The worst results, each beside what was recorded: by MCD, edits by their predicted rating."""
    measure = "dnsmos_p808" if kind == EDIT else "mcd"
    better = MEASURES[measure][1]
    parts: list[str] = []
    for name in dict.fromkeys(row.system for row in rows):
        if name in (*REFERENCES, *FLOORS):
            continue
        judged = [
            row for row in rows
            if row.system == name and not math.isnan(row.figures.get(measure, math.nan))
        ]  # fmt: skip
        judged.sort(key=lambda row: better * row.figures[measure])
        found = [_example(row, measure, sounds) for row in judged[:WORST]]
        found = [text for text in found if text]
        if found:
            parts += [f"<h3>{html.escape(name)}: {kind}</h3>", *found]
    return parts


def _example(row: ComparisonRow, measure: str, sounds: Path) -> str:
    """A result's spectrogram below the recording's, and both to listen to."""
    with eval_package("matplotlib"):
        from matplotlib.figure import Figure
    pair = [_kept(sounds / file_name(system), row.task) for system in (RECORDING, row.system)]
    if any(each is None for each in pair):
        return ""
    figure = Figure(figsize=(10, 3.4), layout="constrained")
    players = []
    for axes, each, name in zip(
        figure.subplots(2, 1), pair, ("recording", row.system), strict=True
    ):
        assert each is not None
        samples, region = each
        axes.imshow(log_mel(samples).numpy().T, aspect="auto", origin="lower", cmap="magma")
        for sample in region:
            axes.axvline(sample / HOP - 0.5, color="#56B4E9")
        axes.set_ylabel(name, fontsize=8)
        players.append(f"{html.escape(name)} {player(samples)}")
    value = row.figures[measure]
    head = f"{row.task} ({row.voice}): {MEASURES[measure][0]} {value:.2f}"
    drawn = picture(figure, f"Spectrograms of {row.task}")
    return f"<p>{html.escape(head)} {' '.join(players)}</p>{drawn}"


def _kept(folder: Path, name: str) -> tuple[np.ndarray, Sequence[int]] | None:
    """The sound that a comparison kept, and the samples of its gap."""
    path = folder / f"{name}.flac"
    if not path.is_file():
        return None
    samples, _ = soundfile.read(str(path), dtype="float32")
    fact: Mapping[str, Sequence[int]] = json.loads((folder / f"{name}.json").read_text("utf-8"))
    first, last = fact["region"]
    start = max(0, first - REACH)
    return samples[start : last + REACH], (first - start, last - start)


def picture(figure: object, text: str) -> str:
    """A matplotlib figure as an image within the page."""
    stream = io.BytesIO()
    figure.savefig(  # type: ignore[attr-defined]
        stream, format="jpeg", dpi=75, pil_kwargs={"quality": 70}
    )
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<figure><img alt="{html.escape(text)}" src="data:image/jpeg;base64,{data}"></figure>'


def player(samples: np.ndarray) -> str:
    """A sound at 24 kHz within the page, as Ogg Vorbis."""
    stream = io.BytesIO()
    soundfile.write(stream, np.clip(samples, -1, 1), SAMPLE_RATE, format="OGG", subtype="VORBIS")
    data = base64.b64encode(stream.getvalue()).decode()
    return f'<audio controls preload="none" src="data:audio/ogg;base64,{data}"></audio>'
