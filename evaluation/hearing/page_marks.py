"""The words that the page marks as doubtful: how many, and how many of them are wrong?

The clips are those of `evaluation recognition`, listened to as a part of a project is. A mark is
right if its word differs from what is said by more than its spelling; wrong words are the edit
distance, and found if marked. Intervals: 95 %; of the marks a minute clips are drawn anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from a3t.text.comparison.edit_script import edit_script
from a3t.text.comparison.respelling import respelled
from a3t.text.transcript import Transcript
from alignment.aligner import InMemory
from alignment.result import DOUBTFUL_BELOW
from app.studio.storage.heard_tokens import shown
from app.studio.work.listening import recognise_part
from evaluation.harness.declared_tables import Column, Row, Rows, Table, count, proportion, total
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CHOSEN, Measurement, Setting, repeated
from evaluation.hearing.planting import Spoken, chosen, heard
from evaluation.hearing.recognition import AT_HOME, usable_clips
from training.programs import counts


def clips_to_mark(setting: Setting) -> Iterator[tuple[Spoken, str]]:
    """Every clip with every recogniser."""
    options = setting.options
    for clip in map(heard, chosen(usable_clips(options), options.clips, options.seed)):
        yield from ((clip, name) for name in options.recogniser or ("tiny.en", "network"))


def judged(said: Sequence[str], found: Sequence[tuple[str, int]], marked: set[int]) -> Row:
    """The marks of a clip; ``found``: its words, each with its token; ``marked``: tokens."""
    words, wrong, right = [word for word, _ in found], 0, list[int]()
    for edit in edit_script(said, words):
        old, new = said[slice(*edit.old)], words[slice(*edit.new)]
        if not (old and new and respelled(*map(Transcript.of_spoken, (old, new))).spoken == old):
            wrong += max(len(old), len(new))
            right += [token for _, token in found[slice(*edit.new)] if token in marked]
    return {"marks": len(marked), "right": len({*right}), "wrong": wrong, "found": len(right)}


def mark_clip(item: tuple[Spoken, str], setting: Setting) -> Iterator[Row]:
    """The marks in a clip."""
    (spoken, recogniser), editor = item, setting.editor
    sound = InMemory(spoken.samples, spoken.rate)
    part = recognise_part(editor, sound, 0, 0, sound.samples, recogniser=recogniser)
    found = [(word["text"], k) for k, token in enumerate(part.tokens) for word in token["words"]]
    marked = {k for k, token in enumerate(part.tokens) if shown(token)[4] < DOUBTFUL_BELOW}
    named = {
        "recogniser": Path(recogniser).name,
        "clip": spoken.clip.name,
        "words": len(spoken.words),
    }
    minutes = sound.samples / sound.sample_rate / 60
    yield named | judged(spoken.words, found, marked) | {"minutes": minutes}


def _a_minute(rows: Rows) -> Interval:
    return Interval.ratio((row["marks"], 100 * row["minutes"]) for row in rows)


FIGURES = (
    count("clips"),
    *(total(name, name) for name in ("words", "wrong", "marks")),
    Column("marks a minute", _a_minute, ".1f"),
    proportion("marks that are right", "right", "marks", ".0f"),
    proportion("wrong words found", "found", "wrong", ".0f"),
)
RECOGNISERS = repeated("--recogniser", ("tiny.en", "network"), help="as for a3t transcribe")
OPTIONS = (*counts(clips=100, seed=3), RECOGNISERS, AT_HOME, CHOSEN)
LEGEND = "Shares: per cent, with 95 % intervals."
MEASUREMENT = Measurement(
    clips_to_mark, mark_clip, [Table(FIGURES, ("recogniser",))], OPTIONS, legend=LEGEND
)
