"""A measurement: its items, what is measured of each, its tables. This makes it a command.

With ``--out FOLDER`` every item's rows are kept in FOLDER/rows.jsonl as soon as they are measured:
the same command goes on where it was stopped, and does again what failed. FOLDER then has the
report, too.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tqdm import tqdm

from a3t.editor import Editor
from a3t.errors import InputError
from a3t.pretrained import WEIGHTS, checkpoint_folder
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import Alignment
from alignment.aligners.network_aligner import NetworkAligner
from evaluation.harness.declared_tables import Figures, Row, Rows, Table
from evaluation.harness.processes import ROOT
from evaluation.harness.report_files import json_line, markdown_table, read_lines, write_report
from training.corpora import Clip, corpora_root, read_corpora
from training.programs import Option, Program, option

ROWS = "rows.jsonl"
NAMED = ("small", "vocoder-small", "durations")  # weights that edits are made with


def repeated(name: str, default: Sequence[str], **settings: Any) -> Option:
    """Return an option that may be given several times, with its defaults."""
    shown = {"help": f"repeatable; default: {', '.join(default)}", "metavar": "NAME"}
    return option(name, action="append", **{**shown, **settings})


CORPORA = option("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
OUT = option("--out", type=Path, metavar="FOLDER", help="keep rows and report; resume from there")
INTO = option("--out", type=Path, required=True, metavar="FOLDER")
MODEL = (
    option("--model", default="small", metavar="NAME_OR_PATH"),
    option("--vocoder", default="builtin", metavar="NAME_OR_PATH"),
)
HALF = option("--set", default="report", choices=["choose", "report"], help="half of the voices")
CHOSEN = option("--chosen", action="store_true", help="measure the half used for choices")


class Setting:
    """The context of a measurement's items: its options, a folder, and objects loaded once."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.known: dict[Any, Any] = {}  # what one item leaves for the next
        self.left_out: list[tuple[Any, str]] = []  # items that failed, named with the reason

    @cached_property
    def editor(self) -> Editor:
        """The editor, loaded once, with the models of the options."""
        model = getattr(self.options, "model", "small")
        return Editor.load(model, vocoder=getattr(self.options, "vocoder", "builtin"))

    @property
    def models(self) -> str:
        """The names and digests of the models, for a table's head."""
        vocoder = self.editor.vocoder
        digests = [(each or "")[:12] for each in (self.editor.sha256, vocoder.sha256)]
        return f"Model: {self.editor.name} {digests[0]}; vocoder: {vocoder.name} {digests[1]}"

    @cached_property
    def clips(self) -> list[Clip]:
        """The clips of the corpora."""
        return read_corpora(getattr(self.options, "corpora", None) or corpora_root())

    @cached_property
    def aligner(self) -> NetworkAligner:
        """The default aligner."""
        return NetworkAligner()

    @cached_property
    def pronouncer(self) -> Pronouncer:
        """The pronouncer, without words of a user's."""
        return Pronouncer()

    def align(
        self, samples: np.ndarray, rate: int, words: Sequence[str], check: bool = True
    ) -> Alignment:
        """Align a recording, mono (n,), with its spoken words; AlignmentError if that fails."""
        choices = self.pronouncer.choices(words)
        return self.aligner.align(samples, rate, words, choices, check=check)


@dataclass(frozen=True)
class Measurement:
    """A measurement: its items, what is measured of each, and its report.

    items: makes a list, always the same for the same options. measure: an item's rows; one that
    raises InputError is left out, and named. tables: of the report; without any all figures, or
    what ``report`` makes of the rows. legend: explains it. key: of an item, by which its rows are
    kept whatever the options are.
    """

    items: Callable[[Setting], Iterable[Any]]
    measure: Callable[[Any, Setting], Iterable[Row]]
    tables: Sequence[Table] = ()
    options: Sequence[Option] = ()
    unit: str = "clip"
    legend: str = ""
    report: Callable[[Rows, Setting], str] | None = None
    figured: Callable[[Rows], Figures] | None = None  # if not the tables' figures
    key: Callable[[Any], str] | None = None

    def program(self, name: str, about: str | None) -> Program:
        """Return the measurement as a command of this name."""

        def work(options: argparse.Namespace) -> None:
            self.run(name, options)

        return Program(work, *self.options, OUT, name=f"evaluation {name}", about=about)

    def setting(self, folder: Path, **values: Any) -> Setting:
        """Return the setting that the options' defaults make, but for ``values``."""
        options = self.program("", None).parse([])
        if unknown := values.keys() - vars(options).keys():
            raise TypeError(f"there is no option {unknown}")
        vars(options).update(values, out=folder)
        return Setting(options, folder)

    def figures(self, rows: Rows) -> Figures:
        """Return all figures by their names."""
        if self.figured is not None:
            return self.figured(rows)
        return {k: v for table in self.tables for k, v in table.figures(rows).items()}

    def page(self, rows: Rows, setting: Setting) -> str:
        """Write the report."""
        if self.report is not None:
            parts = [self.report(rows, setting)]
        else:
            parts = [table.markdown(rows) for table in self.tables]
            if not parts:
                figures = self.figures(rows).items()
                lines = [(k, v if isinstance(v, str) else f"{v:.3g}") for k, v in figures]
                parts = [markdown_table(["figure", "value"], lines)]
        if hasattr(setting.options, "model"):
            parts.insert(0, f"{setting.models}\n")
        if setting.left_out:
            reasons = [f"- {reason}\n" for _, reason in setting.left_out]
            parts.append(f"Left out: {len(reasons)}\n{''.join(reasons)}")
        return "\n".join([*parts, *filter(None, [self.legend])])

    def rows(self, setting: Setting) -> list[Row]:
        """Measure all rows; the setting has what was left out. InputError if there are none."""
        items, rows = list(self.items(setting)), list[Row]()
        setting.folder.mkdir(parents=True, exist_ok=True)
        path = setting.folder / ROWS
        made_of = {} if self.key else self._made_of(setting)
        done = _measured(path, made_of)
        with open(path, "a", encoding="utf-8") as file:
            if file.tell() == 0:
                file.write(json_line(made_of))
            for number, item in enumerate(tqdm(items, unit=self.unit, disable=None)):
                key = self.key(item) if self.key else number
                if key not in done:
                    try:
                        done[key] = list(self.measure(item, setting))
                    except InputError as error:
                        named = getattr(item, "name", number)
                        setting.left_out.append((item, f"{named}: {error}"))
                        continue
                    # At once: an interrupted run has all of an item's rows or none.
                    file.write(json_line([key, done[key]]))
                    file.flush()
                rows += done[key]
        if not rows:
            reasons = [f": {reason}" for _, reason in setting.left_out]
            reason = reasons[0] if reasons else ", there is nothing to measure"
            raise InputError(f"No {self.unit} could be measured{reason}")
        return rows

    def _made_of(self, setting: Setting) -> dict[str, Any]:
        """Return the values that the rows depend on."""
        values = {k: v for k, v in vars(setting.options).items() if k != "out"}
        return {"options": {k: str(v) for k, v in values.items()}, "weights": weights()}

    def run(self, name: str, options: argparse.Namespace) -> None:
        """Measure and report."""
        with ExitStack() as stack:
            kept = options.out is not None
            folder = options.out or Path(stack.enter_context(TemporaryDirectory()))
            setting = Setting(options, folder)
            try:
                rows = self.rows(setting)
            except KeyboardInterrupt:
                again = "what was measured is kept, and the same command goes on from there."
                raise KeyboardInterrupt(f"Interrupted: {again}" if kept else "") from None
            page = self.page(rows, setting)
            if kept:
                write_report(folder, name, page)
            else:
                print(page)


def _measured(path: Path, made_of: dict[str, Any]) -> dict[int | str, list[Row]]:
    """Return the rows of each item that an earlier run measured; InputError for another run."""
    lines = read_lines(path)
    if lines and lines[0] != made_of:
        raise InputError(
            f"{path} has rows of other options or weights: choose another folder, or move it away."
        )
    return {key: list(rows) for key, rows in lines[1:]}


def read_rows(folder: Path) -> list[Row]:
    """Read the rows of an earlier run; InputError if it kept none in the folder."""
    lines = read_lines(folder / ROWS)
    if not lines:
        raise InputError(f"{folder} has no {ROWS} written by this command.")
    return [row for _, rows in lines[1:] for row in rows]


def weights() -> dict[str, str]:
    """Return 12 digits of the sha256 of the weights that edits are made with, by name.

    With them come those of all others together: what hears, and what reads.
    """
    digests = {name: digest([checkpoint_folder(name) / WEIGHTS]) for name in NAMED}
    others = {path for path in ROOT.glob("a3t/pretrained/*/*") if path.parent.name not in NAMED}
    readers = [path for path in others if path.suffix in (".safetensors", ".json")]
    return digests | {
        "hearing": digest(ROOT.glob("alignment/**/*.safetensors")),
        "reading": digest(readers),
    }


def digest(paths: Iterable[Path]) -> str:
    """Return 12 digits of the sha256 of some files."""
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.read_bytes())
    return found.hexdigest()[:12]
