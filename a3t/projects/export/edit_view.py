"""The content of an edit's picture, before and after: sound, words and marks, in seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from a3t.audio.reading.recording import Recording

LONGEST = 12.0  # seconds shown; a longer recording is cut to the part around its first edits
MARGIN = 2.0  # seconds shown before the first edit of a longer recording


@dataclass(frozen=True)
class Mark:
    """An edit's span on one side, in seconds.

    wordless: whether it has no words there, like an insertion before the edit and a deletion after.
    """

    op: str
    start: float
    end: float
    wordless: bool


@dataclass(frozen=True)
class Label:
    """A word above the waveform, in seconds; ``op`` is set if it belongs to an edit."""

    text: str
    start: float
    end: float
    op: str | None = None


@dataclass(frozen=True)
class Side:
    """The drawn part of one recording: samples (n,) at ``rate``, from ``start`` seconds."""

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
        """The labels within the picture, ordered by their centres: an edit's margin may cover part
        of a neighbouring word, so start times are not in the order of the words."""
        first, last = self.start - 0.05, self.end + 0.05  # words cut by the edge are omitted
        inside = [word for word in self.labels if first <= word.start and word.end <= last]
        return tuple(sorted(inside, key=lambda label: label.start + label.end))


def sides_of(source: Path, edited: Path, record: Mapping[str, Any]) -> tuple[Side, Side]:
    """The drawn parts of both recordings, which begin at the same point of unchanged sound;
    ``record``: the contents of the edit's edit.json."""
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
    for title, path, track, key, words in (
        ("Before", source, record["source"].get("track"), "source", labels[0]),
        ("After", edited, None, "output", labels[1]),
    ):
        samples = _read(path, track, start, LONGEST)
        wordless = "insert" if key == "source" else "delete"
        marks = tuple(
            Mark(e["op"], e[key][0] / rate, e[key][1] / rate, e["op"] == wordless) for e in edits
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
    """The words before the edit, from the alignment, and after it: kept ones shifted, new ones
    added."""
    words = [word for word in record.get("alignment", {}).get("words", []) if word["text"]]
    ops = _edited_words(words, edits, rate)
    old: list[Label] = []
    new: list[Label] = []
    for k, word in enumerate(words):
        old.append(Label(word["text"], word["start"], word["end"], ops.get(k)))
        if k not in ops:
            middle = (word["start"] + word["end"]) / 2 * rate
            # An edit's margin may cover part of a neighbour, so compare centres.
            past = [e for e in edits if sum(e["source"]) / 2 <= middle]
            moved = sum(_length(e["output"]) - _length(e["source"]) for e in past) / rate
            new.append(Label(word["text"], word["start"] + moved, word["end"] + moved))
    for edit in edits:
        if text := edit["new_words"]:
            start, end = (sample / rate for sample in edit["output"])
            new.append(Label(text, start, end, edit["op"]))
    return tuple(old), tuple(new)


def _edited_words(
    words: Sequence[Mapping[str, Any]], edits: Sequence[Mapping[str, Any]], rate: int
) -> dict[int, str]:
    """The indices of the words that an edit removes, with its op.

    These are the words in its span that it lists as old words, or all in its span if it lists none
    of them, as when "42" stands for forty-two. The span may include a neighbour, as part of the
    margin, which isn't listed.
    """
    ops: dict[int, str] = {}
    for edit in edits:
        listed = {_plain(word) for word in edit["old_words"].split()}
        first, last = edit["source"]
        inside = [
            k for k, w in enumerate(words) if first <= (w["start"] + w["end"]) / 2 * rate < last
        ]
        removed = [k for k in inside if _plain(words[k]["text"]) in listed]
        if listed:
            ops.update(dict.fromkeys(removed or inside, edit["op"]))
    return ops


def _plain(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalnum() or letter == "'")


def _read(path: Path, track: int | None, start: float, seconds: float) -> npt.NDArray[np.float32]:
    """A part of a file, mixed down to mono: (n,)."""
    recording = Recording.open(path, track)
    first = min(round(start * recording.sample_rate), recording.samples)
    last = min(first + round(seconds * recording.sample_rate), recording.samples)
    mono: npt.NDArray[np.float32] = recording.mono(first, last)
    return mono
