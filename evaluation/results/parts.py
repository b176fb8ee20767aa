"""The parts of RESULTS.md: each a measurement with the options that the page has it with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.command_line import COMMANDS, module_of
from evaluation.harness.declared_tables import Figures
from evaluation.harness.measurement import Measurement

CONDITIONS = ("clean", "pink noise 20 dB", "room", "8 kHz")


@dataclass(frozen=True)
class Part:
    """A command, about how many minutes of one core it takes, the counts that `--share` scales with
    the least of each, and its other options."""

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
    "boundaries": Part(
        "boundaries", 2, {"sentences": 10}, {"condition": ["clean", "noise 10 dB", "room"]}
    ),
    "labels": Part("hand-labels", 1),
    "spreads": Part("spreads", 1, {"sentences": 8}),
    "pauses": Part("spreads", 1, {"clips": 40}, {"what": "pauses"}),
    "errors": Part("errors", 2, {"clips": 48}),
    "sounds": Part("sounds", 2, {"clips": 36}),
    "recognition": Part("recognition", 3, {"clips": 40}),
    "live": Part("live", 3, {"streams": 20}, {"system": ["offline", "live"]}),
    "near-words": Part("near-words", 4, {"clips": 16}),
    "cleaning": Part("cleaning", 4, {"clips": 24}, {"seed": 91}),
    "speakers": Part("speakers", 2, {"count": 8}, {"seed": 2}),
    "reading": Part("texts", 4, {"words": 2000, "marked": 30_000}, {"texts": None}),
    "backgrounds": Part("backgrounds", 2, {"clips": 8}, {"seed": 17, "kind": ["hum", "music"]}),
}


def minutes_of(names: Sequence[str]) -> float:
    """About how many minutes of one core these parts take."""
    return sum(PARTS[name].minutes for name in names)
