"""Sound that nobody wrote, planted between two words: python -m evaluation.hearing.planted_sounds

Reads the clips of aligner_held_out.txt from the corpora that A3T_CORPORA names: no network of the
network aligner heard them in training. Between two words of each is put: room tone of the clip (so
that the first is the end of a phrase that is cut, and the second a beginning), a filled pause made
of its own vowel and nasal, the first word again, the beginning of the second, a laugh, a cough. The
exact times of both words are then known from where the clip was cut. Also: music and another talker
as loud as the speech, against the aligner's own boundaries of the clean clip.

Prints for each kind how many, the mean and median distance of the end before and the start after
it in ms, the share of places where either is more than 100 ms off, and the share that is named.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import ALIGNERS, Alignment, AlignmentError, Word, load_aligner
from alignment.confidence.doubts import unwritten_speech
from evaluation.harness.programs import program_parser
from evaluation.hearing.planted_errors import TESTED_CLIPS, TESTED_SEED
from evaluation.hearing.planting import Spoken, aligner_held_out, chosen, heard

FAR = 0.1  # seconds
KINDS = ("room tone", "um", "repetition", "restart", "laugh", "cough")
BACKGROUNDS = ("music 0 dB", "talker 0 dB")


class PlantedSound(NamedTuple):
    """What was planted after word `after`, in samples [start, stop) of the changed clip."""

    kind: str
    after: int
    start: int
    stop: int


class FoundBeside(NamedTuple):
    """Of a place: found minus true seconds of the end before and the start after; whether named."""

    kind: str
    before: float
    after: float
    named: bool


def looped(sound: np.ndarray, count: int) -> np.ndarray:
    """`count` samples of a short sound again and again, its ends faded into each other."""
    fade = min(len(sound) // 3, 240)
    ramp = np.linspace(0.0, 1.0, fade, dtype=np.float32)
    step = sound[: len(sound) - fade].copy()
    step[:fade] = step[:fade] * ramp + sound[len(sound) - fade :] * ramp[::-1]
    return np.resize(step, count)


def stretched(sound: np.ndarray, seconds: float, rate: int) -> np.ndarray:
    """A vowel or a nasal held for longer, its pitch kept."""
    import librosa

    window = 512
    padded = np.pad(sound, (window, window), mode="reflect") if len(sound) > window else sound
    longer = librosa.effects.time_stretch(
        padded, rate=len(sound) / (seconds * rate), n_fft=window, hop_length=window // 8
    )
    middle = len(longer) // 2
    half = round(seconds * rate / 2)
    return faded(longer[max(middle - half, 0) : middle + half], rate)


def faded(sound: np.ndarray, rate: int) -> np.ndarray:
    count = min(round(0.01 * rate), len(sound) // 2)
    result = sound.astype(np.float32).copy()
    ramp = np.linspace(0.0, 1.0, count, dtype=np.float32)
    result[:count] *= ramp
    result[len(result) - count :] *= ramp[::-1]
    return result


class AlignedClip:
    """A clip with its clean alignment, from which what is planted is cut."""

    def __init__(self, spoken: Spoken, alignment: Alignment) -> None:
        self.samples, self.rate, self.alignment = spoken.samples, spoken.rate, alignment
        self.words = alignment.spoken

    def cut(self, start: float, end: float) -> np.ndarray:
        return self.samples[round(start * self.rate) : round(end * self.rate)]

    def tone(self, seconds: float) -> np.ndarray:
        """Room tone: the middle of the clip's longest pause, repeated."""
        longest = max(
            (word for word in self.alignment.words if word.is_pause), key=lambda word: word.duration
        )
        edge = longest.duration / 4
        return looped(
            self.cut(longest.start + edge, longest.end - edge), round(seconds * self.rate)
        )

    def has_tone(self) -> bool:
        return any(word.is_pause and word.duration > 0.2 for word in self.alignment.words)

    def phone(self, symbols: Sequence[str]) -> np.ndarray | None:
        """The longest of these phones, from its middle."""
        found = [p for p in self.alignment.phones if p.symbol.rstrip("012") in symbols]
        best = max(found, key=lambda phone: phone.duration, default=None)
        if best is None or best.duration < 0.06:
            return None
        return self.cut(best.start + best.duration / 5, best.end - best.duration / 5)

    def sound(self, kind: str, after: int, random: np.random.Generator) -> np.ndarray | None:
        """What is planted after word `after`; None when the clip has nothing to make it of."""
        first, second = self.words[after], self.words[after + 1]
        gap = self.tone(random.uniform(0.08, 0.25))
        if kind == "room tone":
            return self.tone(random.uniform(0.3, 0.9))
        if kind == "repetition":
            return np.concatenate([gap, faded(self.cut(first.start, first.end), self.rate), gap])
        if kind == "restart":
            half = self.cut(second.start, (second.start + second.end) / 2)
            return np.concatenate([gap, faded(half, self.rate), gap])
        if kind == "cough":
            time = np.arange(round(0.3 * self.rate)) / self.rate
            burst = random.standard_normal(len(time)) * np.exp(-time * 12)
            burst *= 3 * np.sqrt(np.mean(self.samples**2)) / np.sqrt(np.mean(burst**2))
            return np.concatenate([gap, burst.astype(np.float32), gap])
        vowel = self.phone(("AH", "ER", "AA", "EH"))
        nasal = self.phone(("M", "N"))
        if vowel is None or nasal is None:
            return None
        if kind == "um":
            held = stretched(vowel, random.uniform(0.2, 0.4), self.rate)
            hummed = stretched(nasal, random.uniform(0.1, 0.2), self.rate)
            return np.concatenate([gap, held, hummed, gap])
        beats = []
        for _ in range(int(random.integers(3, 6))):
            breath = random.standard_normal(round(0.08 * self.rate))
            breath *= 0.3 * np.sqrt(np.mean(self.samples**2))
            beats += [faded(breath, self.rate), stretched(vowel, 0.1, self.rate)]
        return np.concatenate([gap, *beats, gap]).astype(np.float32)


def planted(
    clip: AlignedClip, kind: str, random: np.random.Generator
) -> tuple[np.ndarray, PlantedSound] | None:
    """The clip with one sound between two of its words."""
    places = [
        k
        for k, (word, following) in enumerate(zip(clip.words, clip.words[1:], strict=False))
        if k > 0 and word.end == following.start and word.score > 0.8 and following.score > 0.8
    ]
    if not places or not clip.has_tone():
        return None
    after = int(random.choice(places))
    sound = clip.sound(kind, after, random)
    if sound is None:
        return None
    at = round(clip.words[after].end * clip.rate)
    changed = np.concatenate([clip.samples[:at], sound, clip.samples[at:]]).astype(np.float32)
    return changed, PlantedSound(kind, after, at, at + len(sound))


def judged(found: Alignment, place: PlantedSound, rate: int) -> FoundBeside:
    """How near the words beside the place are to where they were put."""
    before, after = found.spoken[place.after], found.spoken[place.after + 1]
    between = [w for w in found.words if w.is_pause and before.end <= w.start < after.start]
    named = any(word.unwritten for word in between) or any(
        word in between for word in unwritten_speech(found)
    )
    return FoundBeside(
        place.kind, before.end - place.start / rate, after.start - place.stop / rate, named
    )


def with_background(kind: str, clip: Spoken, other: Spoken) -> np.ndarray:
    """As loud as the speech: another clip, or chords."""
    if kind.startswith("talker"):
        sound = np.resize(other.samples, len(clip.samples))
    else:
        import soxr

        from training.alignment.degradation import RATE, music

        seconds = len(clip.samples) / clip.rate
        made = music(round(seconds * RATE) + RATE, np.random.default_rng(len(clip.samples)))
        sound = soxr.resample(made, RATE, clip.rate)[: len(clip.samples)]
    level = np.sqrt(np.mean(clip.samples**2) / max(float(np.mean(sound**2)), 1e-12))
    return (clip.samples + level * sound).astype(np.float32)


def edges(words: Sequence[Word]) -> np.ndarray:
    return np.array([(word.start, word.end) for word in words])


def align_planted(aligner_name: str, clips: Sequence[Spoken]) -> Iterator[FoundBeside]:
    """Every clip with every kind, cut where the alignment of the clean clip has words."""
    aligner, pronouncer = load_aligner(aligner_name), Pronouncer()
    for number, spoken in enumerate(clips):
        known = {word: pronouncer.candidates(word) for word in spoken.words}
        try:
            clean = aligner.align(spoken.samples, spoken.rate, spoken.words, known)
            own = aligner.align(spoken.samples, spoken.rate, spoken.words, known)
        except AlignmentError:
            continue
        clip = AlignedClip(spoken, clean)
        for kind in KINDS:
            random = np.random.default_rng([number, KINDS.index(kind)])
            made = planted(clip, kind, random)
            if made is None:
                continue
            try:
                found = aligner.align(made[0], spoken.rate, spoken.words, known, check=False)  # type: ignore[call-arg]
            except AlignmentError:
                yield FoundBeside(kind, np.inf, np.inf, False)
                continue
            yield judged(found, made[1], spoken.rate)
        for kind in BACKGROUNDS:
            loud = with_background(kind, spoken, clips[(number + 4) % len(clips)])
            try:
                found = aligner.align(loud, spoken.rate, spoken.words, known, check=False)  # type: ignore[call-arg]
            except AlignmentError:
                continue
            for before, after in zip(edges(own.spoken), edges(found.spoken), strict=True):
                yield FoundBeside(kind, after[1] - before[1], after[0] - before[0], False)


def displacement_table(rows: Sequence[FoundBeside]) -> str:
    lines = ["| | places | mean | median | > 100 ms | named |", "|---|---|---|---|---|---|"]
    for kind in (*KINDS, *BACKGROUNDS):
        own = [row for row in rows if row.kind == kind]
        if own:
            errors = np.abs([[row.before, row.after] for row in own])
            finite = errors[np.isfinite(errors)] * 1000
            far = np.mean((errors > FAR).any(axis=1))
            named = "" if kind in BACKGROUNDS else f"{np.mean([row.named for row in own]):.0%}"
            lines.append(
                f"| {kind} | {len(own)} | {finite.mean():.1f} | {np.median(finite):.1f} | "
                f"{far:.1%} | {named} |"
            )
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = program_parser("hearing.planted_sounds", __doc__, clips=TESTED_CLIPS, seed=TESTED_SEED)
    parser.add_argument("--aligner", choices=ALIGNERS, default=ALIGNERS[0])
    options = parser.parse_args(arguments)
    clips = [heard(clip) for clip in chosen(aligner_held_out(), options.clips, options.seed)]
    print(displacement_table(list(align_planted(options.aligner, clips))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
