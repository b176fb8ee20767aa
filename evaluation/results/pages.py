"""The page RESULTS.md, part by part; --help names the parts.

Each part's figures are kept in the folder as JSON, with the weights they are of. A part that is
there is not run again, so an interrupted run goes on with the same command; other weights are
refused. RESULTS.md in the folder is written anew after every part. What is missing is left out of
it, and named at its end. --texts is a folder of texts for homographs and punctuation.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from a3t.errors import InputError
from evaluation.command_line import COMMANDS, module_of
from evaluation.harness.declared_tables import Figures
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import NAMED, Measurement, weights
from evaluation.harness.processes import ROOT
from evaluation.harness.report_files import write_text
from training.programs import Program, option

CONDITIONS = ("clean", "pink noise 20 dB", "room", "8 kHz")


@dataclass(frozen=True)
class Part:
    """A command, and about how many minutes of one core it takes.

    With them the counts that `--share` scales with the least of each, and its other options.
    """

    command: str
    minutes: float
    counts: Mapping[str, int | tuple[int, int]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def hears(self) -> bool:
        """True if the figures depend on no weights that edits are made with."""
        return COMMANDS[self.command][0].startswith(("hearing.", "text_readings"))

    def figures(self, work: Path, texts: Path | None, share: float) -> Figures:
        """Measure, or go on measuring, in a folder; raises InputError."""
        values: dict[str, Any] = dict(self.options)
        for name, sizes in self.counts.items():
            usual, least = sizes if isinstance(sizes, tuple) else (sizes, 3)
            values[name] = max(min(usual, least), round(usual * share))
        if "texts" in values:
            values["texts"] = texts
        measurement: Measurement = module_of(self.command).MEASUREMENT
        return measurement.figures(measurement.rows(measurement.setting(work, **values)))


# In the order of the page.
PARTS: Mapping[str, Part] = {
    "untouched": Part("untouched", 2, {"edits": 25}),
    "edits": Part("edits", 9, {"edits": (24, 24)}, {"condition": CONDITIONS}),
    # Never fewer: what a classifier learns, and so what it tells, depends on their number.
    "detector": Part("detector", 4, {"edits": (40, 40)}),
    "ladder": Part("ladder", 5, {"places": (40, 40)}),
    "vocoder": Part(
        "vocoders", 2, {"clips": 8}, {"vocoder": ["builtin"], "only": True, "unseen": True}
    ),
    "speech": Part("speech", 2, {"voices": 6}),
    "joints": Part("joints", 3, {"clips": (36, 12)}),
    "voices": Part("voices", 8, {"voices": (4, 2)}, {"recordings": 1, "edits": 5}),
    "speed": Part("edit-speed", 3, options={"runs": 3}),
    "long": Part("long-files", 2, options={"runs": 1}),
    "page": Part("page-waits", 1),
    "labels": Part("hand-labels", 1),
    "errors": Part("errors", 2, {"clips": 48}),
    "sounds": Part("sounds", 2, {"clips": 36}),
    "recognition": Part("recognition", 3, {"clips": 40}),
    "live": Part("live", 3, {"streams": 20}, {"system": ["offline", "live"]}),
    "near-words": Part("near-words", 4, {"clips": 16}),
    "minutes": Part("near-words", 12, {"clips": (48, 24)}, {"minutes": [1]}),
    "several": Part("near-words", 25, {"clips": (24, 8)}, {"several": True}),
    "cleaning": Part("cleaning", 4, {"clips": 24}, {"seed": 91}),
    "speakers": Part("speakers", 2, {"count": 8}, {"seed": 2}),
    "reading": Part("texts", 4, {"words": 2000, "marked": 30_000}, {"texts": None}),
    "backgrounds": Part("backgrounds", 2, {"clips": 8}, {"seed": 17, "kind": ["hum", "music"]}),
}


def minutes_of(names: Sequence[str]) -> float:
    """Estimate how many minutes of one core these parts take."""
    return sum(PARTS[name].minutes for name in names)


TEMPLATE = Path(__file__).with_name("page.md")
PLACE = re.compile(r"\{(aim )?([\w-]+)\.([\w.,-]+?)(?:(:[^}]+)| (<=|>=) ([\d.]+))?\}")

VALUE = ".value"  # behind a figure's name: without its interval

Parts = Mapping[str, Mapping[str, Any]]


def needed(name: str, used: Mapping[str, str]) -> dict[str, str]:
    """Return the weights that a part's figures depend on."""
    hears = PARTS[name].hears
    return {key: digest for key, digest in used.items() if not hears or key not in NAMED}


def commit() -> str:
    """Return the checkout's commit, or "unknown"."""
    command = ["git", "describe", "--always", "--dirty=, changed", "--exclude=*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def processor() -> str:
    """Return the processor's name, and how many cores there are."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} cores ({(names or [platform.processor() or 'unknown'])[0]})"


def kept(folder: Path) -> dict[str, dict[str, Any]]:
    """Read the parts that a folder holds, by name; raise InputError if one can't be read."""
    found = {}
    for name in PARTS:
        path = folder / f"{name}.json"
        if path.exists():
            try:
                found[name] = dict(json.loads(path.read_text(encoding="utf-8")))
                assert {"figures", "weights", "commit", "processor", "date"} <= found[name].keys()
            except (OSError, ValueError, TypeError, AssertionError):
                raise InputError(f"{path} is no part of this command: move it away.") from None
    return found


def measure(name: str, options: argparse.Namespace, used: Mapping[str, str]) -> None:
    """Run a part and keep its figures in the folder; raises InputError."""
    begun = time.perf_counter()
    work = options.out / f"work {'-'.join(used[name][:4] for name in NAMED)}" / name
    figures = PARTS[name].figures(work, options.texts, options.share)
    part = {
        "figures": {key: _plain(value) for key, value in figures.items()},
        "weights": dict(used),
        "commit": commit(),
        "processor": processor(),
        "date": f"{datetime.now(UTC):%d %B %Y}",
        "share": options.share,
        "seconds": round(time.perf_counter() - begun, 1),
    }
    write_text(options.out / f"{name}.json", json.dumps(part, indent=1) + "\n")


def _plain(value: Any) -> Any:
    """Round a figure for JSON to four decimals; None for what is no number."""
    if isinstance(value, Interval):
        return [_plain(each) for each in value.to_json()]
    if isinstance(value, str):
        return value
    return None if math.isnan(value) else round(float(value), 4)


def page_of(parts: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, str]) -> str:
    """Write the page by the parts that there are; ``reasons`` of those that weren't measured."""
    if not parts:
        raise InputError("No part could be measured: " + "; ".join(reasons.values()))
    latest = list(parts.values())[-1]
    used: dict[str, str] = {}
    for name, part in parts.items():
        used |= needed(name, part["weights"])
    run = {
        "weights": ", ".join(f"{name} {digest}" for name, digest in used.items()),
        "commit": ", ".join(dict.fromkeys(part["commit"] for part in parts.values())),
        "processor": latest["processor"],
        "date": latest["date"],
    }
    missing = [f"{name} ({reasons.get(name, 'not run')})" for name in PARTS if name not in parts]
    left_out = f"Left out of this page: {'; '.join(missing)}." if missing else ""
    figures = {name: part["figures"] for name, part in parts.items()}
    return filled(TEMPLATE.read_text(encoding="utf-8"), {"run": run, **figures}, left_out)


def filled(template: str, parts: Parts, left_out: str = "") -> str:
    """Fill the template with its figures.

    A line with a figure that is missing goes, and with the last line of a block that had figures
    the block.
    """
    missed: list[str] = []
    blocks = []
    for block in template.split("\n\n"):
        lines = block.split("\n")
        done = [_line(line, parts, missed) for line in lines]
        with_figures = [k for k, line in enumerate(lines) if PLACE.search(line)]
        table = block.startswith(("|", "- "))
        whole = with_figures and (any if not table else all)(done[k] is None for k in with_figures)
        if not whole:
            blocks.append("\n".join(line for line in done if line is not None))
    page = "\n\n".join(blocks)
    listed = "\n".join(f"- {line}" for line in missed) or "None."
    page = page.replace("{missed}", listed).replace("{left-out}", left_out)
    return re.sub(r"\n{3,}", "\n\n", page).strip() + "\n"


def _line(line: str, parts: Parts, missed: list[str]) -> str | None:
    """Fill the line, None if a figure is missing; an aim that is missed is noted."""
    failed: list[str] = []

    def fill(place: re.Match[str]) -> str:
        aim, part, key, form, way, limit = place.groups()
        figure = parts[part][key.removesuffix(VALUE)]
        if key.endswith(VALUE):
            figure = figure[0] if isinstance(figure, list) else figure
        if aim is None:
            return shown(figure, (form or ":")[1:])
        value = figure[0] if isinstance(figure, list) else figure
        text = f"{'≥' if way == '>=' else '≤'} {limit}"
        if (value >= float(limit)) if way == ">=" else (value <= float(limit)):
            return text
        failed.append(f"{value:.3g} ({text})")
        return f"**{text}**"

    try:
        done = PLACE.sub(fill, line)
    except (KeyError, TypeError):
        return None
    if failed:
        missed.append(f"{line.split('|')[1].strip()}: {', '.join(failed)}")
        missed[-1] = PLACE.sub(fill, missed[-1])
    return done


def shown(figure: Any, form: str) -> str:
    """Format a figure, with its interval if it has one; raise TypeError for None."""
    if isinstance(figure, str):
        return figure
    if isinstance(figure, list):
        value, low, high, count = (math.nan if x is None else x for x in figure)
        return format(Interval(value, low, high, int(count)), form)
    return format(figure, form)


def run(options: argparse.Namespace) -> None:
    """Measure the parts that are missing, and write the page; raises InputError."""
    wanted = list(filter(None, options.parts.split(",")))
    if unknown := set(wanted) - PARTS.keys():
        raise InputError(f"There is no part {sorted(unknown)[0]}: choose {', '.join(PARTS)}.")
    options.out.mkdir(parents=True, exist_ok=True)
    if not 0 < options.share <= 10:
        raise InputError("--share goes from 0 to 10.")
    used, reasons = weights(), dict[str, str]()
    for name, part in kept(options.out).items():
        if needed(name, part["weights"]) != needed(name, used):
            raise InputError(
                f"{options.out / name}.json is of other weights: move it away, to measure it anew."
            )
    missing = [name for name in wanted if not (options.out / f"{name}.json").exists()]
    print(
        f"{len(wanted) - len(missing)} of {len(wanted)} parts are there; the others take about "
        f"{options.share * minutes_of(missing):.0f} minutes of one idle core.",
        flush=True,
    )
    for number, name in enumerate(missing, start=1):
        if (options.out / f"{name}.json").exists():
            continue  # measured by another process meanwhile
        minutes = options.share * minutes_of([name])
        print(f"{number} of {len(missing)}: {name}, about {minutes:.0f} min", flush=True)
        try:
            measure(name, options, used)
        except InputError as error:
            reasons[name] = str(error).rstrip(".")
            print(f"left out: {error}", flush=True)
        parts = kept(options.out)
        if parts:
            write_text(options.out / "RESULTS.md", page_of(parts, reasons))
    write_text(options.out / "RESULTS.md", page_of(kept(options.out), reasons))
    print(options.out / "RESULTS.md")


main = Program(
    run,
    option("--out", type=Path, required=True, metavar="FOLDER"),
    option("--parts", metavar="A,B", default=",".join(PARTS), help=f"default: {', '.join(PARTS)}"),
    option("--texts", type=Path, metavar="FOLDER"),
    option(
        "--share", type=float, default=1.0, metavar="X", help="share of each sample (default: 1)"
    ),
    name="evaluation results",
)
