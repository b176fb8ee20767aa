"""How sure the aligner is of a word, and whether the text is the one that is spoken.

Two witnesses. PocketSphinx: the text is compared with what a free phone loop hears in the same
frames, so a noisy or a strange voice, in which the loop does badly too, is not held against the
text. And the network of alignment.phone_net: how far the log posterior of the text's phone lies
below that of the likeliest one.

Measured with planted errors on 53 held-out clips of four corpora, 27 clean and 26 in pink noise at
10 or 5 dB, none of them used to fit the weights: of single wrong words 51 of 53 had a confidence
below 0.5, of words put in 53 of 53; of the words of right texts 10 of 967 (2 of 486 in clean
speech). That a word is missing showed in its neighbours in 10 of 27 clean clips and none in noise.
Refused were no right texts; 27 of 27 clean and 23 of 25 noisy texts of other clips; 50 of 53 texts
whose halves were swapped; 2 of 159 texts with one error, both short.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from alignment.errors import AlignmentError
from alignment.phone_net import FRAME_SECONDS, INDEX
from alignment.records import Alignment, Phone, Word
from alignment.sphinx import PhoneFrames

# A word's confidence: logistic in its distance, fitted to planted errors.
WORD_OFFSET = 2.26
WORD_DISTANCE = 0.078

# Both witnesses of a word together, fitted to planted errors, and the network's alone.
BOTH = (3.1, 0.68, 1.0)
ALONE = (3.1, 1.7)
FARTHEST = -12.0  # a frame's log posterior below the best; more is no worse

# Nats that the posteriors tell: of steady noise and tones 0.1 to 0.6, of a word of two phones 0.8,
# of a sentence at 5 dB 1.2 or more.
EVEN_INFORMATION = 0.65

# A text is refused when its words' mean lies below this in the network's eyes, or above this share
# of doubtful words (two more words count as heard, so that one doubtful word in a text of two or
# three doesn't decide).
EVEN_DISTANCE = -2.4
EVEN_SHARE = 0.4
BENEFIT = 2

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
    """The alignment with its words scored by both witnesses, and the text as a whole.

    `posteriors`: log, (T, 40), of alignment.phone_net. `alone`: the scores that the words have
    mean nothing. The text's score is refused below 0.5: its words' mean distance decides when
    nothing fits, the share of doubtful words when half of the text fits, and the information when
    there is no speech at all.
    """
    best = posteriors.max(axis=1)
    words: list[Word] = []
    distances: list[float] = []
    for word in alignment.words:
        if word.is_pause:
            words.append(word)
            continue
        distance = float(np.mean([_below(phone, posteriors, best) for phone in word.phones]))
        distances.append(distance)
        if alone:
            score = _logistic(ALONE[0] + ALONE[1] * distance)
            phones = tuple(replace(phone, score=score) for phone in word.phones)
            words.append(replace(word, score=score, phones=phones))
        else:
            offset, first, second = BOTH
            said = min(max(word.score, 0.001), 0.999)
            score = _logistic(offset + first * math.log(said / (1 - said)) + second * distance)
            words.append(replace(word, score=score))
    spoken = [word.score for word in words if not word.is_pause]
    doubtful = sum(score < 0.5 for score in spoken) / (len(spoken) + BENEFIT)
    score = min(
        _logistic((float(np.mean(distances)) - EVEN_DISTANCE) / 0.25),
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


def _below(phone: Phone, posteriors: np.ndarray, best: np.ndarray) -> float:
    """How far the phone lies below the likeliest one, mean over its frames; 0 is best."""
    first = min(math.ceil(phone.start / FRAME_SECONDS), len(best) - 1)
    inside = slice(first, max(math.ceil(phone.end / FRAME_SECONDS), first + 1))
    below = posteriors[inside, INDEX[phone.symbol.rstrip("012")]] - best[inside]
    return float(np.maximum(below, FARTHEST).mean())


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
