"""Reports the edits' measures: patches against natural speech, paired, and the worst cases."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.edits.experiment import PATCH, STRETCH, Measured
from evaluation.edits.segment_metrics import MEASURES
from evaluation.harness.estimates import Interval
from evaluation.harness.programs import markdown_table

PAIRED = (*MEASURES,)
OF_PATCHES = ("joint_dip", "joint_flux", "joint_jump", "plcmos")
WORST = ("level", "similarity", "f0_range", "dnsmos")
SHOWN = 6  # worst cases per measure
SPREAD = ("level", "level_at_phones")  # measures whose spread counts as well as their mean

Pairs = dict[tuple[str, str], tuple[dict[str, float], list[dict[str, float]]]]


def by_edit(rows: Sequence[Measured]) -> Pairs:
    """Each patch's figures and those of its natural stretches, by edit and condition."""
    patches = {(row.edit, row.condition): row.figures for row in rows if row.stretch == PATCH}
    natural: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for row in rows:
        if row.stretch == STRETCH:
            natural[row.edit, row.condition].append(row.figures)
    return {key: (figures, natural[key]) for key, figures in patches.items()}


def figure(figures: dict[str, float], name: str) -> float:
    """A figure by name, NaN if there is none."""
    value = figures.get(name)
    return math.nan if value is None else float(value)


def known_mean(values: Sequence[float]) -> float:
    """The mean of the values that are not NaN; NaN if there are none."""
    return Interval.of(values).value


def markdown_report(
    rows: Sequence[Measured], facts: Sequence[str], earlier: Sequence[Measured] = ()
) -> str:
    """The page: the setup, a table for each condition, the worst cases; and what changed since an
    ``earlier`` run of the same edits, if there was one."""
    pairs = by_edit(rows)
    parts = ["# Edits against natural speech\n", "\n".join(f"- {fact}" for fact in facts) + "\n"]
    for condition in dict.fromkeys(row.condition for row in rows):
        own = {key: pair for key, pair in pairs.items() if key[1] == condition}
        parts.append(f"## {condition[0].upper()}{condition[1:]} ({len(own)} edits)\n")
        parts.append(_table(own))
        before = by_edit([row for row in earlier if row.condition == condition])
        if before.keys() & own.keys():
            parts.append(_changes(own, before))
    return "\n".join([*parts, _worst(pairs), LEGEND + "\n"])


@dataclass(frozen=True)
class Compared:
    """A measure of patches and of the natural stretches of the same recordings, (n,) each, NaN
    where one is undefined; ``every``: those stretches one by one."""

    patch: list[float]
    natural: list[float]
    every: list[float]

    @property
    def difference(self) -> Interval:
        """Patch minus natural, edit by edit."""
        return Interval.of(a - b for a, b in zip(self.patch, self.natural, strict=True))


def compared(pairs: Pairs, name: str) -> Compared:
    """A measure of every edit."""
    return Compared(
        [figure(own, name) for own, _ in pairs.values()],
        [known_mean([figure(n, name) for n in rest]) for _, rest in pairs.values()],
        [figure(n, name) for _, rest in pairs.values() for n in rest],
    )


def _table(pairs: Pairs) -> str:
    lines = []
    for name in PAIRED:
        found = compared(pairs, name)
        shown = (_shown(found.patch, name), _shown(found.every, name))
        lines.append((name, *shown, found.difference.shown(sign="+")))
    for name in OF_PATCHES:
        value = known_mean(compared(pairs, name).patch)
        own = f"{value:.1%} above the 95th percentile" if name != "plcmos" else f"{value:.2f}"
        lines.append((name, own, "–", "–"))
    return markdown_table(["measure", "patch", "natural", "patch − natural (95 %)"], lines)


def changes(rows: Sequence[Measured], earlier: Sequence[Measured], name: str) -> list[float]:
    """A measure's change since the same edits' patches of an earlier run, edit by edit, where both
    have it."""
    now, before = by_edit(rows), by_edit(earlier)
    found = [
        figure(now[key][0], name) - figure(before[key][0], name) for key in now if key in before
    ]
    return [value for value in found if not math.isnan(value)]


def _changes(pairs: Pairs, before: Pairs) -> str:
    """Each patch's measures minus those of the same edit's patch in an earlier run."""
    both = [key for key in pairs if key in before]
    lines = []
    for name in (*PAIRED, *OF_PATCHES):
        old = [figure(before[key][0], name) for key in both]
        found = [figure(pairs[key][0], name) - was for key, was in zip(both, old, strict=True)]
        valid = [value for value in found if not math.isnan(value)]
        higher = f"{sum(value > 0 for value in valid)} of {len(valid)}"
        lines.append((name, f"{known_mean(old):.3f}", Interval.of(valid).shown(3, "+"), higher))
    head = f"Patches of the {len(both)} edits that the earlier run has too:\n\n"
    return head + markdown_table(["measure", "earlier", "now − earlier (95 %)", "higher"], lines)


def _shown(values: Sequence[float], name: str) -> str:
    valid = [value for value in values if not math.isnan(value)]
    if not valid:
        return "–"
    text = f"{np.mean(valid):.2f}"
    if name in SPREAD:
        worst = max(valid, key=abs)
        return f"{text}, SD {np.std(valid):.2f}, worst {worst:+.1f}"
    return text


def _worst(pairs: Pairs) -> str:
    lines = ["## The worst cases\n"]
    for name in WORST:
        differences = []
        for key, (own, rest) in pairs.items():
            natural = known_mean([figure(n, name) for n in rest])
            value = figure(own, name) - natural
            if not math.isnan(value):
                differences.append((abs(value) if name == "level" else -value, value, key))
        differences.sort(reverse=True)
        cases = ", ".join(
            f"{edit} {condition} ({value:+.2f})"
            for _, value, (edit, condition) in differences[:SHOWN]
        )
        lines.append(f"- {name}: {cases}")
    return "\n".join(lines) + "\n"


LEGEND = """\
Patch: the new words alone. Natural: up to three stretches of the same length in the same
recording, beginning with a word. Level: speech of the stretch minus that of the second before and
after, dB; "at phones": minus the rest of the recording at equal phone classes. Similarity: cosine
of Resemblyzer's embeddings of the stretch and the rest. F0: semitones; offset of the median, 10th
to 90th percentile. Voiced: share of frames minus the rest's at equal phones. Middle and high: 2.5–4
and 4–7.5 kHz relative to below 1 kHz, minus the rest's at equal phones, dB. Detail: second
differences of the mel across bins over the rest's. DNSMOS: OVRL, SIG and P.808 of the stretch
alone. Joints: share of joints at which a measure exceeds the 95th percentile of the same
recording's natural places. PLCMOS is reported but not used for choices, because it is saturated."""
