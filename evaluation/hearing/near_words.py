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

import random
import resource
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import soxr

from a3t.plan.revision import Revision
from a3t.source.change_detection import SpeechComparison
from a3t.source.records import FoundTranscript
from a3t.source.transcripts import compared
from a3t.text.comparison.respelling import respelled
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from alignment.aligner import InMemory
from alignment.confidence.doubts import doubts
from alignment.recognition import whisper_model
from alignment.recognition.ngrams import known_ways, words_one_phone_apart
from evaluation.harness.declared_tables import Column, Row, Rows, Table, count, rate, share
from evaluation.harness.measurement import CHOSEN, Measurement, Setting, repeated
from evaluation.harness.processes import mebibytes
from evaluation.hearing.planting import (
    CHOOSING,
    FEWEST,
    REPORTING,
    SHORTEST,
    PlantedChange,
    Spoken,
    aligner_held_out,
    all_clips,
    edit_of,
    heard,
    recorded_at_home,
    vocabulary,
)
from evaluation.hearing.recognition import AT_HOME, counted
from training.corpora import Clip
from training.programs import counts, option

if TYPE_CHECKING:
    from evaluation.hearing.several_changes import HeardMinute

LONGEST = 16.0  # seconds

# Small words that people exchange for each other, family by family.
FAMILIES = """
he she it they we you|him her them us me|his her their its our my your
is are was were isn't wasn't aren't weren't|has have had hasn't haven't hadn't
do does did don't doesn't didn't|will would won't wouldn't|can could can't couldn't
shall should shouldn't|may might must|this that these those|here there|a the
in on at from to of by with|and or but|if when while|more less most least|many few some any all
always never often sometimes|before after|up down over under|man men woman women
boy girl boys girls|good better best bad|big small great little|old young new
one two three four five six seven eight nine ten|first second third last|day night week month year
say says said|go goes went gone|come comes came|see sees saw seen|know knows knew known
take takes took taken|make makes made|give gives gave given|get gets got|think thinks thought
very too so quite|not now|mother father sister brother|who what which|could should|left right
high low|long short|early late
"""


# Small words that are left out, or put in behind others.
SMALL = "a the of to in on at is was not and very just then now still so".split()
PAUSE, RATE = 0.25, 16_000  # seconds between joined clips; Hz


def near(words: Sequence[str], number: int, seed: int) -> PlantedChange | None:
    """One word replaced by one that is near it: of its family for an even ``number``, one phone
    apart for an odd one; None if no word has one."""
    draw = random.Random(f"near-{seed}-{number}")
    places = [(k, near_words(word)[number % 2]) for k, word in enumerate(words)]
    places = [(k, found) for k, found in places if found]
    if not places:
        return None
    place, found = draw.choice(places)
    return PlantedChange(place, place + 1, (draw.choice(found),))


def small(words: Sequence[str], number: int, seed: int) -> PlantedChange | None:
    """A small word left out for an even ``number``, put in for an odd one; None if there is no
    place for that."""
    draw = random.Random(f"small-{seed}-{number}")
    if number % 2:
        place = draw.randint(1, len(words) - 1)
        beside = words[place - 1 : place + 1]
        return PlantedChange(place, place, (draw.choice([w for w in SMALL if w not in beside]),))
    places = [k for k, word in enumerate(words) if word in SMALL and 0 < k < len(words) - 1]
    return PlantedChange(place := draw.choice(places), place + 1, ()) if places else None


@cache
def near_words(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Other words of its family, and common words one phone apart; none that sounds the same."""
    own = known_ways(word)
    family = {
        other
        for line in FAMILIES.replace("\n", "|").split("|")
        if word in line.split()
        for other in line.split()
    }
    apart = tuple(words_one_phone_apart(own))
    return tuple(sorted(w for w in family - {word} if not own & known_ways(w))), apart


class WishedEdits(NamedTuple):
    """A recording of so many `minutes` (0: a clip), heard by a recogniser, and the changes of its
    new texts by their kinds."""

    name: str
    recogniser: str
    minutes: int
    spoken: Spoken
    changes: dict[str, PlantedChange]


def wished_edits(setting: Setting) -> Iterator[WishedEdits | HeardMinute]:
    """As many clips of each condition; all recordings of one recogniser, then the next one's."""
    options = setting.options
    if options.several:
        from evaluation.hearing.several_changes import heard_minutes

        yield from heard_minutes(setting)
        return
    recordings = as_written(usable(setting), setting)
    for recogniser in options.recogniser or ("network",):
        for minutes in options.minutes or (0,):
            yield from wished_of(recordings, recogniser, minutes, options.seed)


def wished_of(
    clips: Sequence[Spoken], recogniser: str, minutes: int, seed: int
) -> Iterator[WishedEdits]:
    """The recordings of one length, with their new texts."""
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


def joined_by_voice(clips: Sequence[Spoken], minutes: int) -> Iterator[Spoken]:
    """Recordings of so many minutes of one voice; where no voice at home has enough, of as few as
    can be."""
    for voice in dict.fromkeys(each.clip.speaker for each in clips):
        own = [each for each in clips if each.clip.speaker == voice]
        yield from joined(own, minutes)
    seconds = {
        voice: sum(len(each.samples) / each.rate for each in clips if each.clip.speaker == voice)
        for voice in {each.clip.speaker for each in clips}
    }
    yield from joined(
        [each for each in clips if seconds[each.clip.speaker] < 60 * minutes], minutes
    )


def joined(clips: Sequence[Spoken], minutes: int) -> Iterator[Spoken]:
    """Recordings of so many minutes, a condition each; what is left over is no recording. They are
    named by their first clip, and its voice."""
    for corpus in dict.fromkeys(spoken.clip.corpus for spoken in clips):
        own = sorted(
            (spoken for spoken in clips if spoken.clip.corpus == corpus),
            key=lambda spoken: spoken.clip.speaker,
        )
        group: list[Spoken] = []
        for spoken in own:
            group.append(spoken)
            if sum(len(each.samples) / each.rate for each in group) >= 60 * minutes:
                yield _one(group)
                group = []


def _one(clips: Sequence[Spoken]) -> Spoken:
    sounds: list[np.ndarray] = []
    for spoken in clips:
        sound = soxr.resample(spoken.samples, spoken.rate, RATE)
        level = max(float(np.sqrt(np.mean(np.square(sound)))), 1e-6)
        sounds += [0.05 / level * sound, np.zeros(round(PAUSE * RATE), np.float32)]
    words = tuple(word for spoken in clips for word in spoken.words)
    return Spoken(clips[0].clip, words, np.concatenate(sounds), RATE)


def planned_edits(item: WishedEdits | HeardMinute, setting: Setting) -> Iterator[Row]:
    """A recording is heard freely once, and compared with each new text."""
    if not isinstance(item, WishedEdits):
        from evaluation.hearing.several_changes import places_of

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
    heard = Transcript.from_text(" ".join(found.transcript.spoken))
    edits = Revision.of(respelled(wished, heard), wished).edits  # the places are the new text's
    first, last = change.start, change.start + len(change.new)
    made = {k for edit in edits for k in range(*edit.new)}
    cut = [edit.new[0] for edit in edits if edit.new[0] == edit.new[1]]
    here = any(edit.new[0] <= first <= edit.new[1] for edit in edits)
    errors = counted(spoken.words, heard.spoken, change)
    planned = here and made >= set(range(first, last))
    touched = bool(made - set(range(first, last))) or not all(first <= k <= last for k in cut)
    differences = found.comparison.judgements if found.comparison else ()
    asked = any(each.verdict == "open" for each in differences)
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


def usable(setting: Setting) -> list[Clip]:
    """The clips of the half that figures are reported of, or that choices are made on."""
    is_chosen, at_home = setting.options.chosen, setting.options.at_home
    readers = CHOOSING if is_chosen else REPORTING
    clips = [clip for clip in all_clips() if clip.speaker in readers]
    if at_home is None:
        own = aligner_held_out(not is_chosen)
        clips += [clip for clip in own if clip.corpus == "commonvoice"]
    else:
        clips += recorded_at_home(at_home, not is_chosen)
    return [
        clip
        for clip in clips
        if SHORTEST <= clip.seconds <= LONGEST and len(clip.text.split()) >= FEWEST
    ]


def as_written(clips: Sequence[Clip], setting: Setting) -> list[Spoken]:
    """Draw clips of each condition that say what their text says."""
    result: list[Spoken] = []
    for clean in (True, False):
        own = [clip for clip in clips if (clip.corpus == "librispeech") == clean]
        own.sort(key=lambda clip: clip.name)
        random.Random(setting.options.seed).shuffle(own)
        found = 0
        for spoken in map(heard, own):
            if found == setting.options.clips:
                break
            try:
                aligned = setting.align(spoken.samples, spoken.rate, spoken.words)
            except AlignmentError:
                continue
            if not doubts(aligned):
                found += 1
                result.append(spoken)
    return result


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
        from evaluation.hearing.several_changes import report

        return report(rows)
    return "\n".join(table.markdown(rows) for table in TABLES)


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
    legend="Per cent of the texts, with 95 % intervals; --clips of each condition.",
)
