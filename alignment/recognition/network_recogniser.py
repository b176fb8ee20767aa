"""Recognises words: the phone network, a tree of 39,000 words, and trigrams.

The network hears the recording as three vocal tracts would have said it, and the mean counts: a
voice unlike those of its training is nearer to them in one of these. What it was trained to say of
whole sequences counts here, not how likely each frame's phone is. Of the ways that trigrams find
likely, a network that knows the whole sentence takes one. With a text that is nearly said, the same
scores are searched again by that text, and the sound settles where the two differ. Chosen on clips
that nothing is reported of; evaluation.hearing.recognition measures the first search,
evaluation.hearing.near_words the second.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from alignment.aligner import Pronunciations
from alignment.arpabet import strip_stress
from alignment.confidence.scores import require_speech
from alignment.errors import AlignmentError
from alignment.network.phone_network import (
    band_power,
    normalised,
    posteriors,
    sequence_scores,
    with_tract,
)
from alignment.recognition.beam_search import Found, search
from alignment.recognition.lexicon_tree import LexiconTree
from alignment.recognition.ngrams import UNKNOWN, ExpectedText, NGrams, load_ngrams
from alignment.recognition.rescoring import Rescoring
from alignment.recognition.settling import NEAR, Settling, Ways
from alignment.recognition.word_network import load_word_network
from alignment.waveform import model_waveform


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """A heard word, lower case; its seconds; its probability, 0..1."""

    text: str
    start: float
    end: float
    confidence: float = 1.0


TRACTS = (1.0, 0.93, 1.07)  # lengths against the speaker's own


NOTHING = "The recording has no audible words: give its text."


class Recognition(NamedTuple):
    """The words heard; if they are all of an expected text, also what else might be, lower case."""

    words: list[RecognisedWord]
    rival: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def recognise(
    samples: np.ndarray,
    sample_rate: int,
    expected: Sequence[str],
    pronunciations: Pronunciations,
) -> Recognition:
    """The words heard in `samples` (mono, float, (n,), 8 kHz or more), lower case.

    `expected`: the text that the recording says but for a few words (of an edit, the new text), or
    nothing; words of it that the model lacks are heard if they have `pronunciations`.
    Raises AlignmentError when the recording can't be used or no word is heard.
    """
    sound = mean_scores(model_waveform(samples, sample_rate))
    free = heard_freely(sound)
    if expected:
        heard = settled(sound, free, [word.lower() for word in expected], pronunciations)
    else:
        heard = Recognition(words_of(free, general_model()[0].words))
    if not heard.words:
        raise AlignmentError(NOTHING)
    return heard


def heard_freely(sound: np.ndarray) -> list[Found]:
    """The likeliest words, by number in the general model, of `mean_scores` (T, 40)."""
    general, _, tree, ahead = general_model()
    return search(sound, tree, ahead, general, choose=Rescoring(load_word_network(), general))


def settled(
    sound: np.ndarray,
    free: Sequence[Found],
    expected: Sequence[str],
    pronunciations: Pronunciations,
) -> Recognition:
    """Hear `mean_scores` by the `expected` text, at least one word, and by what was
    heard `free`ly; other arguments as for `recognise`."""
    words, text, ways, tree, model = _vocabulary(expected, pronunciations)
    sure = [(each.word, each.confidence) for each in free]
    choose = Settling(text, sure, model.general, ways)
    ahead = tree.best_below(model.unigram())
    found = search(sound, tree, ahead, model, choose=choose, near=NEAR)
    return Recognition(words_of(found, words), tuple(words[word] for word in choose.rival))


def words_of(found: Sequence[Found], words: Sequence[str]) -> list[RecognisedWord]:
    return [RecognisedWord(words[each.word], *each[1:]) for each in found]


def mean_scores(waveform: np.ndarray) -> np.ndarray:
    """The network's `sequence_scores` (T, 40), the mean over TRACTS, of 16 kHz mono (n,).

    Raises AlignmentError when there is no speech in it.
    """
    power = np.log(band_power(waveform) + 1e-12)
    each = [normalised(np.exp(with_tract(power, tract))) for tract in TRACTS]
    require_speech(posteriors(each[0]))
    return np.asarray(np.mean([sequence_scores(frames) for frames in each], axis=0))


def _vocabulary(
    expected: Sequence[str], pronunciations: Pronunciations
) -> tuple[Sequence[str], list[int], Ways, LexiconTree, ExpectedText]:
    """All words by number, the expected ones, the pronunciations and the tree of all, and the model
    of their order."""
    general, numbers, plain, _ = general_model()
    words, numbers, ways = list(general.words), dict(numbers), dict(_general_ways())
    for word in expected:
        if word not in numbers and pronunciations.get(word):
            numbers[word] = len(words)
            spoken = {tuple(map(strip_stress, way)) for way in pronunciations[word]}
            ways[len(words)] = spoken - {()}
            words.append(word)
    text = [numbers.get(word, numbers[UNKNOWN]) for word in expected]
    tree = plain
    if len(words) > general.count:
        tree = LexiconTree.of((word, way) for word, each in ways.items() for way in sorted(each))
    return words, text, ways, tree, ExpectedText(general, text, len(words))


@cache
def _general_ways() -> Ways:
    """The pronunciations of the general model's words."""
    general = general_model()[0]
    result: dict[int, set[tuple[str, ...]]] = defaultdict(set)
    for word, way in zip(general.pronounced.tolist(), general.pronunciations, strict=True):
        result[word].add(way)
    return result


@cache
def general_model() -> tuple[NGrams, dict[str, int], LexiconTree, np.ndarray]:
    """The general model, its words' numbers, their tree and what it looks ahead for (0.2 s)."""
    general = load_ngrams()
    tree = LexiconTree.of(zip(general.pronounced.tolist(), general.pronunciations, strict=True))
    numbers = {word: number for number, word in enumerate(general.words)}
    return general, numbers, tree, tree.best_below(general.unigram)
