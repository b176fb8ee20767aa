"""The parts of RESULTS.md, each by the functions of the command that measures it alone.

A part is a function of a `Setting`; its figures are numbers, texts, or means with 95 % intervals
(`interval`), by the names that the template page.md has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluation.results import hearing_parts, sound_parts
from evaluation.results.setting import Figures, Setting


def speed(setting: Setting) -> Figures:
    """Time and memory of an edit, of starting, and of an edit in an hour."""
    from evaluation.speed.edit_speed import EDIT, SOUND, measure_edit, measure_starts
    from evaluation.speed.long_files import measure_lengths

    with TemporaryDirectory() as folder:
        measured = measure_edit(Path(folder), 3)
        starts = measure_starts(Path(folder), 1)
        short, long = measure_lengths(Path(folder), 60.0, 1)
    cold, warm = measured["cold"], measured["warm"]
    return {
        **{f"cold.{name}": cold[name] for name in ("wall", "processor", "mebibytes")},
        **{f"warm.{name}": warm[name] for name in ("total", "again", "mebibytes")},
        "start": starts[EDIT],
        "sound": starts[SOUND],
        "torch": starts["importing torch"],
        "short.processor": short.processor,
        "short.mebibytes": short.mebibytes,
        "long.processor": long.processor,
        "long.mebibytes": long.mebibytes,
    }


def page(setting: Setting) -> Figures:
    """The waits of eight people who edit on the page at the same time."""
    from evaluation.speed.page_waits import measure_people

    found = measure_people(7941, 8, 1)
    alone = found["one person's first edit, the second, s"]
    waits = found["a person's wait, s"]
    return {
        "start": found["the page answers after, s"],
        "first": alone[0],
        "second": alone[1],
        "edits": found["edits"],
        "wrong": found["wrong"],
        "median": waits["median"],
        "longest": waits["longest"],
    }


# In the order of the page; about how many minutes of one core each takes.
PARTS: Mapping[str, tuple[Callable[[Setting], Figures], float]] = {
    "untouched": (sound_parts.untouched, 2),
    "edits": (sound_parts.edits, 9),
    "detector": (sound_parts.detector, 4),
    "vocoder": (sound_parts.vocoder, 2),
    "speech": (sound_parts.speech, 2),
    "joints": (sound_parts.joints, 3),
    "voices": (sound_parts.voices, 8),
    "speed": (speed, 3),
    "page": (page, 1),
    "boundaries": (hearing_parts.boundaries, 2),
    "spreads": (hearing_parts.spreads, 2),
    "errors": (hearing_parts.errors, 2),
    "sounds": (hearing_parts.sounds, 2),
    "recognition": (hearing_parts.recognition, 3),
    "live": (hearing_parts.live, 3),
    "near-words": (hearing_parts.near_words, 4),
    "cleaning": (hearing_parts.cleaning, 4),
    "speakers": (hearing_parts.speakers, 2),
    "reading": (hearing_parts.reading, 4),
    "backgrounds": (sound_parts.backgrounds, 2),
}


def minutes_of(names: Sequence[str]) -> float:
    """About how many minutes of one core these parts take."""
    return sum(PARTS[name][1] for name in names)
