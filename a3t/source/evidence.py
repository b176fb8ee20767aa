"""The evidence that a place where a recognised text and a new one differ is a change.

No witness is enough alone. Whisper goes by what people usually say, so it mishears rare words; the
phone network and the aligner go by the sound; a second hearing knows the new text's rare words, and
may skip half a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from a3t.source.places import (
    joined,
    meets,
    phone_distance,
    places_between,
    runs,
    touch,
    whole_tokens,
)
from a3t.source.records import Place
from a3t.source.usual_words import (
    NAME_NATS,
    RAREST_WORD_NATS,
    language,
    made_up,
    rare_words,
    shares,
)
from a3t.spans import Span
from a3t.text.phones import strip_stress
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Alignment, AlignmentError
from alignment.aligners.network_aligner import NetworkAligner
from alignment.confidence.rival_scores import advantages_between, fit_of, summed_advantages
from alignment.recognition.ngrams import words_one_phone_apart
from alignment.recognition.whisper import EncodedSound, Whisper

MAX_WAYS_COMPARED = 8  # of saying the words of a place that are compared
MOST_NATS, MOST_FIT = 40.0, 20.0  # of Whisper; of the phone network and of trigrams
NEARLY_NATS = 5.0  # nats of the phone network: two words that differ by less may both be said
NOT_SKIPPED = 3.0  # nats: a word that fits better than nothing by no more wasn't skipped


class Evidence(NamedTuple):
    """The witnesses of one place, in nats where nothing else is said.

    The nats are those by which the heard words are likelier than the new ones. whisper, fit,
    language: by Whisper, if the text is right elsewhere; by the phone network; by trigrams.
    advantage: the root of the advantage that anything has over the new words, in the aligner's
    eyes. cleared: 1 if a second hearing has the new words there. edge: of places that touch,
    NEARLY_NATS and the nats by which the new word at either end of them fits the sound of the heard
    one better; 0 if it doesn't nearly fit. Where nothing is heard for several new words, the nats
    by which one at an end fits better than nothing; NEARLY_NATS where a rare word is heard that the
    new one may be part of. So a word may be said already. It has no weight. name: 1 if a name among
    the new words shares most phones with the heard ones, as "brigham" that is heard as "bring him".
    Places with an edge or such a name are always asked about.
    """

    whisper: float = 0.0
    fit: float = 0.0
    language: float = 0.0
    advantage: float = 0.0
    cleared: float = 0.0
    edge: float = 0.0
    name: float = 0.0


class Rival(NamedTuple):
    """A word that may be said for heard word `number`, with its log odds and evidence."""

    log_odds: float
    number: int
    word: str
    evidence: Evidence


class _Replaced(NamedTuple):
    """Whole tokens of a text, a range of its words, and what is written in their place."""

    words: Span
    text: str


@dataclass(frozen=True)
class HeardSound:
    """A part of a recording with what was heard in it.

    samples (n,): mono float at ``sample_rate``. heard: the words. sequences: the scores (T, 40) as
    for `fit_of`. whisper, encoded: Whisper with the sound as it encodes it, if it heard them.
    """

    samples: np.ndarray
    sample_rate: int
    heard: Transcript
    sequences: np.ndarray
    pronouncer: Pronouncer
    whisper: Whisper | None = None
    encoded: EncodedSound | None = None

    def joined_places(self, new: Transcript, places: Sequence[Place]) -> tuple[Place, ...]:
        """Join a word that is added or left out with what it touches, unless one of them is said.

        Where "to reward" is heard as "toward", neither of "to" and "reward" is said alone.
        """
        found: list[Place] = []
        for place in places:
            if found and self._is_one(found[-1], place, new):
                place = joined(found.pop(), place)
            found.append(place)
        return tuple(found)

    def _is_one(self, before: Place, after: Place, new: Transcript) -> bool:
        """Return whether both places are as they are heard or as in the text, not one of each."""
        one_word = any(sorted(b - a for a, b in place) == [0, 1] for place in (before, after))
        if not touch(before, after) or not one_word:
            return False
        heard = [self.heard.spoken[slice(*place.heard)] for place in (before, after)]
        own = [new.spoken[slice(*place.new)] for place in (before, after)]
        said = [a + b for a, b in (heard, own, (heard[0], own[1]), (own[0], heard[1]))]
        fits = self._fits(joined(before, after).heard, said)
        return max(fits[:2]) > max(fits[2:])

    def evidence(
        self, new: Transcript, places: Sequence[Place], second: Transcript | None
    ) -> list[Evidence]:
        """Weigh the ``places``: all where the heard words and the ``new`` text's part differ.

        ``second``: another hearing of it.
        """
        aligned_new = self._aligned(new.spoken)
        advantages = self._advantages(aligned_new)
        others = places_between(second, new, self.pronouncer) if second else []
        nats = self._whisper_nats(new, places)
        edges = self._edges(new, places)
        return [
            _without_skipped(place, evidence)._replace(
                cleared=float(second is not None and _is_cleared(place.new, others)),
                edge=edge,
                name=self._name(place, new),
            )
            for place, each, edge in zip(places, nats, edges, strict=True)
            for evidence in [self._evidence(place, new, aligned_new, advantages, each)]
        ]

    def _evidence(
        self,
        place: Place,
        new: Transcript,
        aligned: Alignment | None,
        advantages: np.ndarray,
        whisper: float,
    ) -> Evidence:
        """Return the evidence of the networks and of trigrams, with Whisper's nats."""
        old, own = self.heard.spoken[slice(*place.heard)], new.spoken[slice(*place.new)]
        fits = self._fits(place.heard, [old, own])
        before = self.heard.spoken[max(place.heard[0] - 2, 0) : place.heard[0]]
        after = self.heard.spoken[place.heard[1] : place.heard[1] + 2]
        usual = language(before, old, after) - made_up(old) - language(before, own, after)
        return Evidence(
            whisper=whisper,
            fit=_limited(fits[0] - fits[1], MOST_FIT),
            language=_limited(usual, MOST_FIT),
            advantage=self._root(aligned, advantages, place.new),
        )

    def likeliest_rival(
        self, words: Iterable[int], log_odds: Callable[[Evidence], float]
    ) -> Rival | None:
        """Return the likeliest common word, one phone apart, that may be said for one of some.

        ``words``: heard words, by number, which the new text has too. None if none of them has a
        rival.
        """
        found: list[Rival] = []
        if self._heard_aligned is None:
            return None
        for k in words:
            own = self.heard.spoken[k : k + 1]
            rivals = [(word,) for word in words_one_phone_apart(self._ways(own))]
            fit, *others = self._fits((k, k + 1), [own, *rivals])
            before, after = self.heard.spoken[max(k - 2, 0) : k], self.heard.spoken[k + 1 : k + 3]
            usual = language(before, own, after) if rivals else 0.0
            for rival, other in zip(rivals, others, strict=True):
                evidence = Evidence(
                    fit=_limited(other - fit, MOST_FIT),
                    language=_limited(language(before, rival, after) - usual, MOST_FIT),
                    advantage=self.heard_root((k, k + 1)),
                )
                found.append(Rival(log_odds(evidence), k, *rival, evidence))
        return max(found, default=None)

    def heard_root(self, words: Span) -> float:
        """Return the root of the largest advantage over some heard words or a gap."""
        return self._root(self._heard_aligned, self._heard_advantages, words)

    @cached_property
    def _heard_aligned(self) -> Alignment | None:
        return self._aligned(self.heard.spoken)

    @cached_property
    def _heard_advantages(self) -> np.ndarray:
        return self._advantages(self._heard_aligned)

    def _aligned(self, words: Sequence[str]) -> Alignment | None:
        """Align words in the part; None if they can't all be said in it."""
        if not words:
            return None
        try:
            return NetworkAligner().align(
                self.samples, self.sample_rate, words, self.pronouncer.choices(words), check=False
            )
        except AlignmentError:
            return None

    def _advantages(self, aligned: Alignment | None) -> np.ndarray:
        return np.zeros(0) if aligned is None else summed_advantages(aligned, self.sequences)

    def _root(self, aligned: Alignment | None, advantages: np.ndarray, words: Span) -> float:
        """Return the root of the largest advantage over some words or, of none, over the gap."""
        if aligned is None:
            return 0.0
        if words[0] < words[1]:
            own = advantages[slice(*words)]
        else:
            own = advantages_between(aligned, [words[0] - 1], self.sequences)
        return float(_roots(own).max())

    def _fits(self, heard: Span, texts: Sequence[Sequence[str]]) -> list[float]:
        if self._heard_aligned is None:
            return [0.0] * len(texts)
        ways = [self._ways(text) for text in texts]
        return fit_of(self._heard_aligned, heard, ways, self.sequences)

    def _edges(self, new: Transcript, places: Sequence[Place]) -> list[float]:
        """Return Evidence.edge of each place.

        Words are paired by their phones, and of several that are changed at once, the pairs may be
        others.
        """
        found = [max(self._skipped(place, new), self._part(place, new)) for place in places]
        for run in runs(places, range(len(places))):
            first, last = places[run[0]], places[run[-1]]
            heard, own = (first.heard[0], last.heard[1]), (first.new[0], last.new[1])
            if len(run) == 1 or heard[0] == heard[1] or own[0] == own[1]:
                continue
            edge = 0.0
            for h, n in ((heard[0], own[0]), (heard[1] - 1, own[1] - 1)):
                pair = Place((h, h + 1), (n, n + 1))
                if pair not in (first, last):
                    said, other = self._fits(
                        pair.heard, [self.heard.spoken[h : h + 1], new.spoken[n : n + 1]]
                    )
                    edge = max(edge, _limited(other - said + NEARLY_NATS, MOST_FIT))
            for k in run:
                found[k] = max(found[k], edge)
        return found

    def _skipped(self, place: Place, new: Transcript) -> float:
        """Evidence.edge where nothing is heard for several new words: one at an end may be said."""
        if place.heard[0] < place.heard[1] or place.new[1] - place.new[0] < 2:
            return 0.0
        ends = [new.spoken[n : n + 1] for n in (place.new[0], place.new[1] - 1)]
        nothing, *words = self._fits(place.heard, [(), *ends])
        return _limited(max(0.0, max(words) - nothing - NOT_SKIPPED), MOST_FIT)

    def _part(self, place: Place, new: Transcript) -> float:
        """Return Evidence.edge where a rare word begins or ends nearly as a shorter new one.

        It may be two words, as "shikriana" is "sheikh rehana".
        """
        heard, own = self.heard.spoken[slice(*place.heard)], new.spoken[slice(*place.new)]
        if len(heard) != 1 or len(own) != 1 or not rare_words(heard):
            return 0.0
        whole, part = (self._ways(words)[0] for words in (heard, own))
        sides = whole[: len(part)], whole[-len(part) :]
        is_part = len(whole) >= len(part) + 3 and min(phone_distance(s, part) for s in sides) <= 1
        return NEARLY_NATS if is_part else 0.0

    def _name(self, place: Place, new: Transcript) -> float:
        """Evidence.name of a place."""
        heard, own = self.heard.spoken[slice(*place.heard)], new.spoken[slice(*place.new)]
        if (
            not heard
            or min((shares().get(word, RAREST_WORD_NATS) for word in own), default=0.0) >= NAME_NATS
        ):
            return 0.0
        sounds = [self._ways(words)[0] for words in (heard, own)]
        return float(phone_distance(*sounds) < max(map(len, sounds)) / 2)

    def _ways(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """Ways to say the words one behind the other."""
        choices = self.pronouncer.choices(words)
        each = [sorted({tuple(map(strip_stress, way)) for way in choices[word]}) for word in words]
        return [
            sum(ways, ()) for ways, _ in zip(product(*each), range(MAX_WAYS_COMPARED), strict=False)
        ]

    def _whisper_nats(self, new: Transcript, places: Sequence[Place]) -> list[float]:
        """Return Whisper's nats by which the heard words are likelier than the new ones.

        The text has the new ones at all other places: what was misheard misleads it beside, too.
        """
        if self.whisper is None:
            return [0.0] * len(places)
        written = []
        for place in places:
            ways = _ways_to_write(self.heard, place.heard, new.words[slice(*place.new)])
            written.append(max(ways, key=lambda way: self._likelihood([way])))
        nats = []
        for own in written:
            others: list[_Replaced] = []
            for way in written:  # of two places in one token, only one can be written anew
                apart = not any(meets(way.words, [each.words]) for each in (own, *others[-1:]))
                others += [way] if apart else []
            both = self._likelihood(sorted([*others, own]))
            nats.append(_limited(self._likelihood(others) - both, MOST_NATS))
        return nats

    def _likelihood(self, replaced: Sequence[_Replaced]) -> float:
        """Return the log probability of the heard text with other tokens at some places."""
        assert self.whisper is not None and self.encoded is not None
        text = _composed(self.heard, replaced)
        if text not in self._likelihoods:
            pieces = self.whisper.pieces(self.encoded, text)
            logs = (np.log(max(probability, 1e-9)) for _, probability in pieces)
            self._likelihoods[text] = float(sum(logs))
        return self._likelihoods[text]

    @cached_property
    def _likelihoods(self) -> dict[str, float]:
        """The likelihoods that are known, by the text."""
        return {}


def _without_skipped(place: Place, evidence: Evidence) -> Evidence:
    """Drop the heard words' evidence if these lack several that the aligner finds.

    A recogniser can skip a sentence, and then none of its sound is where the place is.
    """
    nothing, several = place.heard[0] == place.heard[1], place.new[1] - place.new[0] > 1
    if nothing and several and evidence.advantage < 0.0:
        return evidence._replace(whisper=0.0, fit=0.0, language=0.0)
    return evidence


def _is_cleared(new: Span, others: Sequence[Place]) -> bool:
    """Return whether another hearing has the new text's words, or nothing besides, at a place."""
    if new[0] == new[1]:
        return not any(other.new[0] <= new[0] <= other.new[1] for other in others)
    return not any(other.new[0] < new[1] and other.new[1] > new[0] for other in others)


def _roots(advantages: np.ndarray) -> np.ndarray:
    return np.clip(np.sign(advantages) * np.sqrt(np.abs(advantages)), -3.0, 8.0)


def _limited(nats: float, most: float) -> float:
    return float(min(max(nats, -most), most))


def _composed(heard: Transcript, replaced: Iterable[_Replaced]) -> str:
    """Return the text with other tokens at some places, in order."""
    parts: list[str] = []
    done = 0
    for (begin, end), here in [*replaced, _Replaced((len(heard.words),) * 2, "")]:
        parts += [heard.written(done, begin), here]
        done = end
    return " ".join(filter(None, parts))


def _ways_to_write(
    heard: Transcript, place: Span, words: Sequence[TranscriptWord]
) -> list[_Replaced]:
    """Other words at a place, where a capital stood with and without one."""
    (first, last), (begin, end) = place, whole_tokens(heard, place)
    before = [word.text for word in heard.words[begin:first]]
    after = [word.text for word in heard.words[last:end]]
    written = Transcript.of_tokens(words).text.split()
    inside = [*before, *written, *after]
    replaced = heard.written(begin, end)
    marks = replaced[len(replaced.rstrip(".,;:?!")) :]
    found = []
    for capital in {False, replaced[:1].isupper() or not begin}:
        here = list(inside)
        if here and capital:
            here[0] = here[0][:1].upper() + here[0][1:]
        if here:
            here[-1] = here[-1].rstrip(".,;:?!") + marks
        found.append(_Replaced((begin, end), " ".join(here)))
    return found
