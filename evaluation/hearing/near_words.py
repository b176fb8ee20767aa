"""Is the edit planned that was wished, if only the new text is given? Words planted in recordings.

Reads the corpora that A3T_CORPORA names: of LibriSpeech the readers that no network was trained on,
of Common Voice the contributors, or those of another release in FOLDER. --chosen takes the half by
voice that the weights were fitted to (evaluation.hearing.planting). Of each recording several new
texts are given in turn: one word replaced by one of its family, as "she" for "he", or by a common
word one phone apart; one to three words replaced, inserted or left out; a small word left out or
put in; and what is said. A recording is a clip, or clips joined to --minutes, of as few voices as
have enough; --minutes and --recogniser may be repeated, and then all are measured of the same
clips. A clip is left out if the aligner doubts a word of its own text: then that isn't what is
said.

Right: every word that was planted is made, what was taken out is cut, and nothing else. Another
touched: a word that the new text shares with the recording is made anew, or a word is cut
elsewhere; "unasked": the user isn't asked first. Nothing: no change is found. Times real time: what
one such edit takes to hear and to compare, of a core; MB: what the process has held at most.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from a3t.plan.revision import Revision
from a3t.source.change_detection import SpeechComparison
from a3t.source.differences import is_doubtful
from a3t.source.places import with_words
from a3t.source.records import FoundTranscript, Place
from a3t.source.transcripts import compared
from a3t.text.comparison.respelling import respelled
from a3t.text.transcript import Transcript
from alignment.aligner import InMemory
from alignment.recognition import whisper_model
from evaluation.harness.declared_tables import (
    Column,
    Figures,
    Row,
    Rows,
    Table,
    count,
    rate,
    share,
)
from evaluation.harness.measurement import CHOSEN, Measurement, Setting, repeated
from evaluation.harness.processes import mebibytes
from evaluation.hearing import several_changes
from evaluation.hearing.near_texts import as_written, joined, near, small, usable
from evaluation.hearing.planting import (
    PlantedChange,
    Spoken,
    edit_of,
    vocabulary,
)
from evaluation.hearing.recognition import AT_HOME, counted
from evaluation.hearing.several_changes import HeardMinute, heard_minutes, places_of
from training.programs import counts, option


class WishedEdits(NamedTuple):
    """A recording, heard by a recogniser, and the changes of its new texts by their kinds.

    It has so many `minutes` (0: a clip).
    """

    name: str
    recogniser: str
    minutes: int
    spoken: Spoken
    changes: dict[str, PlantedChange]


def wished_edits(setting: Setting) -> Iterator[WishedEdits | HeardMinute]:
    """Draw as many clips of each condition; all recordings of one recogniser, then the next's."""
    options = setting.options
    if options.several:
        yield from heard_minutes(setting)
        return
    recordings = as_written(usable(setting), setting)
    for recogniser in options.recogniser or ("network",):
        for minutes in options.minutes or (0,):
            yield from wished_of(recordings, recogniser, minutes, options.seed)


def wished_of(
    clips: Sequence[Spoken], recogniser: str, minutes: int, seed: int
) -> Iterator[WishedEdits]:
    """Return the recordings of one length, with their new texts."""
    pool = vocabulary(clips)
    for number, spoken in enumerate(joined(clips, minutes) if minutes else clips):
        found = {
            "family": near(spoken.words, 0 if minutes else 2 * number, seed),
            "apart": near(spoken.words, 1 if minutes else 2 * number + 1, seed),
            "small": small(spoken.words, number, seed),
            "distant": edit_of(spoken.words, pool, 4 * number, seed),
        }
        if not minutes:  # a clip has few words with a near one: one of the two
            found.pop("apart" if number % 2 == 0 else "family")
        changes = {kind: change for kind, change in found.items() if change is not None}
        changes["none"] = PlantedChange(0, 0, ())
        name = f"{Path(recogniser).name} {minutes} {number} {spoken.clip.name}"
        yield WishedEdits(name, recogniser, minutes, spoken, changes)


def planned_edits(item: WishedEdits | HeardMinute, setting: Setting) -> Iterator[Row]:
    """Hear a recording freely once, and compare it with each new text."""
    if isinstance(item, HeardMinute):
        yield from places_of(item, setting)
        return
    model = whisper_model(item.recogniser)
    sound = InMemory(item.spoken.samples, item.spoken.rate)
    comparison = SpeechComparison(sound, setting.pronouncer, model)
    started = time.process_time()
    for kind, change in item.changes.items():
        new = Transcript.from_text(" ".join(change.of(item.spoken.words)))
        found = compared(comparison, new)
        yield outcome(kind, item.spoken, change, found) | {
            "recogniser": Path(item.recogniser).name,
            "length": f"{item.minutes} min" if item.minutes else "clips",
            "first": kind == next(iter(item.changes)),
            "processor": time.process_time() - started,
            "seconds": len(item.spoken.samples) / item.spoken.rate,
            "held": mebibytes(resource.getrusage(resource.RUSAGE_SELF)),
        }


def outcome(kind: str, spoken: Spoken, change: PlantedChange, found: FoundTranscript) -> Row:
    """Judge the edit that would be made from what is ``found``."""
    new = change.of(spoken.words)
    wished = Transcript.from_text(" ".join(new))
    heard = Transcript.from_text(" ".join(_edited_text(found).spoken))
    edits = Revision.of(respelled(wished, heard), wished).edits  # the places are the new text's
    first, last = change.start, change.start + len(change.new)
    made = {k for edit in edits for k in range(*edit.new)}
    cut = [edit.new[0] for edit in edits if edit.new[0] == edit.new[1]]
    here = any(edit.new[0] <= first <= edit.new[1] for edit in edits)
    errors = counted(spoken.words, heard.spoken, change)
    planned = here and made >= set(range(first, last))
    touched = bool(made - set(range(first, last))) or not all(first <= k <= last for k in cut)
    differences = found.comparison.judgements if found.comparison else ()
    asked = is_doubtful(differences)
    return {
        "kind": kind,
        "where": "clean" if spoken.clip.corpus == "librispeech" else "at home",
        "clip": spoken.clip.name,
        "voice": spoken.clip.speaker,
        "planned": planned,
        "touched": touched,
        "right": planned and not touched,
        "right_unasked": planned and not touched and not asked,
        "touched_unasked": touched and not asked,
        "asked": asked,
        "nothing": not edits,
        "kept": errors.kept,
        "kept_wrong": errors.kept_wrong,
        "said": " ".join(spoken.words),
        "new": " ".join(new),
        "found": " ".join(heard.spoken),
    }


def _edited_text(found: FoundTranscript) -> Transcript:
    """Return the new text with the heard words at the places that are ticked."""
    if (comparison := found.comparison) is None:
        return found.transcript
    judged = zip(comparison.places, comparison.judgements, strict=True)
    ticked = [Place(place.new, place.heard) for place, each in judged if each.ticked]
    new, heard = FoundTranscript(comparison.new), FoundTranscript(comparison.heard)
    return with_words(new, heard, ticked).transcript


COLUMNS = (
    count("texts"),
    share("right", "right"),
    share("right unasked", "right_unasked"),
    share("asked", "asked"),
    share("another touched", "touched"),
    share("unasked", "touched_unasked"),
    share("nothing", "nothing"),
)
COSTS = (
    count("recordings"),
    rate("times real time", "processor", "seconds", ".2f", per=1),
    Column("MB", lambda rows: max(row["held"] for row in rows), ".0f"),
)
WHAT = ("recogniser", "length")
TABLES = [
    Table(COLUMNS, WHAT, "where", only=lambda row: row["kind"] != "none"),
    Table(COLUMNS, WHAT, "kind", only=lambda row: row["kind"] != "none"),
    Table(COLUMNS[3:], (*WHAT, "kind"), "where", only=lambda row: row["kind"] == "none"),
    Table(COSTS, WHAT, only=lambda row: row["first"]),
]


def page(rows: Rows, setting: Setting) -> str:
    """Write the report."""
    if setting.options.several:
        return several_changes.report(rows)
    return "\n".join(table.markdown(rows) for table in TABLES)


def figures(rows: Rows) -> Figures:
    """Return the figures of the tables, or those of several changes."""
    if "right" not in rows[0]:
        return several_changes.figures(rows)
    return {name: figure for table in TABLES for name, figure in table.figures(rows).items()}


MEASUREMENT = Measurement(
    wished_edits,
    planned_edits,
    TABLES,
    (
        *counts(clips=50, seed=7),
        repeated("--minutes", ("0",), type=int, help="of clips joined (default: 0, clips alone)"),
        AT_HOME,
        repeated("--recogniser", ("network",), help="as for a3t transcribe (default: network)"),
        CHOSEN,
        option("--several", action="store_true", help="several changes in a minute's text"),
    ),
    unit="recording",
    report=page,
    figured=figures,
    legend="Per cent of the texts, with 95 % intervals; --clips of each condition.",
)
