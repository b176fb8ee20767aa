"""Differences of a recognised text and a new one, and the evidence that they are changes.

No witness is enough alone. Whisper goes by what people usually say, so it mishears rare words; the
phone network and the aligner go by the sound; a second hearing knows the new text's rare words, and
may skip half a sentence. Each place gets the logarithm of its odds from all of them together, the
more places there are the lower.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from a3t.source.records import FoundTranscript
from a3t.spans import Span
from a3t.text.comparison.edit_script import minimal_script
from a3t.text.phones import strip_stress
from a3t.text.pronunciation.lexicon import lookup
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Alignment, AlignmentError
from alignment.aligners.network_aligner import NetworkAligner
from alignment.confidence.rival_scores import advantages_between, fit_of, summed_advantages
from alignment.recognition.ngrams import UNKNOWN, load_ngrams, words_one_phone_apart
from alignment.recognition.whisper import EncodedSound, Whisper

MOST_PAIRS = 2500  # of words that are paired one by one


class Difference(NamedTuple):
    """Heard words, and the words of the new text in their place; either may be none."""

    heard: Span
    new: Span


def differences(heard: Transcript, new: Transcript, pronouncer: Pronouncer) -> list[Difference]:
    """The places where the two differ, each as small as can be: word by word where several stand
    for several. `new`: as `respelled` gives it."""
    found: list[Difference] = []
    for edit in minimal_script(heard.spoken, new.spoken):
        old, own = heard.spoken[slice(*edit.old)], new.spoken[slice(*edit.new)]
        if len(old) * len(own) > MOST_PAIRS:
            found.append(Difference(edit.old, edit.new))
            continue
        choices = pronouncer.choices((*old, *own))
        ways = (
            [tuple(map(strip_stress, choices[word][0])) for word in text] for text in (old, own)
        )
        for (a, b), (c, d) in _matched(*ways):
            i, j = edit.old[0], edit.new[0]
            here = Difference((i + a, i + b), (j + c, j + d))
            if found and _is_one(found[-1], here):
                before = found.pop()
                here = Difference((before.heard[0], i + b), (before.new[0], j + d))
            found.append(here)
    return found


def written_together(
    heard: Transcript, new: Transcript, places: Sequence[Difference]
) -> dict[int, int]:
    """The heard words, by number, that are two words of which the new text has one, as "someone"
    for "some ten"; and the letters of the first."""
    found = {}
    for place in places:
        for k in range(*place.heard):
            for own in new.spoken[slice(*place.new)]:
                if cut := _cut(heard.spoken[k], own):
                    found[k] = cut
    return found


def _cut(word: str, part: str) -> int:
    """The letters of the first of two words that are said as one word, one of them `part`."""
    for cut in {len(part), len(word) - len(part)}:
        first, last = word[:cut], word[cut:]
        if part in (first, last) and first and last:
            ways = {tuple(map(strip_stress, (*a, *b))) for a in lookup(first) for b in lookup(last)}
            if any(tuple(map(strip_stress, way)) in ways for way in lookup(word)):
                return cut
    return 0


def parted(text: Transcript, cuts: Mapping[int, int]) -> Transcript:
    """The text with some words, by number, as two, the first of so many letters."""
    words: list[TranscriptWord] = []
    for k, word in enumerate(text.words):
        cut = cuts.get(k, 0)
        if not cut or word.written[: len(word.text)].lower() != word.text:
            words.append(word.in_token(2 * word.token))
            continue
        first, last = word.written[:cut], word.written[cut:]
        words += [
            replace(
                word, text=word.text[:cut], written=first, token=2 * word.token, pause_after=False
            ),
            replace(word, text=word.text[cut:], written=last, token=2 * word.token + 1),
        ]
    return Transcript.of_tokens(words)


def _is_one(before: Difference, after: Difference) -> bool:
    """True if words are added in both, or left out in both, with none between them."""
    if (before.heard[1], before.new[1]) != (after.heard[0], after.new[0]):
        return False
    ranges = (*zip(before, after, strict=True),)
    return any(a[0] == a[1] and b[0] == b[1] for a, b in ranges)


def _matched(
    old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]
) -> list[tuple[Span, Span]]:
    """The cheapest way to pair words by their phones: one with one or with none, and one with two
    or two with one where these share two phones that they wouldn't otherwise: one is chance."""
    steps = ((1, 1), (1, 0), (0, 1), (1, 2), (2, 1))
    best: dict[Span, tuple[float, Span]] = {(0, 0): (0.0, (0, 0))}
    for i, j in product(range(len(old) + 1), range(len(new) + 1)):
        for a, b in steps:
            if (before := (i - a, j - b)) in best:
                left, right = sum(old[i - a : i], ()), sum(new[j - b : j], ())
                cost = best[before][0] + phone_distance(left, right) + (a + b > 2)
                if (i, j) not in best or cost < best[i, j][0] - 1e-9:
                    best[i, j] = cost, before
    pairs: list[tuple[Span, Span]] = []
    here = (len(old), len(new))
    while here != (0, 0):
        before = best[here][1]
        pairs.append(((before[0], here[0]), (before[1], here[1])))
        here = before
    return pairs[::-1]


def phone_distance(left: Sequence[str], right: Sequence[str]) -> float:
    """Phones that differ."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            last, row[j] = row[j], min(last + (a != b), row[j] + 1, row[j - 1] + 1)
    return float(row[-1])


def with_words(
    text: FoundTranscript, other: FoundTranscript, places: Sequence[Difference]
) -> FoundTranscript:
    """The text with another's words at some places, each word with its confidence."""
    own, new = text.transcript, other.transcript
    split = {own.words[k].token for place in places for k in range(*whole_tokens(own, place.heard))}
    count = len(own.words) + len(new.words)  # more than there are tokens in either
    words: list[TranscriptWord] = []
    sure: list[float] = []
    done = 0
    for place in [*places, Difference((len(own.words),) * 2, (0, 0))]:
        for k in range(done, place.heard[0]):
            word = own.words[k]
            if word.token in split:  # what else is written in it stands alone
                word = replace(word, written=word.text, token=2 * count + k)
            words.append(word)
        words += [word.in_token(word.token + count) for word in new.words[slice(*place.new)]]
        sure += text.known_confidences[done : place.heard[0]]
        sure += other.known_confidences[slice(*place.new)]
        done = place.heard[1]
    return FoundTranscript(Transcript.of_tokens(words), confidences=tuple(sure))


def whole_tokens(text: Transcript, words: Span) -> Span:
    """The words of all tokens that these words, or the place between two, are part of."""
    begin, end = words
    tokens = [word.token for word in text.words]
    inside = 0 < begin == end < len(tokens) and tokens[begin - 1] == tokens[begin]
    if begin < end or inside:
        while begin and tokens[begin - 1] == tokens[begin]:
            begin -= 1
        while end < len(tokens) and tokens[end] == tokens[end - 1]:
            end += 1
    return begin, end


MOST_WAYS = 8  # of saying the words of a place that are compared
MOST_NATS, MOST_FIT = 40.0, 20.0  # of Whisper; of the phone network and of trigrams
NEARLY = 5.0  # nats of the phone network: two words that differ by less may both be said
NOT_SKIPPED = 3.0  # nats: a word that fits better than nothing by no more wasn't skipped
# Log probabilities of words that are rare, that are mostly names, and that no text has.
RARE, NAME, RAREST = -10.0, -13.0, -16.0


class Evidence(NamedTuple):
    """The witnesses of one place; nats, where nothing else is said, by which the heard words are
    likelier than the new ones.

    whisper, fit, language: by Whisper, if the text is right elsewhere; by the phone network; by
    trigrams. advantage: the root of the advantage that anything has over the new words, in the
    aligner's eyes. cleared: 1 if a second hearing has the new words there. edge: of places that
    touch, NEARLY and the nats by which the new word at either end of them fits the sound of the
    heard one better; 0 if it doesn't nearly fit. Where nothing is heard for several new words, the
    nats by which one at an end fits better than nothing; NEARLY where a rare word is heard that the
    new one may be part of. So a word may be said already. It has no weight. name: 1 if a name among
    the new words shares most phones with the heard ones, as "brigham" that is heard as "bring him".
    Of what has an edge or such a name somebody is asked.
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
    """A part of a recording with what was heard in it: `samples` (n,) mono float at `sample_rate`,
    the `heard` words, the scores `sequences` (T, 40) as for `fit_of`, and Whisper with the sound
    as it encodes it, if it heard them."""

    samples: np.ndarray
    sample_rate: int
    heard: Transcript
    sequences: np.ndarray
    pronouncer: Pronouncer
    whisper: Whisper | None = None
    encoded: EncodedSound | None = None

    def evidence(
        self, new: Transcript, places: Sequence[Difference], second: Transcript | None
    ) -> list[Evidence]:
        """The evidence for the `places`, all those where the heard words and the `new` text's for
        this part differ. `second`: another hearing of it."""
        aligned_new = self._aligned(new.spoken)
        advantages = self._advantages(aligned_new)
        others = differences(second, new, self.pronouncer) if second else []
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
        place: Difference,
        new: Transcript,
        aligned: Alignment | None,
        advantages: np.ndarray,
        whisper: float,
    ) -> Evidence:
        """The evidence of the networks and of trigrams, with Whisper's nats."""
        old, own = self.heard.spoken[slice(*place.heard)], new.spoken[slice(*place.new)]
        fits = self._fits(place.heard, [old, own])
        before = self.heard.spoken[max(place.heard[0] - 2, 0) : place.heard[0]]
        after = self.heard.spoken[place.heard[1] : place.heard[1] + 2]
        language = _language(before, old, after) - _language(before, own, after)
        return Evidence(
            whisper=whisper,
            fit=_limited(fits[0] - fits[1], MOST_FIT),
            language=_limited(language, MOST_FIT),
            advantage=self._root(aligned, advantages, place.new),
        )

    def likeliest_rival(self, words: Iterable[int], weights: Weights) -> Rival | None:
        """The likeliest common word, one phone apart, that may be said for one of some heard
        `words`, by number, which the new text has too; None if none of them has a rival."""
        found: list[Rival] = []
        if self._heard_aligned is None:
            return None
        for k in words:
            own = self.heard.spoken[k : k + 1]
            rivals = [(word,) for word in words_one_phone_apart(self._ways(own))]
            fit, *others = self._fits((k, k + 1), [own, *rivals])
            before, after = self.heard.spoken[max(k - 2, 0) : k], self.heard.spoken[k + 1 : k + 3]
            usual = _language(before, own, after) if rivals else 0.0
            for rival, other in zip(rivals, others, strict=True):
                evidence = Evidence(
                    fit=_limited(other - fit, MOST_FIT),
                    language=_limited(_language(before, rival, after) - usual, MOST_FIT),
                    advantage=self.heard_root((k, k + 1)),
                )
                found.append(Rival(weights.log_odds([evidence])[0], k, *rival, evidence))
        return max(found, default=None)

    def heard_root(self, words: Span) -> float:
        """The root of the largest advantage of anything over some heard words or, of none, over
        the gap there."""
        return self._root(self._heard_aligned, self._heard_advantages, words)

    @cached_property
    def _heard_aligned(self) -> Alignment | None:
        return self._aligned(self.heard.spoken)

    @cached_property
    def _heard_advantages(self) -> np.ndarray:
        return self._advantages(self._heard_aligned)

    def _aligned(self, words: Sequence[str]) -> Alignment | None:
        """The aligned words of the part; None if they can't all be said in it."""
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
        """The root of the largest advantage over some words or, of none, over the gap there."""
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

    def _edges(self, new: Transcript, places: Sequence[Difference]) -> list[float]:
        """Evidence.edge of each place. Words are paired by their phones, and of several that are
        changed at once, the pairs may be others."""
        found = [max(self._skipped(place, new), self._part(place, new)) for place in places]
        for run in runs(places, range(len(places))):
            first, last = places[run[0]], places[run[-1]]
            heard, own = (first.heard[0], last.heard[1]), (first.new[0], last.new[1])
            if len(run) == 1 or heard[0] == heard[1] or own[0] == own[1]:
                continue
            edge = 0.0
            for h, n in ((heard[0], own[0]), (heard[1] - 1, own[1] - 1)):
                pair = Difference((h, h + 1), (n, n + 1))
                if pair not in (first, last):
                    said, other = self._fits(
                        pair.heard, [self.heard.spoken[h : h + 1], new.spoken[n : n + 1]]
                    )
                    edge = max(edge, _limited(other - said + NEARLY, MOST_FIT))
            for k in run:
                found[k] = max(found[k], edge)
        return found

    def _skipped(self, place: Difference, new: Transcript) -> float:
        """Evidence.edge where nothing is heard for several new words: one at an end may be said."""
        if place.heard[0] < place.heard[1] or place.new[1] - place.new[0] < 2:
            return 0.0
        ends = [new.spoken[n : n + 1] for n in (place.new[0], place.new[1] - 1)]
        nothing, *words = self._fits(place.heard, [(), *ends])
        return _limited(max(0.0, max(words) - nothing - NOT_SKIPPED), MOST_FIT)

    def _part(self, place: Difference, new: Transcript) -> float:
        """Evidence.edge where a rare word is heard that begins or ends nearly as a shorter new one:
        it may be two words, as "shikriana" is "sheikh rehana"."""
        heard, own = self.heard.spoken[slice(*place.heard)], new.spoken[slice(*place.new)]
        if len(heard) != 1 or len(own) != 1 or not rare_words(heard):
            return 0.0
        whole, part = (self._ways(words)[0] for words in (heard, own))
        sides = whole[: len(part)], whole[-len(part) :]
        is_part = len(whole) >= len(part) + 3 and min(phone_distance(s, part) for s in sides) <= 1
        return NEARLY if is_part else 0.0

    def _name(self, place: Difference, new: Transcript) -> float:
        """Evidence.name of a place."""
        heard, own = self.heard.spoken[slice(*place.heard)], new.spoken[slice(*place.new)]
        if not heard or min((_shares().get(word, RAREST) for word in own), default=0.0) >= NAME:
            return 0.0
        sounds = [self._ways(words)[0] for words in (heard, own)]
        return float(phone_distance(*sounds) < max(map(len, sounds)) / 2)

    def _ways(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """Ways to say the words one behind the other."""
        choices = self.pronouncer.choices(words)
        each = [sorted({tuple(map(strip_stress, way)) for way in choices[word]}) for word in words]
        return [sum(ways, ()) for ways, _ in zip(product(*each), range(MOST_WAYS), strict=False)]

    def _whisper_nats(self, new: Transcript, places: Sequence[Difference]) -> list[float]:
        """Nats by which the heard words are likelier than the new ones at each place, by Whisper,
        if the text has the new ones at all others: what was misheard misleads it beside, too."""
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
        """The logarithm of the probability of the heard text with other tokens at some places."""
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


def _without_skipped(place: Difference, evidence: Evidence) -> Evidence:
    """The evidence without that of the heard words, if these lack several that the aligner finds:
    a recogniser can skip a sentence, and then none of its sound is where the place is."""
    nothing, several = place.heard[0] == place.heard[1], place.new[1] - place.new[0] > 1
    if nothing and several and evidence.advantage < 0.0:
        return evidence._replace(whisper=0.0, fit=0.0, language=0.0)
    return evidence


def rare_words(words: Sequence[str]) -> list[str]:
    """The words that are rarer than RARE, once each."""
    return [word for word in dict.fromkeys(words) if _shares().get(word, RAREST) < RARE]


def _is_cleared(new: Span, others: Sequence[Difference]) -> bool:
    """True if another hearing has the new text's words, or nothing besides, at a place."""
    if new[0] == new[1]:
        return not any(other.new[0] <= new[0] <= other.new[1] for other in others)
    return not any(other.new[0] < new[1] and other.new[1] > new[0] for other in others)


def meets(place: Span, others: Iterable[Span]) -> bool:
    """True if a range is one of the others, or shares a word with one."""
    return any(place == each or (place[0] < each[1] and each[0] < place[1]) for each in others)


def _roots(advantages: np.ndarray) -> np.ndarray:
    return np.clip(np.sign(advantages) * np.sqrt(np.abs(advantages)), -3.0, 8.0)


def _limited(nats: float, most: float) -> float:
    return float(min(max(nats, -most), most))


@cache
def _shares() -> dict[str, float]:
    """The logarithm of each word's share of English, nats."""
    model = load_ngrams()
    return dict(zip(model.words, model.unigram.tolist(), strict=True))


@cache
def _numbers() -> Mapping[str, int]:
    return {word: number for number, word in enumerate(load_ngrams().words)}


def _language(before: Sequence[str], words: Sequence[str], after: Sequence[str]) -> float:
    """log P of the words and those after them behind those before, nats, by trigrams."""
    numbers = _numbers()
    unknown = numbers[UNKNOWN]
    text = [numbers.get(word, unknown) for word in (*before, *words, *after)]
    padded = np.array([-1, 0, *text])
    scores = load_ngrams().scores(padded[:-2], padded[1:-1], padded[2:])
    return float(scores[len(before) :].sum())


def _composed(heard: Transcript, replaced: Iterable[_Replaced]) -> str:
    """The text with other tokens at some places, in order."""
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


class Decision(NamedTuple):
    """The changed places by number; `is_sure`: they can be made without asking; `is_heard`: there
    is a change at all."""

    changed: tuple[int, ...]
    is_sure: bool
    is_heard: bool = True


@dataclass(frozen=True)
class Weights:
    """The log odds of a change: an offset and a weight for each field of Evidence, less the
    logarithm of the number of places, since about one of them is meant.

    Thresholds, log odds, from which a place apart from the likeliest is another change (`another`:
    most new texts have one), the likeliest is plain (`sure`), any other may be one (`open`), and
    below which, were it the only place, the likeliest is none (`heard`): a change is told from what
    was misheard by its own sound, however long the recording.
    """

    offset: float
    evidence: Evidence
    another: float = 2.5
    sure: float = 0.5
    open: float = -1.0
    heard: float = -1.0

    def log_odds(self, evidence: Sequence[Evidence | None]) -> list[float]:
        """The log odds of each place; 0 where there is no evidence."""
        return [
            0.0
            if each is None
            else self.offset + float(np.dot(self.evidence, each)) - math.log(len(evidence))
            for each in evidence
        ]

    def decide(self, places: Sequence[Difference], evidence: Sequence[Evidence | None]) -> Decision:
        """Choose the changes among at least one place.

        Somebody who gives a new text wants a change: so if no place is likely one, the likeliest
        is.
        """
        odds = self.log_odds(evidence)
        best = max(range(len(odds)), key=odds.__getitem__)
        (touching,) = (run for run in runs(places, range(len(odds))) if best in run)
        likely = [k for k in touching if k == best or odds[k] >= 0.0]
        chosen = set(range(likely[0], likely[-1] + 1))  # and what stands between two changed words
        chosen |= {k for k, each in enumerate(odds) if each >= self.another}
        left = [each for k, each in enumerate(odds) if k not in chosen]
        changed = tuple(sorted(chosen))
        known = [each for k in changed if (each := evidence[k]) is not None]
        plain = (
            odds[best] >= self.sure
            and max(left, default=-math.inf) < self.open
            and not any(each.edge > 0.0 or each.name > 0.0 for each in known)
        )
        return Decision(
            changed,
            plain and len(runs(places, changed)) == 1,
            odds[best] + math.log(len(odds)) >= self.heard,
        )


def runs(places: Sequence[Difference], numbers: Sequence[int]) -> list[list[int]]:
    """The numbers of places in runs of those that touch, which are one edit."""
    found: list[list[int]] = []
    for k in numbers:
        if found and places[found[-1][-1]].new[1] == places[k].new[0]:
            before = places[found[-1][-1]]
            if before.heard[1] == places[k].heard[0]:
                found[-1].append(k)
                continue
        found.append([k])
    return found


# Fitted to words planted in clips and minutes of the voices for choosing (docs/log.md).
WHISPER = Weights(
    -0.99, Evidence(whisper=0.22, fit=0.12, language=0.1, advantage=0.44, cleared=-1.4, name=-2.0)
)
BUILT_IN = Weights(
    -1.49, Evidence(fit=0.14, language=0.28, advantage=0.8, cleared=-0.82, name=-2.0), heard=-3.0
)
