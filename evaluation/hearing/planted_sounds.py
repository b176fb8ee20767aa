"""Sound that nobody wrote, planted between two words.

Between two words of held-out clips, which no network of the aligner heard in training, is put: room
tone of the clip (so that the first is the end of a phrase that is cut, and the second a beginning),
a filled pause made of its own vowel and nasal, the first word again, the beginning of the second, a
laugh, a cough. The exact times of both words are then known from where the clip was cut.

Measured is, for each kind, how far from there the end before and the start after it are found, at
how many places either is more than 100 ms off, and how many sounds are named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import librosa
import numpy as np

from a3t.audio.splicing.seams import crossfade
from alignment import Alignment, AlignmentError
from alignment.confidence.doubts import unwritten_speech
from evaluation.harness.declared_tables import Column, Row, Table, count, share
from evaluation.harness.measurement import Measurement, Setting
from evaluation.hearing.planting import Spoken, held_out_clips
from training.programs import counts

FAR = 100  # ms
KINDS = ("room tone", "um", "repetition", "restart", "laugh", "cough")
FADE = 0.01  # seconds in which what is planted goes over into the rest


class PlantedSound(NamedTuple):
    """A sound planted after word `after`, in samples [start, stop) of the changed clip.

    `gap`: seconds of room tone at either end.
    """

    kind: str
    after: int
    start: int
    stop: int
    gap: float = 0.0


def stretched(sound: np.ndarray, seconds: float, rate: int) -> np.ndarray:
    """Hold a vowel or a nasal for longer, its pitch kept, its ends faded."""
    window = 512
    padded = np.pad(sound, (window, window), mode="reflect") if len(sound) > window else sound
    longer = librosa.effects.time_stretch(
        padded, rate=len(sound) / (seconds * rate), n_fft=window, hop_length=window // 8
    )
    middle, half = len(longer) // 2, round(seconds * rate / 2)
    held = longer[max(middle - half, 0) : middle + half].astype(np.float32)
    count = min(round(FADE * rate), len(held) // 2)
    ramp = np.linspace(0.0, 1.0, count, dtype=np.float32)
    held[:count] *= ramp
    held[len(held) - count :] *= ramp[::-1]
    return held


class PlantingClip:
    """A clip with its clean alignment, from which what is planted is cut, without a trace.

    Every part is cross-faded into the next, and they into the clip.
    """

    def __init__(self, spoken: Spoken, alignment: Alignment) -> None:
        self.samples, self.rate, self.alignment = spoken.samples, spoken.rate, alignment
        self.words = alignment.spoken

    def cut(self, start: float, end: float) -> np.ndarray:
        """Return the samples between two times."""
        return self.samples[round(start * self.rate) : round(end * self.rate)]

    def tone(self, seconds: float) -> np.ndarray:
        """Make room tone: the middle of the clip's longest pause, repeated."""
        pauses = [word for word in self.alignment.words if word.is_pause]
        longest = max(pauses, key=lambda word: word.duration)
        edge = longest.duration / 4
        made = piece = self.cut(longest.start + edge, longest.end - edge)
        while len(made) < round(seconds * self.rate):
            made = self.joined(made, piece)
        return made[: round(seconds * self.rate)]

    def joined(self, *parts: np.ndarray) -> np.ndarray:
        """Join the parts, each cross-faded into the next."""
        made = parts[0]
        for part in parts[1:]:
            fade = min(round(FADE * self.rate), len(made) // 3, len(part) // 3)
            both = crossfade(made[len(made) - fade :, None], part[:fade, None])[:, 0]
            made = np.concatenate([made[: len(made) - fade], both, part[fade:]])
        return made.astype(np.float32)

    def phone(self, symbols: Sequence[str]) -> np.ndarray | None:
        """Return the longest of these phones, from its middle."""
        found = [p for p in self.alignment.phones if p.symbol.rstrip("012") in symbols]
        best = max(found, key=lambda phone: phone.duration, default=None)
        if best is None or best.duration < 0.06:
            return None
        return self.cut(best.start + best.duration / 5, best.end - best.duration / 5)

    def noise(self, seconds: float, level: float, random: np.random.Generator) -> np.ndarray:
        """Make white noise at a level relative to the clip's root mean square."""
        sound = random.standard_normal(round(seconds * self.rate))
        return np.asarray(sound * level * np.sqrt(np.mean(self.samples**2)), np.float32)

    def sound(
        self, kind: str, after: int, random: np.random.Generator
    ) -> tuple[np.ndarray, float] | None:
        """Make the sound to plant after word `after`, and say how long its ends' room tone is.

        None if the clip has nothing to make it of.
        """
        if kind in ("room tone", "long pause"):
            return self.tone(random.uniform(*((0.3, 0.9) if kind == "room tone" else (2, 3)))), 0.0
        first, second = self.words[after], self.words[after + 1]
        seconds, around = random.uniform(0.08, 0.25), FADE / 2
        gap = self.tone(seconds)
        vowel, nasal = self.phone(("AH", "ER", "AA", "EH")), self.phone(("M", "N"))
        if kind == "repetition":
            middle = [self.cut(first.start - around, first.end + around)]
        elif kind == "restart":
            middle = [self.cut(second.start - around, (second.start + second.end) / 2 + around)]
        elif kind == "cough":
            time = np.arange(round(0.3 * self.rate)) / self.rate
            middle = [self.noise(0.3, 8.0, random)[: len(time)] * np.exp(-time * 12)]
        elif vowel is None or nasal is None:
            return None
        elif kind == "um":
            held = stretched(vowel, random.uniform(0.2, 0.4), self.rate)
            middle = [held, stretched(nasal, random.uniform(0.1, 0.2), self.rate)]
        else:
            beats = range(int(random.integers(3, 6)))
            breaths = [self.noise(0.08, 0.3, random) for _ in beats]
            middle = [x for breath in breaths for x in (breath, stretched(vowel, 0.1, self.rate))]
        return self.joined(gap, *middle, gap), seconds

    def with_sound(
        self, kind: str, random: np.random.Generator
    ) -> tuple[np.ndarray, PlantedSound] | None:
        """Plant one sound between two of the clip's words, whose edges stay where they were.

        None where there is no place for it or nothing to make it of.
        """
        places = [
            k
            for k, (word, following) in enumerate(zip(self.words, self.words[1:], strict=False))
            if k > 0 and word.end == following.start and min(word.score, following.score) > 0.8
        ]
        if not places or not any(w.is_pause and w.duration > 0.2 for w in self.alignment.words):
            return None
        after = int(random.choice(places))
        made = self.sound(kind, after, random)
        if made is None:
            return None
        sound, gap = made
        at, half = round(self.words[after].end * self.rate), round(FADE * self.rate) // 2
        # The fades lie half in the words beside it, where the clip goes on under them.
        changed = self.joined(
            self.samples[: at + half],
            np.concatenate([sound[:half], sound, sound[len(sound) - half :]]),
            self.samples[at - half :],
        )
        return changed, PlantedSound(kind, after, at, at + len(sound), gap)


def judged(found: Alignment, place: PlantedSound, rate: int) -> Row:
    """Return the errors of the words beside the place, ms, and whether it is named."""
    before, after = found.spoken[place.after], found.spoken[place.after + 1]
    between = [w for w in found.words if w.is_pause and before.end <= w.start < after.start]
    named = any(w.unwritten for w in between) or any(w in between for w in unwritten_speech(found))
    errors = before.end - place.start / rate, after.start - place.stop / rate
    return {"kind": place.kind, "errors": [1000 * abs(error) for error in errors], "named": named}


def align_planted(numbered: tuple[int, Spoken], setting: Setting) -> Iterator[Row]:
    """Align a clip with every kind, cut where the alignment of the clean clip has words."""
    number, spoken = numbered
    clip = PlantingClip(spoken, setting.align(spoken.samples, spoken.rate, spoken.words))
    for kind in KINDS:
        made = clip.with_sound(kind, np.random.default_rng([number, KINDS.index(kind)]))
        if made is None:
            continue
        try:
            found = setting.align(made[0], spoken.rate, spoken.words, check=False)
        except AlignmentError:
            yield {"kind": kind, "errors": [], "named": False, "far": True}
            continue
        row = judged(found, made[1], spoken.rate)
        yield row | {"far": max(row["errors"]) > FAR}


COLUMNS = (
    count("places"),
    Column("mean, ms", lambda rows: float(np.mean([e for r in rows for e in r["errors"]])), ".1f"),
    Column("median", lambda rows: float(np.median([e for r in rows for e in r["errors"]])), ".1f"),
    share("far", "far"),
    share("named", "named", ".0f"),
)
MEASUREMENT = Measurement(
    lambda setting: enumerate(held_out_clips(setting.options.clips, setting.options.seed)),
    align_planted,
    [
        Table(COLUMNS, ("kind",)),
        Table(COLUMNS, only=lambda row: row["kind"] != "room tone"),  # which is no sound
    ],
    counts(clips=100, seed=6),
    legend="Far: an edge more than 100 ms off, per cent of the places; named: per cent.",
)
