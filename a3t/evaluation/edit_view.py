"""What there is to see of an edit on either side of it: sound, words and marks, in seconds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from a3t.errors import InputError

LONGEST = 12.0  # seconds shown; of a longer recording, the part around the first edits
MARGIN = 2.0  # seconds of it before the first edit


@dataclass(frozen=True)
class Mark:
    """An edit's span on one side, in seconds.

    `wordless` where none of its words are: an insertion before it was made, a deletion after.
    """

    op: str
    start: float
    end: float
    wordless: bool


@dataclass(frozen=True)
class Label:
    """A word under the waveform, in seconds; `op` if it belongs to an edit."""

    text: str
    start: float
    end: float
    op: str | None = None


@dataclass(frozen=True)
class Side:
    """What is drawn of one recording: samples (n,) at `rate` from `start` seconds on."""

    title: str
    text: str
    samples: npt.NDArray[np.float32]
    rate: int
    start: float
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]

    @property
    def end(self) -> float:
        return self.start + len(self.samples) / self.rate

    @property
    def shown_labels(self) -> tuple[Label, ...]:
        """Those that are in the picture, in the order of their middles: a neighbour that an edit's
        margin reaches over begins after the edit, and is said before it."""
        first, last = self.start - 0.05, self.end + 0.05  # words cut by the edge are left out
        inside = [word for word in self.labels if first <= word.start and word.end <= last]
        return tuple(sorted(inside, key=lambda label: label.start + label.end))


def read_record(edit_json: Path | str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(edit_json, Mapping):
        return edit_json
    try:
        record = json.loads(Path(edit_json).read_text(encoding="utf-8"))
        if not isinstance(record.get("edits"), list):
            raise ValueError
    except (OSError, ValueError, AttributeError):
        raise InputError(f"{edit_json} is not the record of an edit (edit.json).") from None
    return dict(record)


def sides_of(source: Path, edited: Path, record: Mapping[str, Any]) -> tuple[Side, Side]:
    """Both recordings' shown parts, which begin at the same instant of unchanged sound."""
    rate = int(record["source"]["sample_rate"])
    edits: Sequence[Mapping[str, Any]] = record["edits"]
    seconds = float(record["source"]["samples"]) / rate
    first = min((edit["source"][0] for edit in edits), default=0) / rate
    grown = sum(_length(edit["output"]) - _length(edit["source"]) for edit in edits) / rate
    longest = seconds + max(grown, 0.0)
    start = min(max(0.0, first - MARGIN), longest - LONGEST) if longest > LONGEST else 0.0
    start = max(start, 0.0)
    labels = _labels(record, edits, rate)
    sides = []
    for title, path, key, words in (
        ("Before", source, "source", labels[0]),
        ("After", edited, "output", labels[1]),
    ):
        samples = _read(path, start, LONGEST)
        gone = "insert" if key == "source" else "delete"
        marks = tuple(
            Mark(e["op"], e[key][0] / rate, e[key][1] / rate, e["op"] == gone) for e in edits
        )
        text = str(record.get("text" if key == "source" else "new_text", ""))
        side = Side(title, text, samples, rate, start, marks, words)
        if longest > LONGEST:
            shown = " ".join(label.text for label in side.shown_labels)
            side = replace(side, text=f"… {shown} …")
        sides.append(side)
    return sides[0], sides[1]


def _length(span: Sequence[int]) -> int:
    return int(span[1]) - int(span[0])


def _labels(
    record: Mapping[str, Any], edits: Sequence[Mapping[str, Any]], rate: int
) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """The words before, by the alignment; after, the same moved along, with the new ones in."""
    words = [word for word in record.get("alignment", {}).get("words", []) if word["text"]]
    ops = _edited_words(words, edits, rate)
    old: list[Label] = []
    new: list[Label] = []
    for k, word in enumerate(words):
        old.append(Label(word["text"], word["start"], word["end"], ops.get(k)))
        if k not in ops:
            middle = (word["start"] + word["end"]) / 2 * rate
            # An edit's margin may reach over its neighbour: it counts from its own middle on.
            past = [e for e in edits if sum(e["source"]) / 2 <= middle]
            moved = sum(_length(e["output"]) - _length(e["source"]) for e in past) / rate
            new.append(Label(word["text"], word["start"] + moved, word["end"] + moved))
    for edit in edits:
        text = " ".join(_words(edit["new_words"]))
        if text:
            start, end = (sample / rate for sample in edit["output"])
            new.append(Label(text, start, end, edit["op"]))
    return tuple(old), tuple(new)


def _edited_words(
    words: Sequence[Mapping[str, Any]], edits: Sequence[Mapping[str, Any]], rate: int
) -> dict[int, str]:
    """Which words (by number) an edit takes away, and its op.

    Those in its span that it names; all in its span if it names none of them, as when "42" stands
    for forty-two. A neighbour within the margin of an edit is in the span without being named.
    """
    found: dict[int, str] = {}
    for edit in edits:
        named = {_plain(word) for word in _words(edit["old_words"])}
        first, last = edit["source"]
        inside = [
            k for k, w in enumerate(words) if first <= (w["start"] + w["end"]) / 2 * rate < last
        ]
        chosen = [k for k in inside if _plain(words[k]["text"]) in named]
        if named:
            found.update(dict.fromkeys(chosen or inside, edit["op"]))
    return found


def _plain(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum() or letter == "'")


def _words(value: str | Sequence[str]) -> list[str]:
    return value.split() if isinstance(value, str) else [str(word) for word in value]


def _read(path: Path, start: float, seconds: float) -> npt.NDArray[np.float32]:
    """One channel, the mean of all, of a part of a file."""
    import soundfile

    try:
        with soundfile.SoundFile(str(path)) as file:
            file.seek(min(round(start * file.samplerate), file.frames))
            samples = file.read(round(seconds * file.samplerate), dtype="float32", always_2d=True)
    except (OSError, RuntimeError):  # libsndfile's errors are RuntimeErrors
        raise InputError(f"{path} can't be read as sound.") from None
    mono: npt.NDArray[np.float32] = samples.mean(axis=1)
    return mono
