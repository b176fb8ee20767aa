"""Recordings and texts for `near-words`: clips, joined to minutes, and words near theirs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import soxr

from alignment import AlignmentError
from alignment.confidence.doubts import doubts
from alignment.recognition.ngrams import known_ways, words_one_phone_apart
from evaluation.harness.measurement import Setting
from evaluation.hearing.planting import (
    CHOOSING,
    FEWEST,
    REPORTING,
    SHORTEST,
    PlantedChange,
    Spoken,
    aligner_held_out,
    all_clips,
    heard,
    recorded_at_home,
)
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
# Small words that are left out, or put in behind others.
SMALL = "a the of to in on at is was not and very just then now still so".split()
PAUSE, RATE = 0.25, 16_000  # seconds between joined clips; Hz


def near(words: Sequence[str], number: int, seed: int) -> PlantedChange | None:
    """Replace one word by one that is near it; None if no word has one.

    It is of the word's family for an even ``number``, one phone apart for an odd one.
    """
    draw = random.Random(f"near-{seed}-{number}")
    places = [(k, near_words(word)[number % 2]) for k, word in enumerate(words)]
    places = [(k, found) for k, found in places if found]
    if not places:
        return None
    place, found = draw.choice(places)
    return PlantedChange(place, place + 1, (draw.choice(found),))


def small(words: Sequence[str], number: int, seed: int) -> PlantedChange | None:
    """Leave a small word out for an even ``number``, put one in for an odd one.

    None if there is no place for that.
    """
    draw = random.Random(f"small-{seed}-{number}")
    if number % 2:
        place = draw.randint(1, len(words) - 1)
        beside = words[place - 1 : place + 1]
        return PlantedChange(place, place, (draw.choice([w for w in SMALL if w not in beside]),))
    places = [k for k, word in enumerate(words) if word in SMALL and 0 < k < len(words) - 1]
    return PlantedChange(place := draw.choice(places), place + 1, ()) if places else None


@cache
def near_words(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return other words of its family, and common words one phone apart; none sounds the same."""
    own = known_ways(word)
    family = {
        other
        for line in FAMILIES.replace("\n", "|").split("|")
        if word in line.split()
        for other in line.split()
    }
    apart = tuple(words_one_phone_apart(own))
    return tuple(sorted(w for w in family - {word} if not own & known_ways(w))), apart


def joined_by_voice(clips: Sequence[Spoken], minutes: int) -> Iterator[Spoken]:
    """Join recordings of so many minutes of one voice.

    Where no voice at home has enough, they are of as few as can be.
    """
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
    """Join recordings of so many minutes, a condition each; what is left over is no recording.

    They are named by their first clip, and its voice.
    """
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


def usable(setting: Setting) -> list[Clip]:
    """Return the clips of the half that figures are reported of, or that choices are made on."""
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
