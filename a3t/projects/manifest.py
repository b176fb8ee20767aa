"""A list of edits, read: a line an edit, each as the options of the single command.

.tsv: tab-separated, the first line names the columns. .jsonl: a JSON object a line. A column is an
option by its name (`wav`, `new_text`, `text`, `out`, `seed`, `speed` …); what a line leaves open is
as on the command line. Files are found from the list's folder, outputs lie in --out-dir.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from a3t import __version__
from a3t.audio.writing import default_output
from a3t.errors import InputError
from a3t.source.transcripts import SIDECARS

LARGEST = 200_000_000  # bytes

# These hold for the whole list, or are no edit's at all.
WHOLE = {"manifest", "out_dir", "jobs", "scheduler", "model", "vocoder", "voice", "device"}
NO_EDIT = {"replay", "plan", "json", "yes", "history", "undo", "redo"}
FILES = ("wav", "alignment", "dict")
YES, NO = ("yes", "true", "1"), ("no", "false", "0")

Line = tuple[int, dict[str, str]]  # its number, from 1, and its cells by column


@dataclass(frozen=True, slots=True)
class ManifestEdit:
    """A line of the list: the options that it comes to, and what names them all in edit.json."""

    line: int
    options: argparse.Namespace
    digest: str
    sources: tuple[Path, ...]  # the files that it is made of
    problem: str | None = None  # why it can't be done, if that is known already

    @property
    def done(self) -> bool:
        """Whether its edit.json, which is written last, is there and newer than what it is of."""
        out: Path = self.options.out
        record = out.with_name(f"{out.stem}.edit.json")
        try:
            made = record.stat().st_mtime
            if any(path.stat().st_mtime > made for path in (out, *self.sources)):
                return False
            told = json.loads(record.read_text(encoding="utf-8"))
            return isinstance(told, dict) and told.get("job") == self.digest
        except (OSError, ValueError):
            return False


def read_jobs(options: argparse.Namespace, parser: argparse.ArgumentParser) -> list[ManifestEdit]:
    """The list's edits; InputError if it can't be read or two edits would write the same file.

    ``options`` are the command's own, ``parser`` the one that read them.
    """
    usual = vars(parser.parse_args([]))
    known = {name: usual[name] for name in usual if name not in WHOLE | NO_EDIT}
    parser.error = _refuse  # type: ignore[method-assign]
    manifest: Path = options.manifest
    jobs: list[ManifestEdit] = []
    written: dict[Path, int] = {}
    for line, row in _lines(manifest):
        strange = sorted(row.keys() - known.keys())
        if strange:
            raise InputError(
                f"{manifest}, line {line}: “{strange[0]}” is not an option of an edit; columns "
                f"may be {', '.join(sorted(known))}."
            )
        job = _job(line, row, options, parser, known)
        target = job.options.out.with_suffix("")
        if target in written:
            raise InputError(
                f"{manifest}: lines {written[target]} and {line} would both write "
                f"{job.options.out.name}: give them an “out” each."
            )
        written[target] = line
        jobs.append(job)
    if not jobs:
        raise InputError(f"{manifest} has no edits in it.")
    return jobs


def _refuse(message: str) -> NoReturn:
    """What a wrong argument comes to here: no end of the program."""
    raise InputError(f"{message[:1].upper()}{message[1:]}.")


def _job(
    line: int,
    row: Mapping[str, str],
    options: argparse.Namespace,
    parser: argparse.ArgumentParser,
    usual: Mapping[str, Any],
) -> ManifestEdit:
    folder, into = options.manifest.resolve().parent, options.out_dir.resolve()
    given = argparse.Namespace(**vars(options))
    given.wav, given.out, given.plan, problem = folder, None, False, None
    try:
        missing = [name for name in ("wav", "new_text") if not row.get(name)]
        if missing:
            raise InputError(f"It has no “{missing[0]}”.")
        arguments = [part for name in row for part in _argument(name, row[name], usual, folder)]
        parser.parse_args(arguments, given)
    except InputError as error:
        problem = str(error)
    given.out = (into / (given.out or default_output(given.wav.name))).resolve()
    if into not in given.out.parents:
        problem = f"{given.out} is not in {into}: “out” names a file there."
    apart = (WHOLE | NO_EDIT) - {"model", "vocoder", "voice"}
    told = {name: str(value) for name, value in vars(given).items() if name not in apart}
    digest = hashlib.sha256(json.dumps([__version__, told]).encode()).hexdigest()
    return ManifestEdit(line, given, digest, _sources(given), problem)


def _argument(name: str, value: str, usual: Mapping[str, Any], folder: Path) -> list[str]:
    """A cell as an argument of the command; none where it is empty."""
    option = f"--{name.replace('_', '-')}"
    if value == "":
        return []
    if isinstance(usual[name], bool):
        if value.lower() not in YES + NO:
            raise InputError(f"“{name}” is yes or no, not “{value}”.")
        return [option] if value.lower() in YES else []
    if name in FILES:
        value = str(folder / value)
    elif value.startswith("@"):
        value = f"@{folder / value[1:]}"
    return [f"{option}={value}"]


def _sources(given: argparse.Namespace) -> tuple[Path, ...]:
    """The files that an edit reads, as far as its options tell."""
    files = [path for path in (given.wav, given.alignment, given.dict) if path]
    for text in (given.text, given.new_text):
        if text and text.startswith("@"):
            files.append(Path(text[1:]))
    if given.text is None:
        beside = (given.wav.with_suffix(suffix) for suffix in SIDECARS)
        files.extend(path for path in beside if path.is_file())
    return tuple(files)


def _lines(manifest: Path) -> Iterator[Line]:
    read = {".tsv": _table, ".jsonl": _objects}.get(manifest.suffix.lower())
    if read is None:
        raise InputError(f"{manifest} is not a list of edits: its name must end in .tsv or .jsonl.")
    try:
        if manifest.stat().st_size > LARGEST:
            raise InputError(f"{manifest} is too large for a list of edits: cut it into parts.")
        lines = manifest.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(f"{manifest} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{manifest} is not a text in UTF-8: save it again.") from None
    return read(manifest, lines)


def _table(manifest: Path, lines: list[str]) -> Iterator[Line]:
    # A quotation mark is a character like any other: it is not spoken, and may stand alone.
    table = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    names = [name.strip().lower() for name in next(table, [])]
    for number, cells in enumerate(table, 2):
        if len(cells) > len(names):
            raise InputError(f"{manifest}, line {number}: it has more cells than columns.")
        if any(cell.strip() for cell in cells):
            yield number, {name: c.strip() for name, c in zip(names, cells, strict=False)}


def _objects(manifest: Path, lines: list[str]) -> Iterator[Line]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or any(isinstance(v, list | dict) for v in row.values()):
            raise InputError(f"{manifest}, line {number}: it is no JSON object of plain values.")
        yield number, {name: "" if v is None else str(v) for name, v in row.items()}
