"""Tables 4.2 to 4.7 of the thesis, from the rows of a comparison.

What the thesis found is beside ours, but not of the same clips: its corpora are LJSpeech and VCTK,
whole. Its listening tests (4.5 to 4.7) can't be had from a machine: these tables have what predicts
ratings instead, and `evaluation.listening` makes the test itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.harness.declared_tables import Column, Row, Rows, Table
from evaluation.harness.estimates import Interval
from evaluation.harness.report_files import markdown_table
from evaluation.systems.named import BASELINES, FLOORS, RUNS, SEED, SHIPPED, base_name
from evaluation.tables.comparison import COPY, RECORDING, REFERENCES
from evaluation.tables.judging import MEASURES
from evaluation.tables.tasks import EDIT, GIVEN, PREDICTED, PROMPT

Wanted = Callable[[Row], bool]

A3T = RUNS["a3t"]
THESIS = RUNS["a3t_thesis"]  # the thesis's figures stand beside this one
SEEN: tuple[str, Wanted] = ("seen voices", lambda row: row["seen"])
UNSEEN: tuple[str, Wanted] = ("unseen voices", lambda row: not row["seen"])
ALL: tuple[str, Wanted] = ("", lambda row: True)
INSERT: tuple[str, Wanted] = ("insert", lambda row: row["edit"] == "insert")
REPLACE: tuple[str, Wanted] = ("replace", lambda row: row["edit"] != "insert")


@dataclass(frozen=True)
class TableSpec:
    """A table: which tasks, systems and measures, in which columns, and the thesis's figures."""

    number: str
    title: str
    kind: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    columns: tuple[tuple[str, Wanted], ...] = (ALL,)
    thesis: Mapping[str, str] = field(default_factory=dict)
    thesis_head: str = ""


_EVERY = (*REFERENCES, SHIPPED, *RUNS.values(), *BASELINES, *FLOORS)
TABLES: dict[str, TableSpec] = {
    spec.number: spec
    for spec in (
        TableSpec(
            "4.2", "Ablation: the middle third reconstructed, durations given", GIVEN,
            (COPY, RUNS["a3t_thesis"], RUNS["no_alignment_embedding"], RUNS["transformer"],
             RUNS["no_postnet"], RUNS["fat_mlm"], RUNS["mam"], A3T, "mean spectrum"),
            ("mcd", "mcd_first", "mel_distance", "detail"),
            thesis={
                RUNS["a3t_thesis"]: "8.09", RUNS["no_alignment_embedding"]: "10.73",
                RUNS["transformer"]: "12.43", RUNS["no_postnet"]: "12.94", RUNS["fat_mlm"]: "11.55",
            },
            thesis_head="LJSpeech, MCD",
        ),
        TableSpec(
            "4.3", "Share of the phones masked in training, durations given", GIVEN,
            (COPY, RUNS["mask_20"], RUNS["mask_50"], RUNS["a3t_thesis"], A3T, "mean spectrum"),
            ("mcd", "mcd_first"), (SEEN, UNSEEN),
            thesis={
                RUNS["mask_20"]: "10.35 | 12.22", RUNS["mask_50"]: "7.75 | 9.99",
                RUNS["a3t_thesis"]: "8.72 | 9.68",
            },
            thesis_head="VCTK, MCD, seen and unseen",
        ),
        TableSpec(
            "4.4", "Identity reconstruction, durations predicted", PREDICTED,
            (COPY, *BASELINES, "EditSpeech", THESIS, A3T,
             RUNS["no_alignment_embedding"], SHIPPED, *FLOORS),
            ("mcd", "mcd_first", "similarity"), (SEEN, UNSEEN),
            thesis={
                "Baseline 1": "10.66 | 10.32", "Baseline 3": "10.66 | 10.32",
                "Baseline 2": "12.06 | 10.91", THESIS: "7.76 | 9.26",
                RUNS["no_alignment_embedding"]: "11.37 | 10.30",
            },
            thesis_head="VCTK and LJSpeech, MCD",
        ),
        TableSpec(
            "4.5", "Insertion and replacement; predicted ratings, not people's", EDIT,
            (RECORDING, COPY, *BASELINES, "EditSpeech", THESIS, A3T,
             RUNS["no_alignment_embedding"], SHIPPED),
            ("dnsmos_p808", "dnsmos", "plcmos", "wer", "similarity", "joints", "outside"),
            (INSERT, REPLACE),
            thesis={
                "Baseline 1": "3.02 | 2.64", "Baseline 2": "2.89 | 2.70",
                "Baseline 3": "2.89 | 2.44", "EditSpeech": "3.50 | 3.58", THESIS: "3.53 | 3.65",
                RUNS["no_alignment_embedding"]: "2.48 | 1.98",
            },
            thesis_head="MOS by people, insert and replace",
        ),
        TableSpec(
            "4.6", "Speech by a prompt: whose voice it is", PROMPT,
            (RECORDING, COPY, RUNS["fastspeech2"], RUNS["fastspeech2_gst"], "EditSpeech",
             THESIS, A3T, SHIPPED),
            ("similarity", "f0"), (SEEN, UNSEEN),
            thesis={
                RUNS["fastspeech2"]: "3.33 | 3.78", RUNS["fastspeech2_gst"]: "3.42 | 3.81",
                THESIS: "3.61 | 3.90", RECORDING: "3.94 | 4.09",
            },
            thesis_head="MOS of similarity by people, seen and unseen",
        ),
        TableSpec(
            "4.7", "Speech by a prompt: how good it is", PROMPT,
            (RECORDING, COPY, RUNS["fastspeech2"], RUNS["fastspeech2_gst"], "EditSpeech",
             THESIS, A3T, SHIPPED),
            ("dnsmos_p808", "dnsmos", "mcd", "wer"), (SEEN, UNSEEN),
            thesis={
                RUNS["fastspeech2"]: "3.34 | 3.85", RUNS["fastspeech2_gst"]: "3.27 | 3.72",
                THESIS: "3.63 | 3.94", RECORDING: "4.04 | 4.05",
            },
            thesis_head="MOS of quality by people, seen and unseen",
        ),
    )
}  # fmt: skip


def specs_of(number: str) -> list[TableSpec]:
    """Return the tables that a command's NUMBER names: one, or "all"."""
    return [*TABLES.values()] if number == "all" else [TABLES[number]]


def with_differences(rows: Rows) -> list[Row]:
    """Give word errors as the difference from the same clip's copy-synthesis.

    That is what the vocoder and the recogniser err by themselves; NaN where it was not judged.
    """
    own = {row["task"]: row.get("wer", math.nan) for row in rows if row["system"] == COPY}
    return [
        row | {"wer": row["wer"] - own.get(row["task"], math.nan)} if "wer" in row else row
        for row in rows
    ]


def paired(rows: Rows, system: str, other: str) -> Interval:
    """Subtract ``other``'s MCD from ``system``'s, clip by clip, where both have one."""
    one, two = (
        {row["task"]: row["mcd"] for row in rows if row["system"] == name and "mcd" in row}
        for name in (system, other)
    )
    return Interval.of(one[task] - two[task] for task in one if task in two)


DIGITS = {"outside": 3, "f0": 0, "similarity": 3, "wer": 3}


def _mean(measure: str, only: Wanted) -> Callable[[Rows], Interval]:
    return lambda rows: Interval.of(row.get(measure, math.nan) for row in rows if only(row))


def table_of(spec: TableSpec, rows: Rows, more: Sequence[str] = ()) -> str:
    """Write a table as Markdown, the thesis's figures in its last column.

    ``more``: further systems at its end. A measure that no system has is left out; rows with an
    ``error`` are counted.
    """
    own = with_differences([row for row in rows if row["kind"] == spec.kind])
    # A system that was trained from several seeds has a line for each.
    order = list(dict.fromkeys([*spec.systems, *more]))
    own = [row for row in own if base_name(row["system"]) in order]
    own.sort(key=lambda row: (order.index(base_name(row["system"])), row["system"]))
    columns = [
        Column("clips", lambda rows: sum("error" not in row for row in rows)),
        Column("failed", lambda rows: str(sum("error" in row for row in rows) or "–")),
    ]
    for head, only in spec.columns:
        for measure in spec.measures:
            if any(measure in row for row in own):
                name = ", ".join(filter(None, (MEASURES[measure], head)))
                form = f".{DIGITS.get(measure, 2)}f"
                columns.append(Column(name, _mean(measure, only), form))
    if spec.thesis:
        columns.append(
            Column(
                f"thesis ({spec.thesis_head})",
                lambda rows: spec.thesis.get(base_name(rows[0]["system"]), "").replace(
                    " | ", " and "
                ),
            )
        )
    return f"### Table {spec.number}: {spec.title}\n\n{Table(columns, ('system',)).markdown(own)}"


def margins(rows: Rows) -> str:
    """Report A3T's MCD minus the others', clip by clip.

    The thesis claims 2.5 dB less than Baselines 1 to 3 on many voices, and less than EditSpeech.
    """
    lines: list[list[str]] = []
    for kind in (GIVEN, PREDICTED):
        own = [row for row in rows if row["kind"] == kind]
        present = {row["system"] for row in own} - {A3T, *REFERENCES}
        for name in (n for n in _EVERY if n in present):
            cells = [
                f"{paired([row for row in own if wanted(row)], A3T, name):.2f}"
                for _, wanted in (SEEN, UNSEEN)
            ]
            lines.append([name, kind, *cells])
    table = markdown_table(["A3T minus", "durations", "seen voices", "unseen voices"], lines)
    return f"### A3T minus the others: MCD in dB, clip by clip (95 %)\n\n{table}"


SEEDED = (("mcd", "MCD, dB"), ("mel_distance", "mel distance, dB"), ("detail", "detail"))


def seed_means(rows: Rows, measure: str) -> dict[str, dict[str, float]]:
    """Average over clips of each system, by the seed of its training ("" for the first)."""
    found: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(row["system"] for row in rows):
        mean = _mean(measure, lambda row, name=name: row["system"] == name)(rows)  # type: ignore[misc]
        if mean.count:
            found.setdefault(base_name(name), {})[name.partition(SEED)[2]] = mean.value
    return {name: found[name] for name in RUNS.values() if len(found.get(name, {})) > 1}


def seeds_table(rows: Rows) -> str:
    """Write a table of every system that was trained from several seeds, durations given.

    It has the mean of its trainings and their range, and its difference from the first row, each
    seed's from the same seed's. Empty where there is none.
    """
    own, parts = [row for row in rows if row["kind"] == GIVEN], []
    head = ["system", "trainings", "each", "mean (lowest to highest)"]
    for measure, shown in SEEDED:
        means = seed_means(own, measure)
        first, lines = means.get(RUNS["a3t_thesis"], {}), []
        for name, by_seed in means.items():
            each = [by_seed[seed] for seed in sorted(by_seed)]
            shared = [by_seed[seed] - first[seed] for seed in sorted(by_seed) if seed in first]
            less = _range(shared, "+") if shared and by_seed is not first else "–"
            listed = ", ".join(f"{value:.2f}" for value in each)
            lines.append([name, len(each), listed, _range(each), less])
        if lines:
            parts.append(f"### Between trainings: {shown}, durations given\n")
            parts.append(
                markdown_table([*head, f"minus {RUNS['a3t_thesis']}, seed by seed"], lines)
            )
    return "\n".join(parts)


def _range(values: Sequence[float], sign: str = "") -> str:
    mean, low, high = sum(values) / len(values), min(values), max(values)
    return f"{mean:{sign}.2f} ({low:{sign}.2f} to {high:{sign}.2f})"


LEGEND = """\
Means over clips with 95 % bootstrap intervals. The gap's content is compared after the vocoder.
MCD: WORLD envelope every 5 ms, mel-cepstrum of order 24 without c0, frames paired by exact dynamic
time warping, at 16 kHz, since mels end at 7.6 kHz. "As the first implementation took it": a frame
shift of 300 samples taken as 300 ms, order 80, with c0: for comparison with the thesis alone. Mel
distance: cosines 1 to 24 of the mel before the vocoder, in dB. Detail: second differences of the
mel across bins over the recording's; below 1 it is blurred. F0: root mean square over frames voiced
in both. Similarity: cosine of Resemblyzer's embeddings of the gap and of what is visible. DNSMOS:
of the gap alone. Both at one level. PLCMOS: of the gap with 2 s on each side. Word errors: our
recogniser's, with the words as its prior, minus those of copy-synthesis. Joints: share of the
measures of a joint beyond the 95th percentile of the recording's own places; 0.05 is natural.
Largest change outside: full scale 1; 0 where the recording is kept. "Recording" and
"copy-synthesis" of an edit are of as much recorded speech from the middle of the clip."""
