"""Is the old text recognised correctly, given only the new one? One planted edit per clip.

Reads the corpora that A3T_CORPORA names: of the clips in aligner_held_out.txt the half that nothing
was chosen on (`planting.is_reported`; --chosen takes the other half), or with --at-home as many of
another release of Common Voice. The clip says the old words; the new text is the old one with one
to three words replaced, inserted or left out. Counted are the recognised words that differ from the
old ones: all of them, and those that the edit does not touch. What is only spelt otherwise
doesn't differ. Intervals: 95 %, voices drawn anew, or clips where a corpus has few voices.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from a3t.source.change_detection import SpeechComparison
from a3t.source.differences import said_text
from a3t.source.recognised_transcript import recognised
from a3t.source.transcripts import compared
from a3t.text.comparison.respelling import respelled
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from alignment.aligner import InMemory
from alignment.recognition import whisper_model
from evaluation.harness.declared_tables import Column, Row, Rows, Table, count, rate, total
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CHOSEN, Measurement, Setting, repeated
from evaluation.hearing.planting import (
    PlantedChange,
    Spoken,
    aligner_held_out,
    chosen,
    edit_of,
    heard,
    recorded_at_home,
    vocabulary,
)
from training.corpora import Clip
from training.programs import counts, option

FEW = 5  # voices
AT_HOME = option(
    "--at-home", type=Path, metavar="FOLDER", help="clips of another release of Common Voice"
)


class Counts(NamedTuple):
    """Spoken words, wrong ones among them, words that the edit keeps, wrong ones among these."""

    words: int
    wrong: int
    kept: int
    kept_wrong: int


def counted(said: Sequence[str], found: Sequence[str], change: PlantedChange) -> Counts:
    """Edit distance from ``said`` to ``found``, in total and outside the change.

    An additional word counts as outside unless it is at the change.
    """
    wrong = kept_wrong = 0
    for op in Levenshtein.editops(said, found):
        last = change.stop if op.tag == "insert" else change.stop - 1
        wrong += 1
        kept_wrong += not change.start <= op.src_pos <= last
    return Counts(len(said), wrong, len(said) - (change.stop - change.start), kept_wrong)


class RecognitionTask(NamedTuple):
    """A clip to recognise, by whom, and with the new text as a hint ("new") or without ("none")."""

    name: str
    spoken: Spoken
    change: PlantedChange
    recogniser: str
    prior: str


def usable_clips(options: argparse.Namespace) -> Sequence[Clip]:
    """Return the clips that the options of a command allow."""
    if options.at_home:
        return recorded_at_home(options.at_home, not options.chosen)
    return aligner_held_out(not options.chosen)


def recognition_tasks(setting: Setting) -> Iterator[RecognitionTask]:
    """Pair every clip with every recogniser and every prior."""
    options = setting.options
    clips = [heard(each) for each in chosen(usable_clips(options), options.clips, options.seed)]
    pool = vocabulary(clips)
    changes = [edit_of(each.words, pool, k, options.seed) for k, each in enumerate(clips)]
    for recogniser in options.recogniser or ("network",):
        for prior in options.prior or ("new", "none"):
            for spoken, change in zip(clips, changes, strict=True):
                yield RecognitionTask(spoken.clip.name, spoken, change, recogniser, prior)


def recognise_clip(task: RecognitionTask, setting: Setting) -> Iterator[Row]:
    """Return the counts of a clip, and its three texts."""
    spoken, new = task.spoken, task.change.of(task.spoken.words)
    said, expected = (Transcript.from_text(" ".join(words)) for words in (spoken.words, new))
    prior, model = (expected if task.prior == "new" else None), whisper_model(task.recogniser)
    started = time.process_time()
    try:
        text = words_heard(spoken, prior, setting.pronouncer, model)
        found = list(respelled(said, text).spoken)
    except AlignmentError:
        found = []
    yield {
        "recogniser": task.recogniser,
        "prior": task.prior,
        "corpus": spoken.clip.corpus,
        "voice": spoken.clip.speaker,
        "clip": task.name,
        **counted(spoken.words, found, task.change)._asdict(),
        "processor": time.process_time() - started,
        "seconds": len(spoken.samples) / spoken.rate,
        "said": " ".join(spoken.words),
        "new": " ".join(new),
        "found": " ".join(found),
    }


def words_heard(
    spoken: Spoken, expected: Transcript | None, pronouncer: Pronouncer, model: Path | None
) -> Transcript:
    """Recognise the words of a clip; raise AlignmentError if there are none.

    Beside a new text, a word that is listed as probably misheard is taken as that text has it.
    """
    sound = InMemory(spoken.samples, spoken.rate)
    if expected is not None:
        found = compared(SpeechComparison(sound, pronouncer, model), expected)
        judged = found.comparison
        return (said_text(judged, misheard=False) if judged else found).transcript
    return recognised(sound, pronouncer, model).transcript


def _wrong(rows: Rows) -> Interval:
    """Measure wrong words, per cent; voices drawn anew, clips where there are few of them."""
    few = len({row["voice"] for row in rows}) < FEW
    groups: dict[str, tuple[int, int]] = {}
    for row in rows:
        wrong, words = groups.get(name := row["clip" if few else "voice"], (0, 0))
        groups[name] = (wrong + row["wrong"], words + row["words"])
    return Interval.ratio(groups.values())


MEASUREMENT = Measurement(
    recognition_tasks,
    recognise_clip,
    [
        Table(
            (
                count("clips"),
                total("words", "words"),
                Column("wrong", _wrong, ".1f"),
                total("not touched", "kept"),
                rate("untouched wrong", "kept_wrong", "kept"),
                rate("times real time", "processor", "seconds", ".2f", per=1),
            ),
            ("recogniser", "prior"),
            "corpus",
        )
    ],
    (
        *counts(clips=100, seed=3),
        repeated("--prior", ("new", "none"), choices=("new", "none")),
        repeated("--recogniser", ("network",), help="as for a3t transcribe (default: network)"),
        AT_HOME,
        CHOSEN,
    ),
    legend="Wrong words: per cent, with 95 % intervals.",
)
