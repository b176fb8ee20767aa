"""The differences between two folders of results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

OLD = (  # BEFORE's records that AFTER replays
    *(f"list/{name}" for name in ("several", "moved", "pause", "stereo", "float", "long", "fit")),
    "talk.edited",
    "planned",
)


def differences(before: Path, after: Path) -> Iterator[tuple[str, str]]:
    """The names of files that differ, and how they differ."""
    names = {
        str(path.relative_to(folder))
        for folder in (before, after)
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] != "old"
    }
    for name in sorted(names):
        if how := difference(before / name, after / name):
            yield name, how
    for path in sorted((after / "old").glob("*.wav")):
        made = next(before / f"{name}.wav" for name in OLD if Path(name).name == path.stem)
        if how := difference(made, path):
            yield f"{path.name} of the old edit.json", how


def difference(one: Path, other: Path) -> str:
    """The difference of two files in words; "" if there is none."""
    for path, which in ((one, "before"), (other, "after")):
        if not path.is_file():
            return f"missing {which}"
    if one.read_bytes() == other.read_bytes():
        return ""
    if one.suffix == ".json":
        records = [json.loads(path.read_text(encoding="utf-8") or "null") for path in (one, other)]
        kinds = {
            re.sub(r"\d+", "", how.split(":")[0]): how for how in unlike(*map(comparable, records))
        }
        return "; ".join(kinds.values())
    if one.name == "report.tsv":
        tables = [path.read_text(encoding="utf-8").splitlines() for path in (one, other)]
        rows = [[line.split("\t")[:4] for line in table] for table in tables]
        return "" if rows[0] == rows[1] else "other lines"
    try:
        sounds = [soundfile.read(path, always_2d=True) for path in (one, other)]
    except soundfile.LibsndfileError:
        return "other bytes"
    (samples, rate), (others, other_rate) = sounds
    if samples.shape != others.shape or rate != other_rate:
        return f"{samples.shape} at {rate} Hz, then {others.shape} at {other_rate} Hz"
    unequal = np.flatnonzero((samples != others).any(axis=1))
    if len(unequal):
        most = np.abs(samples - others).max()
        return (
            f"{len(unequal)} of {len(samples)} samples, {unequal[0] / rate:.3f} to "
            f"{unequal[-1] / rate:.3f} s, by at most {most:.2g}"
        )
    return "" if one.suffix == ".ogg" else "the same samples, other bytes around them"


def comparable(record: Any) -> Any:
    """The record without the seconds that steps took and without what depends on the version."""
    if isinstance(record, list):
        return [comparable(each) for each in record]
    if not isinstance(record, dict):
        return record
    left = {key: comparable(value) for key, value in record.items() if key != "job"}
    if isinstance(left.get("seconds"), dict):
        del left["seconds"]  # those of the steps; a word's are a number
    source = record.get("source")
    if isinstance(source, dict) and str(source.get("path")).endswith(".ogg"):
        left.pop("output", None)  # its sha256
    return left


def unlike(one: Any, other: Any, at: str = "") -> Iterator[str]:
    """The places at which two JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            yield from unlike(one.get(key), other.get(key), f"{at}.{key}".lstrip("."))
    elif isinstance(one, list) and isinstance(other, list):
        for k, (left, right) in enumerate(zip_longest(one, other)):
            yield from unlike(left, right, f"{at}[{k}]")
    elif one != other:
        yield f"{at}: {str(one)[:80]} → {str(other)[:80]}"
