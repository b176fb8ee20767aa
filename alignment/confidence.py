"""How sure the aligner is of a word, and whether the text is the one that is spoken.

Two witnesses. PocketSphinx: the text is compared with what a free phone loop hears in the same
frames, so a noisy or a strange voice, in which the loop does badly too, is not held against the
text. And the network of alignment.phone_net: how far the log posterior of the text's phone lies
below that of the likeliest one.

Measured with planted errors (benchmarks.planted_errors, RESULTS.md) on 58 clips of four corpora,
not those of the fit, half of them in pink noise at 10 or 5 dB: of single wrong words 84% had a
confidence below 0.5, of words put in 83%; that a word is missing showed in its neighbours in 40%;
of the words of right texts 0.8% were below. Refused were no right text, and 173 of 174 wrong ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from alignment.errors import AlignmentError
from alignment.phone_net import FRAME_SECONDS, INDEX
from alignment.records import PAUSE, Alignment, Phone, Word, pause
from alignment.sphinx import PhoneFrames

# A word's confidence: logistic in its distance, fitted to planted errors.
WORD_OFFSET = 2.26
WORD_DISTANCE = 0.078

# A word by its mean distance in the network's eyes, the logarithm of its worst stretch, and
# PocketSphinx's witness; fitted to planted errors. And by the network's alone.
BOTH = (3.8, 1.12, -0.91, 0.41)
ALONE = (3.8, 1.7, -0.91)
FARTHEST = -12.0  # a frame's log posterior below the best; more is no worse
USUAL_LOSS = -1.5

# Nats that the posteriors tell: of steady noise and tones 0.1 to 0.6, of a word of two phones 0.8,
# of a sentence at 5 dB 1.2 or more.
EVEN_INFORMATION = 0.65

# A text is refused when the mean log odds of its words lie below this (right texts: 1.8 or more),
# or when this share of them is doubtful (two more count as heard, so that one doubtful word in a
# text of two or three doesn't decide).
EVEN_ODDS = 1.0
EVEN_SHARE = 0.35
BENEFIT = 2

# Seconds of speech in one pause that are no breath and no late boundary: in right texts of 35 clips
# up to 0.14 clean, and up to 0.21 in noise.
UNWRITTEN = 0.35

NAMED_WORDS = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """For a stretch of `frames`: score above the loop's, a frame; share of frames that agree."""

    frames: int
    distance: float
    agreement: float


class Heard:
    """What the phone loop heard, frame by frame."""

    def __init__(self, loop: Sequence[PhoneFrames]) -> None:
        frames = max((phone.start + phone.frames for phone in loop), default=0)
        self._scores = np.zeros(frames)
        self._symbols = np.full(frames, "", dtype="U5")
        for phone in loop:
            inside = slice(phone.start, phone.start + phone.frames)
            self._scores[inside] = phone.score / phone.frames
            self._symbols[inside] = phone.symbol

    def evidence(self, phones: Sequence[PhoneFrames]) -> Evidence:
        """For phones that the text has, together."""
        frames = sum(phone.frames for phone in phones)
        distance = agreeing = 0.0
        for phone in phones:
            inside = slice(phone.start, phone.start + phone.frames)
            distance += phone.score - self._scores[inside].sum()
            agreeing += np.count_nonzero(self._symbols[inside] == phone.symbol)
        return Evidence(frames, distance / frames, agreeing / frames)

    def silence(self, start: int, stop: int) -> float:
        """Share of the frames [start, stop) in which no speech is heard."""
        quiet = np.isin(self._symbols[start:stop], ("SIL", "+NSN+", "+SPN+", ""))
        return float(quiet.mean()) if len(quiet) else 1.0


def word_score(part: Evidence) -> float:
    """Confidence 0..1 in a word or a phone; below 0.5 it is doubtful."""
    return _logistic(WORD_OFFSET + WORD_DISTANCE * part.distance)


def judged(alignment: Alignment, posteriors: np.ndarray, alone: bool = False) -> Alignment:
    """The alignment with its words scored by both witnesses, its pauses by the network (1: no
    speech), and the text as a whole.

    `posteriors`: log, (T, 40), of alignment.phone_net. `alone`: the scores that the words have
    mean nothing. The text's score is refused below 0.5: its words' mean odds decide when nothing
    fits, the share of doubtful words when half of the text fits, and the information when there is
    no speech at all.
    """
    below = _below(alignment.phones, posteriors)
    words: list[Word] = []
    for word in alignment.words:
        inside = _frames(word, len(posteriors))
        if word.is_pause:
            quiet = np.exp(posteriors[inside, INDEX[PAUSE]])
            words.append(pause(word.start, word.end, round(float(quiet.mean()), 4)))
            continue
        seen = float(below[inside].mean()), math.log1p(_worst_stretch(below[inside]))
        if alone:
            score = _logistic(_weighted(ALONE, *seen))
            phones = tuple(replace(phone, score=score) for phone in word.phones)
            words.append(replace(word, score=score, phones=phones))
        else:
            score = _logistic(_weighted(BOTH, *seen, _odds(word.score)))
            words.append(replace(word, score=score))
    spoken = [word.score for word in words if not word.is_pause]
    doubtful = sum(score < 0.5 for score in spoken) / (len(spoken) + BENEFIT)
    score = min(
        _logistic((float(np.mean([_odds(score) for score in spoken])) - EVEN_ODDS) / 0.25),
        _logistic((EVEN_SHARE - doubtful) / 0.1),
        _logistic((information(posteriors) - EVEN_INFORMATION) / 0.05),
    )
    return replace(alignment, words=tuple(words), score=score)


def information(posteriors: np.ndarray) -> float:
    """What a frame tells of its phone, on average, nats: 0 when all frames look the same.

    In steady noise the network calls nothing unlikely, so every text would fit.
    """
    shares = np.exp(posteriors)
    mean = shares.mean(axis=0)
    whole = -(mean * np.log(mean + 1e-9)).sum()
    return float(whole + (shares * posteriors).sum(axis=1).mean())


def _below(phones: Sequence[Phone], posteriors: np.ndarray) -> np.ndarray:
    """How far the text's phone lies below the likeliest one in each frame, (T,); 0 is best."""
    symbols = np.zeros(len(posteriors), dtype=int)
    for phone in phones:
        symbols[_frames(phone, len(posteriors))] = INDEX[phone.symbol.rstrip("012")]
    below = posteriors[np.arange(len(posteriors)), symbols] - posteriors.max(axis=1)
    return np.maximum(below, FARTHEST)


def _worst_stretch(below: np.ndarray) -> float:
    """What the worst stretch of frames has lost beyond USUAL_LOSS a frame, in tens; 0 is best.

    A word that is said and not written hides in a neighbour, most of which may be right.
    """
    lost = np.append(0.0, np.cumsum(USUAL_LOSS - below))
    return float((lost - np.minimum.accumulate(lost)).max()) / 10


def _odds(score: float) -> float:
    """The logarithm of a score's odds; 0 and 1 count as a thousandth from there."""
    score = min(max(score, 0.001), 0.999)
    return math.log(score / (1 - score))


def _weighted(weights: Sequence[float], *values: float) -> float:
    offset, *rest = weights
    return offset + sum(weight * value for weight, value in zip(rest, values, strict=True))


def _frames(part: Phone | Word, count: int) -> slice:
    """Those of the network's `count` frames that lie in it, at least one."""
    first = min(math.ceil(part.start / FRAME_SECONDS), count - 1)
    return slice(first, max(math.ceil(part.end / FRAME_SECONDS), first + 1))


def unwritten(alignment: Alignment) -> list[Word]:
    """The pauses that hold speech: there the recording says what its text doesn't have."""
    return [
        word
        for word in alignment.words
        if word.is_pause and word.duration * (1 - word.score) > UNWRITTEN
    ]


def require_speech(posteriors: np.ndarray) -> None:
    """Raises AlignmentError for noise, tones and the like, which any text would fit."""
    if information(posteriors) < EVEN_INFORMATION:
        raise AlignmentError("No speech is heard in the recording: check the file or the channel.")


def require_match(alignment: Alignment) -> None:
    """Raises AlignmentError, naming the doubtful words, if the text is not the recording's."""
    if alignment.score >= 0.5:
        return
    raise mismatch(
        alignment.spoken, [k for k, word in enumerate(alignment.spoken) if word.score < 0.5]
    )


def mismatch(words: Sequence[Word] | Sequence[str], doubtful: Sequence[int]) -> AlignmentError:
    """The refusal, naming the first doubtful words (of all, when none stands out)."""
    texts = [word if isinstance(word, str) else word.text for word in words]
    doubtful = doubtful or range(len(texts))
    named = ", ".join(f'"{texts[k]}"' for k in doubtful[:NAMED_WORDS])
    rest = len(doubtful) - NAMED_WORDS
    if rest > 0:
        named += f" and {rest} more of its {len(texts)} words"
    verb = "is" if len(doubtful) == 1 else "are"
    return AlignmentError(
        f"The recording doesn't match its text: {named} {verb} not heard where the text has "
        f"{'it' if verb == 'is' else 'them'}; give the words that are spoken.",
        doubtful,
    )


def _logistic(x: float) -> float:
    return round(1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, x)))), 4)
