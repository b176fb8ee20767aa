"""The aligner's confidence in each word, and whether the text is what is spoken.

The networks of alignment.network are asked how far the log posterior of the text's phone lies
below that of the likeliest one, and how much better anything else would fit in the word's place
(alignment.confidence.rival_scores). What is found of planted errors is in RESULTS.md
(evaluation.hearing.planted_errors).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from alignment.arpabet import strip_stress
from alignment.confidence.rival_scores import advantages_between, summed_advantages
from alignment.errors import AlignmentError
from alignment.network.phone_network import FRAME_S, INDEX, information
from alignment.result import DOUBTFUL_BELOW, PAUSE, Alignment, Phone, Word

# A word's log odds: an offset, and the weights of its evidence, which is the mean distance of its
# phones from the likeliest ones, and that of its worst phone; the root of the advantage that
# anything else would have in its place; its haste; and the root that is usual in the recording, at
# most MAX_USUAL_ROOT either way. Fitted to errors in 150 clips that neither network heard in
# training, corpora counted evenly, half of them in noise, so that 0.7% of their right words are
# doubted.
ODDS_OFFSET, EVIDENCE_WEIGHTS = 3.0, (0.12, 0.232, -1.56, -0.334, 0.197)
MAX_USUAL_ROOT = 3.0
# Right texts of 200 clips fit by -2.53 or more, 99 in 100 wrong ones of 110 by -2.4 or less.
EVEN_FIT = -2.6

# The root of the advantage that anything between two words has, at which a sound named there is as
# likely as not one that the text lacks; and how steeply it becomes likelier. In 110 clips such
# sounds are between 74 in 100 pairs of words of which the one between is missing from the text, and
# between one in 500 pairs of right texts.
EVEN_ROOT, ROOT_SLOPE = 2.3, 6.0

# A sound that touches a word is taken for a piece of it where so likely nothing is between the two
# words, or where it is a noise of less than LONGEST_FRAGMENT_S seconds and the word is less likely
# than HARDLY.
REFUTED, HARDLY = 0.75, 0.1
NOISE_NAME, SPEECH_NAME, LONGEST_FRAGMENT_S = "<noise>", "<speech>", 1.0

DISTANCE_FLOOR_NATS = -12.0  # a frame's log posterior below the best; more is no worse

# Nats that the posteriors tell in the window that tells the most: of noise, tones and music 0.1 to
# 0.63, of a second of speech in silence 1.0, of a sentence at 5 dB 1.2 or more.
EVEN_INFORMATION = 0.7
# Over the whole recording, a word in half a minute of silence would be lost.
INFORMATION_WINDOW_S = 3.0

# A text is refused if its words' mean distance in the network's eyes, less the deviation of the
# logarithms of their phones' lengths, lies below EVEN_FIT; if the mean log odds of its
# words lie below EVEN_ODDS; or if EVEN_SHARE of them are doubtful (two more count as heard, so that
# one doubtful word in a text of two or three doesn't decide).
EVEN_ODDS = 0.0
EVEN_SHARE = 0.5
BENEFIT = 2

NAMED_WORDS = 5


def score_words(alignment: Alignment, posteriors: np.ndarray, sequences: np.ndarray) -> Alignment:
    """Return the alignment with scores of its words, of its pauses (1: no speech) and of the text.

    Of what is named in a pause the phone's score says how likely it is that the text lacks nothing
    there.

    ``posteriors``: log, (T, 40), of alignment.network; ``sequences``: `sequence_scores` of the
    recording, which say better what else would fit. The text is refused below 0.5: its fit decides,
    for words at wrong places do not fit and are drawn out or squeezed; the words' odds in a text of
    a word or two; the share of doubtful ones when half of the text fits; the information when there
    is no speech at all.
    """
    below = _below(alignment.phones, posteriors)
    roots, usual = _roots(summed_advantages(alignment, sequences))
    lefts = _before_unwritten(alignment.words)
    between = _roots(advantages_between(alignment, lefts, sequences))[0]
    chances = [logistic(ROOT_SLOPE * (EVEN_ROOT - root)) for root in between.tolist()]
    nothing = dict(zip(lefts, chances, strict=True))
    witnesses = zip(roots.tolist(), _hastes(alignment.spoken), strict=True)
    distances: list[float] = []
    words: list[Word] = []
    for word in alignment.words:
        inside = _frames(word, len(posteriors))
        if word.is_pause:
            quiet = np.exp(posteriors[inside, INDEX[PAUSE]])
            score = round(float(quiet.mean()), 4)
            likely = nothing.get(len(distances) - 1, score) if word.unwritten else score
            phone = Phone(PAUSE, word.start, word.end, likely)
            named = _named(word, posteriors[inside])
            words.append(Word("", word.start, word.end, score, (phone,), named))
            continue
        distances.append(float(below[inside].mean()))
        worst = min(float(below[_frames(phone, len(below))].mean()) for phone in word.phones)
        evidence = (distances[-1], worst, *next(witnesses), usual)
        odds = ODDS_OFFSET + sum(
            w * each for w, each in zip(EVIDENCE_WEIGHTS, evidence, strict=True)
        )
        score = logistic(odds)
        phones = tuple(replace(phone, score=score) for phone in word.phones)
        words.append(replace(word, score=score, phones=phones))
    spoken = [word.score for word in words if not word.is_pause]
    doubtful = sum(score < DOUBTFUL_BELOW for score in spoken) / (len(spoken) + BENEFIT)
    fit = float(np.mean(distances) - np.std(_lengths(alignment.spoken)))
    score = min(
        logistic((fit - EVEN_FIT) / 0.15),
        logistic((float(np.mean([_odds(score) for score in spoken])) - EVEN_ODDS) / 0.25),
        logistic((EVEN_SHARE - doubtful) / 0.1),
        logistic((_most_information(posteriors) - EVEN_INFORMATION) / 0.05),
    )
    return replace(alignment, words=tuple(words), score=score)


def _named(word: Word, posteriors: np.ndarray) -> str:
    """Name what is unwritten: a noise as long as words, with distinct phones, is speech."""
    is_long = word.unwritten == NOISE_NAME and word.duration >= LONGEST_FRAGMENT_S
    is_speech = is_long and information(posteriors) >= EVEN_INFORMATION
    return SPEECH_NAME if is_speech else word.unwritten


def sounds_borne_out(alignment: Alignment) -> dict[int, bool]:
    """Return, by the spoken word after it, whether each unwritten sound is there.

    After the last word the number is their count. What touches a word is a piece of it, drawn out
    or said in an unusual way, if it is likelier nothing, or if it is only a short noise and the
    word is hardly heard without it. Alone in a pause it moves no word's edge.
    """
    result: dict[int, bool] = {}
    number, words = 0, alignment.words
    for place, word in enumerate(words):
        number += not word.is_pause
        if word.unwritten:
            beside = (*words[max(place - 1, 0) : place], *words[place + 1 : place + 2])
            touched = [each.score for each in beside if not each.is_pause]
            short_noise = word.unwritten == NOISE_NAME and word.duration < LONGEST_FRAGMENT_S
            refuted = word.phones[0].score > REFUTED or (
                short_noise and min(touched, default=1.0) < HARDLY
            )
            result[number] = result.get(number, True) and not (touched and refuted)
    return result


def _before_unwritten(words: Sequence[Word]) -> list[int]:
    """Return the numbers of the words after which something unwritten is named; -1: before all."""
    lefts, number = dict[int, None](), -1
    for word in words:
        number += not word.is_pause
        if word.unwritten:
            lefts[number] = None
    return list(lefts)


def _roots(better: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the roots of advantages, (n,), and their limited median."""
    roots = np.sign(better) * np.sqrt(np.abs(better))
    usual = float(np.clip(np.median(roots), -MAX_USUAL_ROOT, MAX_USUAL_ROOT)) if len(roots) else 0.0
    return roots, usual


def _below(phones: Sequence[Phone], posteriors: np.ndarray) -> np.ndarray:
    """Return how far each frame's phone lies below the likeliest one, (T,); 0 is best."""
    symbols = np.zeros(len(posteriors), dtype=int)
    for phone in phones:
        symbols[_frames(phone, len(posteriors))] = INDEX[strip_stress(phone.symbol)]
    below = posteriors[np.arange(len(posteriors)), symbols] - posteriors.max(axis=1)
    return np.maximum(below, DISTANCE_FLOOR_NATS)


def _lengths(words: Sequence[Word]) -> np.ndarray:
    """Return the logarithm of the mean length of each word's phones, (W,)."""
    return np.log([max(word.duration, FRAME_S) / len(word.phones) for word in words])


def _hastes(words: Sequence[Word]) -> list[float]:
    """Return the logarithm by which each word's phones are shorter than usual, 0 or more.

    A word that isn't said is squeezed in between two others.
    """
    lengths = _lengths(words)
    return np.maximum(np.median(lengths) - lengths, 0.0).tolist() if len(words) else []


def _odds(score: float) -> float:
    """Return the logarithm of a score's odds; 0 and 1 count as a thousandth from there."""
    score = min(max(score, 0.001), 0.999)
    return math.log(score / (1 - score))


def _frames(part: Phone | Word, count: int) -> slice:
    """Return the network's frames, of ``count``, that lie in a part; at least one."""
    first = min(math.ceil(part.start / FRAME_S), count - 1)
    return slice(first, max(math.ceil(part.end / FRAME_S), first + 1))


def require_speech(posteriors: np.ndarray) -> None:
    """Raise AlignmentError for noise, tones and the like, which any text would fit."""
    if _most_information(posteriors) < EVEN_INFORMATION:
        raise AlignmentError("The recording has no audible speech: check the file or the channel.")


def _most_information(posteriors: np.ndarray) -> float:
    """Return the most `information` that a window has."""
    frames = round(INFORMATION_WINDOW_S / FRAME_S)
    last = max(len(posteriors) - frames, 0)
    starts = (*range(0, last, frames // 2), last)
    return max(information(posteriors[start : start + frames]) for start in starts)


def matches(alignment: Alignment) -> bool:
    """Return whether the text is that of the recording."""
    return alignment.score >= DOUBTFUL_BELOW


def require_match(alignment: Alignment) -> None:
    """Check the text against the recording; AlignmentError names the words that don't fit."""
    if matches(alignment):
        return
    spoken = alignment.spoken
    raise mismatch(spoken, [k for k, word in enumerate(spoken) if word.score < DOUBTFUL_BELOW])


def mismatch(words: Sequence[Word] | Sequence[str], doubtful: Sequence[int]) -> AlignmentError:
    """Return the refusal, naming the first doubtful words (of all, when none stands out)."""
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


def logistic(x: float) -> float:
    """Return the logistic function of ``x``, rounded to four digits."""
    return round(1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, x)))), 4)
