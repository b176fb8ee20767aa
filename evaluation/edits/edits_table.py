"""Reports the edits' measures: patches against natural speech, paired, and the worst cases."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from evaluation.edits.conditions import CLEAN
from evaluation.edits.experiment import PATCH, STRETCH, Measured
from evaluation.edits.segment_metrics import MEASURES
from evaluation.harness.estimates import Interval, Mean

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
    return Mean.of(values).value


def markdown_report(
    rows: Sequence[Measured], facts: Sequence[str], earlier: Sequence[Measured] = ()
) -> str:
    """The page: the setup, a table for each condition, level shifts, worst cases; and what changed
    since an ``earlier`` run of the same edits, if there was one."""
    pairs = by_edit(rows)
    conditions = list(dict.fromkeys(row.condition for row in rows))
    parts = ["# Edits against natural speech\n", "\n".join(f"- {fact}" for fact in facts) + "\n"]
    for condition in conditions:
        own = {key: pair for key, pair in pairs.items() if key[1] == condition}
        parts.append(f"## {condition[0].upper()}{condition[1:]} ({len(own)} edits)\n")
        parts.append(_table(own))
        parts.append(_by_voice([row for row in rows if row.condition == condition]))
        before = by_edit([row for row in earlier if row.condition == condition])
        if before.keys() & own.keys():
            parts.append(_changes(own, before))
    if CLEAN in conditions and len(conditions) > 1:
        parts.append(_shifts(pairs, conditions))
    parts += [_worst(pairs), LEGEND + "\n"]
    return "\n".join(parts)


def _table(pairs: Pairs) -> str:
    lines = ["| measure | patch | natural | patch − natural (95 %) |", "|---|---|---|---|"]
    for name in PAIRED:
        patch = [figure(own, name) for own, _ in pairs.values()]
        natural = [known_mean([figure(n, name) for n in rest]) for _, rest in pairs.values()]
        every = [figure(n, name) for _, rest in pairs.values() for n in rest]
        differences = [a - b for a, b in zip(patch, natural, strict=True)]
        lines.append(
            f"| {name} | {_shown(patch, name)} | {_shown(every, name)} | "
            f"{Interval.of(differences).shown(sign='+')} |"
        )
    for name in OF_PATCHES:
        patch = [figure(own, name) for own, _ in pairs.values()]
        value = known_mean(patch)
        shown = f"{value:.1%} above the 95th percentile" if name != "plcmos" else f"{value:.2f}"
        lines.append(f"| {name} | {shown} | – | – |")
    return "\n".join(lines) + "\n"


def _by_voice(rows: Sequence[Measured]) -> str:
    """The similarity to the speaker, voice by voice: a mean over edits may be one voice's."""
    lines = ["| voice | edits | similarity: patch | natural |", "|---|---|---|---|"]
    for voice in dict.fromkeys(row.voice for row in rows):
        own = by_edit([row for row in rows if row.voice == voice])
        patch = known_mean([figure(figures, "similarity") for figures, _ in own.values()])
        rest = [figure(n, "similarity") for _, natural in own.values() for n in natural]
        lines.append(f"| {voice} | {len(own)} | {patch:.3f} | {known_mean(rest):.3f} |")
    return "\n".join(lines) + "\n"


def _changes(pairs: Pairs, before: Pairs) -> str:
    """Each patch's measures minus those of the same edit's patch in an earlier run."""
    both = [key for key in pairs if key in before]
    lines = [
        f"Patches of the {len(both)} edits that the earlier run has too:\n",
        "| measure | earlier | now − earlier (95 %) | higher |",
        "|---|---|---|---|",
    ]
    for name in (*PAIRED, *OF_PATCHES):
        old = [figure(before[key][0], name) for key in both]
        differences = [
            figure(pairs[key][0], name) - was for key, was in zip(both, old, strict=True)
        ]
        valid = [value for value in differences if not math.isnan(value)]
        changed = Interval.of(valid).shown(3, "+")
        lines.append(
            f"| {name} | {known_mean(old):.3f} | {changed} | "
            f"{sum(value > 0 for value in valid)} of {len(valid)} |"
        )
    return "\n".join(lines) + "\n"


def _shown(values: Sequence[float], name: str) -> str:
    valid = [value for value in values if not math.isnan(value)]
    if not valid:
        return "–"
    text = f"{np.mean(valid):.2f}"
    if name in SPREAD:
        worst = max(valid, key=abs)
        return f"{text}, SD {np.std(valid):.2f}, worst {worst:+.1f}"
    return text


def _shifts(pairs: Pairs, conditions: Sequence[str]) -> str:
    """By how much a condition shifts the level of patches, compared with natural speech. The worst
    is a patch's own: a line that takes a vowel's power away shifts natural stretches by more."""
    lines = [
        "## Level relative to the same edit of the clean recording, dB\n",
        "| condition | patch | natural | patch − natural (95 %) | worst patch |",
        "|---|---|---|---|---|",
    ]
    for condition in conditions:
        if condition == CLEAN:
            continue
        patches, natural = [], []
        for (edit, name), (own, rest) in pairs.items():
            if name != condition or (edit, CLEAN) not in pairs:
                continue
            clean, clean_rest = pairs[edit, CLEAN]
            patches.append(figure(own, "level") - figure(clean, "level"))
            natural.append(
                known_mean([figure(n, "level") for n in rest])
                - known_mean([figure(n, "level") for n in clean_rest])
            )
        differences = [a - b for a, b in zip(patches, natural, strict=True)]
        worst = max((x for x in patches if not math.isnan(x)), key=abs, default=math.nan)
        lines.append(
            f"| {condition} | {known_mean(patches):+.2f} | {known_mean(natural):+.2f} | "
            f"{Interval.of(differences).shown(sign='+')} | {worst:+.1f} |"
        )
    return "\n".join(lines) + "\n"


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
to 90th percentile, the larger step at the two ends. Voiced: share of frames minus the rest's at
equal phones. Middle and high: 2.5–4 and 4–7.5 kHz relative to below 1 kHz, minus the rest's at
equal phones, dB. Detail: second differences of the mel across bins over the rest's. Floor: the
quietest tenth minus that of the second on each side, dB. Fall: how steeply levels of bands fall
within 50 ms, the steepest twentieth, minus the rest's, dB; in a room none falls fast. Pace:
durations over the rest's. DNSMOS: OVRL, SIG and P.808 of the stretch alone. Joints: share of joints
at which a measure exceeds the 95th percentile of the same recording's natural places. PLCMOS is
reported but not used for choices, because it is saturated."""
