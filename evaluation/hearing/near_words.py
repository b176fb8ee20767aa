"""Is the edit planned that was wished, if only the new text is given? Words planted in clips.

Reads the corpora that A3T_CORPORA names: of LibriSpeech the readers that no network was trained on,
of Common Voice the contributors, or those of another release in FOLDER. --chosen takes the half by
voice that the costs were chosen on (evaluation.hearing.planting). To each clip three new texts are
given in turn: one word replaced by a near one (in every other clip one of its family, as "she" for
"he", or a common word one phone apart), one to three words replaced, inserted or left out, and what
is said. A clip is left out if the aligner doubts a word of its own text: then that isn't what is
said.

Planned: every word that was planted is made, and what was taken out is cut. Another touched: a word
that the new text shares with the recording is made anew, or a word is cut elsewhere.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from a3t.plan.revision import Revision
from a3t.source.recognised_transcript import heard_parts, settled_parts
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.respelling import respelled
from a3t.text.transcript import Transcript
from alignment import AlignmentError, load_aligner
from alignment.aligner import InMemory
from alignment.confidence.doubts import doubts
from alignment.recognition import whisper_model
from alignment.recognition.network_recogniser import heard_freely, mean_scores, settled
from alignment.recognition.ngrams import load_ngrams
from alignment.recognition.whisper import load_whisper
from alignment.waveform import model_waveform
from evaluation.harness.programs import add_counts, markdown_table, write_named_tuples
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
from evaluation.hearing.recognition import counted
from training.corpora import Clip

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
COMMON = 6000  # words that are put in the place of those that sound like them


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


@cache
def near_words(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Other words of its family, and common words one phone apart; none that sounds the same."""
    ways = _ways()
    own = ways.get(word, frozenset())
    family = {
        other
        for line in FAMILIES.replace("\n", "|").split("|")
        if word in line.split()
        for other in line.split()
    }
    apart = {other for way in own for key in _one_apart(way) for other in _by_sound().get(key, ())}
    different = (
        tuple(sorted(w for w in found - {word} if not own & ways.get(w, frozenset())))
        for found in (family, apart)
    )
    return next(different), next(different)


@cache
def _ways() -> dict[str, frozenset[tuple[str, ...]]]:
    """The pronunciations of each word that is recognised."""
    model = load_ngrams()
    ways: dict[str, set[tuple[str, ...]]] = {}
    for number, way in zip(model.pronounced.tolist(), model.pronunciations, strict=True):
        ways.setdefault(model.words[number], set()).add(way)
    return {word: frozenset(found) for word, found in ways.items()}


@cache
def _by_sound() -> dict[tuple[str, ...], list[str]]:
    """The common words by their phones, and by these with one left out or held open."""
    model = load_ngrams()
    ranked = sorted(range(3, model.count), key=lambda word: -model.unigram[word])[:COMMON]
    found: dict[tuple[str, ...], list[str]] = {}
    for word in (model.words[number] for number in ranked):
        if len(word) < 2 or not word.replace("'", "").isalpha():  # letters and abbreviations
            continue
        for way in _ways()[word]:
            for key in _one_apart(way):
                found.setdefault(key, []).append(word)
    return found


def _one_apart(way: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Keys that two pronunciations share if they differ by one phone: replaced, or left out."""
    opened = {(*way[:k], "", *way[k + 1 :]) for k in range(len(way))}
    return opened | {(*way[:k], "", *way[k:]) for k in range(len(way) + 1)}


class Wish(NamedTuple):
    """A new text for a clip, and what came of it."""

    kind: str
    clip: str
    where: str
    planned: bool
    touched: bool
    nothing: bool
    kept: int
    kept_wrong: int
    said: str
    new: str
    found: str


def wishes(spoken: Spoken, pool: Sequence[str], number: int, seed: int) -> dict[str, PlantedChange]:
    """The changes of a clip by their kinds."""
    found = near(spoken.words, number, seed)
    return {
        **({"near": found} if found else {}),
        "distant": edit_of(spoken.words, pool, number, seed),
        "none": PlantedChange(0, 0, ()),
    }


def outcome(kind: str, spoken: Spoken, change: PlantedChange, found: Sequence[str]) -> Wish:
    """Judge the edit that would be made from the words that are ``found``."""
    new = change.of(spoken.words)
    heard, wished = (
        Transcript.from_text(" ".join(words), max_words=None) for words in (found, new)
    )
    edits = Revision.of(respelled(wished, heard), wished).edits  # the places are the new text's
    first, last = change.start, change.start + len(change.new)
    made = {k for edit in edits for k in range(*edit.new)}
    cut = [edit.new[0] for edit in edits if edit.new[0] == edit.new[1]]
    here = any(edit.new[0] <= first <= edit.new[1] for edit in edits)
    return Wish(
        kind,
        spoken.clip.name,
        "clean" if spoken.clip.corpus == "librispeech" else "at home",
        here and made >= set(range(first, last)),
        bool(made - set(range(first, last))) or not all(first <= k <= last for k in cut),
        not edits,
        *counted(spoken.words, found, change)[2:],
        *(" ".join(words) for words in (spoken.words, new, found)),
    )


def measured(clips: Sequence[Spoken], seed: int, model: Path | None = None) -> Iterator[Wish]:
    """Every clip with its new texts, heard freely and then settled; prints what both cost."""
    pronouncer, pool = Pronouncer(), vocabulary(clips)
    spent = dict.fromkeys(("freely", "settled"), 0.0)
    texts = seconds = 0.0
    for number, spoken in enumerate(clips):
        started = time.process_time()
        hear = heard_once(spoken, pronouncer, model)
        spent["freely"] += time.process_time() - started
        seconds += spoken.clip.seconds
        for kind, change in wishes(spoken, pool, number, seed).items():
            started = time.process_time()
            found = hear(change.of(spoken.words))
            spent["settled"] += time.process_time() - started
            texts += spoken.clip.seconds
            yield outcome(kind, spoken, change, found)
    spent["settled"] *= seconds / texts
    print(", ".join(f"{name} {cost / seconds:.3f}" for name, cost in spent.items()), "x real time")


def heard_once(
    spoken: Spoken, pronouncer: Pronouncer, model: Path | None
) -> Callable[[Sequence[str]], Sequence[str]]:
    """Hears a clip freely; what it returns settles that by a new text. AlignmentError if there is
    no speech in it."""
    if model is None:
        scores = mean_scores(model_waveform(spoken.samples, spoken.rate))
        free = heard_freely(scores)
        return lambda new: [
            word.text for word in settled(scores, free, new, pronouncer.choices(new)).words
        ]
    whisper, sound = load_whisper(model), InMemory(spoken.samples, spoken.rate)
    parts = heard_parts(sound, pronouncer, model)

    def settle(new: Sequence[str]) -> Sequence[str]:
        prior = Transcript.from_text(" ".join(new), max_words=None)
        return settled_parts(sound, parts, prior, pronouncer, whisper).transcript.spoken

    return settle


def usable(chosen: bool, at_home: Path | None) -> list[Clip]:
    """The clips of the half that figures are reported of, or that choices are made on."""
    readers = CHOOSING if chosen else REPORTING
    clips = [clip for clip in all_clips() if clip.speaker in readers]
    if at_home is None:
        own = aligner_held_out(not chosen)
        clips += [clip for clip in own if clip.corpus == "commonvoice"]
    else:
        clips += recorded_at_home(at_home, not chosen)
    return [
        clip
        for clip in clips
        if SHORTEST <= clip.seconds <= LONGEST and len(clip.text.split()) >= FEWEST
    ]


def as_written(clips: Sequence[Clip], count: int, seed: int) -> list[Spoken]:
    """Draw ``count`` clips of each condition that say what their text says."""
    aligner, pronouncer = load_aligner("network"), Pronouncer()
    result: list[Spoken] = []
    for clean in (True, False):
        own = sorted(
            (clip for clip in clips if (clip.corpus == "librispeech") == clean),
            key=lambda clip: clip.name,
        )
        random.Random(seed).shuffle(own)
        found = left_out = 0
        for spoken in map(heard, own):
            if found == count:
                break
            choices = pronouncer.choices(spoken.words)
            try:
                aligned = aligner.align(spoken.samples, spoken.rate, spoken.words, choices)
            except AlignmentError:
                left_out += 1
                continue
            if doubts(aligned):
                left_out += 1
                continue
            found += 1
            result.append(spoken)
        print(f"{found} clips {'clean' if clean else 'at home'}; {left_out} left out by doubts")
    return result


def wish_table(rows: Sequence[Wish]) -> str:
    """Each kind, clean and at home."""
    lines = []
    for kind in ("near", "distant", "none"):
        for where in ("clean", "at home"):
            own = [row for row in rows if (row.kind, row.where) == (kind, where)]
            shares = [
                f"{sum(getattr(row, name) for row in own) / max(len(own), 1):.1%}"
                for name in ("planned", "touched", "nothing")
            ]
            wrong = sum(row.kept_wrong for row in own) / max(sum(row.kept for row in own), 1)
            planned = "–" if kind == "none" else shares[0]
            lines.append([kind, where, len(own), planned, *shares[1:], f"{wrong:.1%}"])
    head = "new text,,texts,planned,another touched,nothing to change,untouched wrong"
    return markdown_table(head.split(","), lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, clips=50, seed=7)
    parser.add_argument("--at-home", type=Path, metavar="FOLDER")
    parser.add_argument("--recogniser", default="network", help="as for a3t transcribe")
    parser.add_argument("--chosen", action="store_true", help="measure the clips used for choices")
    parser.add_argument("--out", type=Path, metavar="FILE.tsv", help="write one row per text")


def run(options: argparse.Namespace) -> None:
    """Print the table; ``clips`` of each condition."""
    clips = as_written(usable(options.chosen, options.at_home), options.clips, options.seed)
    rows = list(measured(clips, options.seed, whisper_model(options.recogniser)))
    print(wish_table(rows))
    if options.out:
        write_named_tuples(options.out, rows)
