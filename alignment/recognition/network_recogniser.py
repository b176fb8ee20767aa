"""Recognises words: the phone network, a tree of 39,000 words, and trigrams.

The network hears the recording as three vocal tracts would have said it, and the mean counts: a
voice unlike those of its training is nearer to them in one of these. What it was trained to say of
whole sequences counts here, not how likely each frame's phone is. Of the ways that trigrams find
likely, a network that knows the whole sentence takes one.

A text that is nearly said (`Settling`): a search that is given it follows it even where another
word is heard; one that is not given it mishears a word in five. So both are made, and each way
through the lattice of the first is weighed as a change of the text: by its sound, by what a model
of English makes of the words that the text lacks, and by what the second one heard, as far as it
was sure. One place that differs is expected, since somebody who gives a new text wants a change;
each further one has to be plain.

Chosen on clips that nothing is reported of; evaluation.hearing.recognition measures the first
search, evaluation.hearing.near_words the second.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from operator import attrgetter
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
from alignment.recognition.beam_search import Found, LexiconTree, search
from alignment.recognition.lattice import BEGINNING, END_WORD, START_WORD, Arc
from alignment.recognition.ngrams import UNKNOWN_TOKEN, ExpectedText, NGrams, load_ngrams
from alignment.recognition.rescoring import Rescoring, load_word_network
from alignment.waveform import model_waveform

Ways = Mapping[int, Set[tuple[str, ...]]]  # pronunciations of words by number

SETTLING_NATS = 14.0  # nats below the likeliest way; a word that is hardly heard is as far below


# Nats that a change of the text costs; chosen on clips that nothing is reported of. A word in the
# place of the text's, between two, or none in its place, of many MAX_MISSING_NATS at most.
REPLACED_NATS, EXTRA_NATS, MISSING_NATS, MAX_MISSING_NATS = 4.0, 5.0, 4.0, 12.0
# The weight of the log probability of a word that the text lacks, which counts as RAREST_NATS at
# least.
LANGUAGE_WEIGHT, RAREST_NATS = 0.7, -12.0
# AGREED_NATS is added by the confidence of the word of the text that was also heard freely,
# CHANGE_HEARD_NATS taken off by that of a word of the change. UNLISTED_NATS: in the place of a word
# that the model lacks.
AGREED_NATS, CHANGE_HEARD_NATS, UNLISTED_NATS = 8.0, 6.0, 8.0
AGAIN_NATS = 10.0  # each place but the first
PLAIN_NATS = 2.0  # nats by which a change must be likelier than the text itself
MAX_WAYS, MAX_WAYS_OF_EACH = 10, 5  # ways that go on from a record, and of each number of changes
MAX_SKIPPED = 3  # words at most that are missing before one that another stands for
MAX_OCCURRENCES = 3  # of a word, next in the text, to which a way may leap
TRACTS = (1.0, 0.93, 1.07)  # lengths against the speaker's own
NO_WORDS = "The recording has no audible words: give its text."


class _TextPlace(NamedTuple):
    """A place in the text: words behind, changes made (2: or more), whether one is being made."""

    behind: int = 0
    changes: int = 0
    inside: bool = False


class _Step(NamedTuple):
    """The place that a word leads to and its cost, nats; ``lacks``: its own cost is added."""

    after: _TextPlace
    cost: float = 0.0
    lacks: bool = False


class _Way(NamedTuple):
    """A way to a place: its score, nats, its last two words, its record, and the way before."""

    score: float = 0.0
    words: tuple[int, int] = (-1, START_WORD)  # nothing stands before the beginning
    record: int = BEGINNING
    before: _Way | None = None

    def path(self) -> list[_Way]:
        """Return all its words' ways, in order."""
        result: list[_Way] = []
        here = self
        while here.before is not None:
            result.append(here)
            here = here.before
        return result[::-1]


class Settling:
    """Chooses a way through the lattice of a search that was given a text.

    `text`: its words by number. `free`: the words that are heard without it, and their confidences,
    0..1. `ways`: of each word, its pronunciations; words that share one are not told apart. Once it
    was called, `rival` has the words of the likeliest change, if the text itself was chosen.
    """

    def __init__(
        self,
        text: Sequence[int],
        free: Sequence[tuple[int, float]],
        trigrams: NGrams,
        ways: Ways,
    ) -> None:
        self.rival: tuple[int, ...] = ()
        self._text = list(text)
        self._trigrams = trigrams
        self._ways = ways
        self._next: dict[int, list[int]] = defaultdict(list)
        for place, word in enumerate(text):
            self._next[word].append(place)
        agreed, self._instead, self._between = _compared(text, free)
        unknown = [UNLISTED_NATS if word >= trigrams.count else 0.0 for word in text]
        kept = [AGREED_NATS * each for each in agreed]
        quiet = [
            0.0 if heard is not None else min(pair)
            for heard, pair in zip(
                self._between, zip([AGREED_NATS, *kept], [*kept, AGREED_NATS], strict=True),
                strict=True,
            )
        ]  # fmt: skip
        self._other = [REPLACED_NATS + a + b for a, b in zip(unknown, kept, strict=True)]
        self._extra = [EXTRA_NATS + each for each in quiet]
        missing = [MISSING_NATS + a + b for a, b in zip(unknown, kept, strict=True)]
        self._missing = np.append(0.0, np.cumsum(missing))

    def __call__(self, lattice: Sequence[Arc]) -> list[int]:
        """Return the records of the chosen way, in order."""
        arrived = {BEGINNING: {_TextPlace(): _Way()}}
        final: dict[_TextPlace, _Way] = {}
        steps = cache(self._steps)  # the same word stands on many arcs
        for record, group in groupby(lattice, attrgetter("record")):
            arcs = [arc for arc in group if arc.before in arrived]
            ways: dict[_TextPlace, _Way] = {}
            language = self._language(arcs, arrived)
            for arc in arcs:
                for place, way in arrived[arc.before].items():
                    of_word = language.get((*way.words, arc.word), 0.0)
                    for after, cost, lacks in steps(place, arc.word):
                        score = way.score + arc.gain - (cost + of_word if lacks else cost)
                        if after not in ways or ways[after].score < score:
                            ways[after] = _Way(score, (way.words[1], arc.word), record, way)
            if ways:
                arrived[record] = final = _likeliest(ways)
        whole = {p: way for p, way in final.items() if p.behind == len(self._text)}
        by_score = attrgetter("score")
        changed = max((way for p, way in whole.items() if p.changes), key=by_score, default=None)
        same = max((way for p, way in whole.items() if not p.changes), key=by_score, default=None)
        if same is not None and (changed is None or changed.score - same.score < PLAIN_NATS):
            if changed is not None:
                self.rival = tuple(way.words[1] for way in changed.path()[:-1])
            changed = same
        return [way.record for way in changed.path()[:-1]] if changed is not None else []

    def _steps(self, place: _TextPlace, word: int) -> list[_Step]:
        """Return the steps that the word can be from a place."""
        behind, changes, inside = place
        opening = 0.0 if inside or not changes else AGAIN_NATS
        then = changes if inside else min(changes + 1, 2)
        count = len(self._text)
        if word == END_WORD:
            if behind == count:
                return [_Step(_TextPlace(count, changes))]
            return [_Step(_TextPlace(count, then), opening + self._without(behind, count))]
        result: list[_Step] = []
        places = self._next[word]
        first = int(np.searchsorted(places, behind)) if places else 0
        for at in places[first : first + MAX_OCCURRENCES]:
            if at == behind:
                result.append(_Step(_TextPlace(at + 1, changes)))
            else:
                cost = opening + self._without(behind, at)
                result.append(_Step(_TextPlace(at + 1, then), cost))
        sounds = self._ways.get(word, frozenset())
        for at in range(behind, min(behind + MAX_SKIPPED + 1, count)):
            if self._text[at] != word and not sounds & self._ways.get(self._text[at], frozenset()):
                cost = self._other[at] - CHANGE_HEARD_NATS * self._instead[at].get(word, 0.0)
                cost += opening + self._without(behind, at)
                result.append(_Step(_TextPlace(at + 1, then, True), cost, lacks=True))
        if self._text[behind : behind + 1] == [word]:
            return result  # it would stand before itself, and then be missing
        heard = (self._between[behind] or {}).get(word, 0.0)
        cost = opening + self._extra[behind] - CHANGE_HEARD_NATS * heard
        return [*result, _Step(_TextPlace(behind, then, True), cost, lacks=True)]

    def _without(self, first: int, last: int) -> float:
        """Return the cost of words [first, last) of the text that are not said."""
        return min(float(self._missing[last] - self._missing[first]), MAX_MISSING_NATS)

    def _language(
        self, arcs: Sequence[Arc], arrived: Mapping[int, Mapping[_TextPlace, _Way]]
    ) -> dict[tuple[int, int, int], float]:
        """Return the costs of the arcs' words after what stands before, if the text lacks them."""
        triples = sorted(
            {(*way.words, arc.word) for arc in arcs for way in arrived[arc.before].values()}
        )
        if not triples:
            return {}
        scores = self._trigrams.scores(*np.array(triples).T)
        nats = -LANGUAGE_WEIGHT * np.maximum(scores, RAREST_NATS)
        return dict(zip(triples, nats.tolist(), strict=True))


def _compared(
    text: Sequence[int], free: Sequence[tuple[int, float]]
) -> tuple[list[float], list[dict[int, float]], list[dict[int, float] | None]]:
    """Compare the text with the words heard freely.

    Returns a word's confidence if it is there, or 0; the words with their confidences that are
    heard in the place of each, and before each and at the end; None between two that are the same.
    """
    agreed = [0.0] * len(text)
    instead: list[dict[int, float]] = [{} for _ in text]
    between: list[dict[int, float] | None] = [None] * (len(text) + 1)
    matcher = SequenceMatcher(None, [word for word, _ in free], text)
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind == "equal":
            agreed[begin:end] = [sure for _, sure in free[first:last]]
            continue
        heard = dict(free[first:last])
        instead[begin:end] = [heard] * (end - begin)
        between[begin : end + 1] = [heard] * (end - begin + 1)
    return agreed, instead, between


def _likeliest(found: Mapping[_TextPlace, _Way]) -> dict[_TextPlace, _Way]:
    """Return the likeliest few of all, and of each number of changes."""
    ordered = sorted(found.items(), key=lambda item: -item[1].score)
    kept = dict(ordered[:MAX_WAYS])
    for changes in range(3):
        kept |= dict([item for item in ordered if item[0].changes == changes][:MAX_WAYS_OF_EACH])
    return kept


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """A heard word, lower case; its seconds; its probability, 0..1."""

    text: str
    start: float
    end: float
    confidence: float = 1.0


class Recognition(NamedTuple):
    """The words heard; if they are all of an expected text, also what else might be, lower case."""

    words: list[RecognisedWord]
    rival: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(word.text for word in self.words)


def recognise(
    samples: np.ndarray,
    sample_rate: int,
    expected: Sequence[str],
    pronunciations: Pronunciations,
) -> Recognition:
    """Return the words heard in ``samples`` (mono, float, (n,), 8 kHz or more), lower case.

    ``expected``: the text that the recording says but for a few words (of an edit, the new text),
    or nothing; words of it that the model lacks are heard if they have ``pronunciations``. Raises
    AlignmentError when the recording can't be used or no word is heard.
    """
    sound = mean_scores(model_waveform(samples, sample_rate))
    heard = Recognition(words_of(heard_freely(sound), general_model()[0].words))
    if expected:
        free = [(word.text, word.confidence) for word in heard.words]
        heard = settled(sound, free, [word.lower() for word in expected], pronunciations)
    if not heard.words:
        raise AlignmentError(NO_WORDS)
    return heard


def heard_freely(sound: np.ndarray) -> list[Found]:
    """Return the likeliest words, by number in the general model, of `mean_scores` (T, 40)."""
    general, _, tree, ahead = general_model()
    return search(sound, tree, ahead, general, choose=Rescoring(load_word_network(), general))


def settled(
    sound: np.ndarray,
    free: Sequence[tuple[str, float]],
    expected: Sequence[str],
    pronunciations: Pronunciations,
) -> Recognition:
    """Hear `mean_scores` by the ``expected`` text, at least one word, and what was heard freely.

    Other arguments are as for `recognise`.
    """
    words, text, ways, tree, model = _vocabulary(expected, pronunciations)
    numbers = general_model()[1]
    sure = [(numbers.get(word, numbers[UNKNOWN_TOKEN]), confidence) for word, confidence in free]
    choose = Settling(text, sure, model.general, ways)
    ahead = tree.best_below(model.unigram())
    chosen = search(sound, tree, ahead, model, choose=choose, near=SETTLING_NATS)
    return Recognition(words_of(chosen, words), tuple(words[word] for word in choose.rival))


def words_of(found: Sequence[Found], words: Sequence[str]) -> list[RecognisedWord]:
    """Return words found by number with their texts."""
    return [RecognisedWord(words[each.word], *each[1:]) for each in found]


def mean_scores(waveform: np.ndarray) -> np.ndarray:
    """Return the network's `sequence_scores` (T, 40), the mean over TRACTS, of 16 kHz mono (n,).

    Raises AlignmentError when there is no speech in it.
    """
    power = np.log(band_power(waveform) + 1e-12)
    each = [normalised(np.exp(with_tract(power, tract))) for tract in TRACTS]
    require_speech(posteriors(each[0]))
    return np.asarray(np.mean([sequence_scores(frames) for frames in each], axis=0))


def _vocabulary(
    expected: Sequence[str], pronunciations: Pronunciations
) -> tuple[Sequence[str], list[int], Ways, LexiconTree, ExpectedText]:
    """Return all words, the expected ones' numbers, all pronunciations, their tree and model."""
    general, numbers, plain, _ = general_model()
    words, numbers, ways = list(general.words), dict(numbers), dict(_general_ways())
    for word in expected:
        if word not in numbers and pronunciations.get(word):
            numbers[word] = len(words)
            spoken = {tuple(map(strip_stress, way)) for way in pronunciations[word]}
            ways[len(words)] = spoken - {()}
            words.append(word)
    text = [numbers.get(word, numbers[UNKNOWN_TOKEN]) for word in expected]
    tree = plain
    if len(words) > general.count:
        tree = LexiconTree.of((word, way) for word, each in ways.items() for way in sorted(each))
    return words, text, ways, tree, ExpectedText(general, text, len(words))


@cache
def _general_ways() -> Ways:
    """Return the pronunciations of the general model's words."""
    general = general_model()[0]
    result: dict[int, set[tuple[str, ...]]] = defaultdict(set)
    for word, way in zip(general.pronounced.tolist(), general.pronunciations, strict=True):
        result[word].add(way)
    return result


@cache
def general_model() -> tuple[NGrams, dict[str, int], LexiconTree, np.ndarray]:
    """Return the general model, its words' numbers, their tree, and its look-ahead (0.2 s)."""
    general = load_ngrams()
    tree = LexiconTree.of(zip(general.pronounced.tolist(), general.pronunciations, strict=True))
    numbers = {word: number for number, word in enumerate(general.words)}
    return general, numbers, tree, tree.best_below(general.unigram)
