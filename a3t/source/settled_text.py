"""Settles by the sound where what Whisper hears differs from the text that is nearly said.

Two witnesses are asked about each place: Whisper, how much likelier what it heard is to it than the
new words among the same others, and the aligner's network, how much better the phones fit. Whisper
goes by what people usually say as well, so that it misspells rare words: these count less. Where
the evidence for the heard words is plain, there is a change; elsewhere Whisper may have misheard,
and the recording says the new text. Somebody who gives one wants a change: so if no place is
plain, the one with the most evidence is. Chosen on clips that nothing is reported of; `python -m
evaluation near-words` measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from a3t.spans import Span
from a3t.text.comparison.edit_script import minimal_script
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Alignment
from alignment.aligners.network_aligner import NetworkAligner
from alignment.arpabet import strip_stress
from alignment.confidence.rival_scores import fit_of
from alignment.recognition.network_recogniser import mean_scores
from alignment.recognition.ngrams import load_ngrams
from alignment.recognition.whisper import EncodedSound, Whisper
from alignment.waveform import model_waveform

PLAIN = 9.0  # nats of evidence: nine in ten planted words have as much
NETWORK = 0.4  # the weight of the network's nats against Whisper's
RARENESS = 2.0  # the weight of the nats by which new words are rarer than RARE
MOST = (40.0, 20.0, 10.0)  # nats of Whisper's, the network's and of rareness that count
RARE, RAREST = -10.0, -16.0  # log probabilities; of a word that no text has
MOST_PAIRS = 2500  # of words that are paired one by one
MOST_WAYS = 8  # of saying the words of a place that are compared
APART = 1.0  # of a word left out or added, against its phones' number; 0 for two that sound alike


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


def _is_one(before: Difference, after: Difference) -> bool:
    """True if words are added in both, or left out in both, with none between them."""
    if (before.heard[1], before.new[1]) != (after.heard[0], after.new[0]):
        return False
    ranges = (*zip(before, after, strict=True),)
    return any(a[0] == a[1] and b[0] == b[1] for a, b in ranges)


def _matched(
    old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]
) -> list[tuple[Span, Span]]:
    """The cheapest way to pair words by their phones: one with one, one with two, two with one,
    or with none."""
    steps = ((1, 1), (1, 2), (2, 1), (1, 0), (0, 1))
    best: dict[Span, tuple[float, Span]] = {(0, 0): (0.0, (0, 0))}
    for i, j in product(range(len(old) + 1), range(len(new) + 1)):
        for a, b in steps:
            if (before := (i - a, j - b)) in best:
                left, right = sum(old[i - a : i], ()), sum(new[j - b : j], ())
                cost = best[before][0] + _distance(left, right)
                if (i, j) not in best or cost < best[i, j][0] - 1e-9:
                    best[i, j] = cost, before
    pairs: list[tuple[Span, Span]] = []
    here = (len(old), len(new))
    while here != (0, 0):
        before = best[here][1]
        pairs.append(((before[0], here[0]), (before[1], here[1])))
        here = before
    return pairs[::-1]


def _distance(left: Sequence[str], right: Sequence[str]) -> float:
    """Phones that differ; one more than all of them where there is no word to pair with."""
    if not left or not right:
        return len(left) + len(right) + APART
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            last, row[j] = row[j], min(last + (a != b), row[j] + 1, row[j - 1] + 1)
    return float(row[-1])


def changes(evidence: Sequence[float]) -> set[int]:
    """The places, by number, that are changes, by the `Witnesses.evidence` of each."""
    plain = {k for k, nats in enumerate(evidence) if nats >= PLAIN}
    return plain or set(sorted(range(len(evidence)), key=lambda k: -evidence[k])[:1])


def with_new_words(
    heard: Transcript, new: Transcript, places: Sequence[Difference]
) -> tuple[Transcript, list[int]]:
    """The recognised words with the new text's words at some places; and each word's number k among
    those recognised, or ~k among the new ones."""
    split = {heard.words[k].token for place in places for k in range(*_whole(heard, place.heard))}
    count = len(heard.words) + len(new.words)  # more than there are tokens in either
    words: list[TranscriptWord] = []
    numbers: list[int] = []
    done = 0
    for place in [*places, Difference((len(heard.words),) * 2, (0, 0))]:
        for k in range(done, place.heard[0]):
            word = heard.words[k]
            if word.token in split:  # what else is written in it stands alone
                word = replace(word, written=word.text, token=2 * count + k)
            words.append(word)
            numbers.append(k)
        words += [replace(word, token=word.token + count) for word in new.words[slice(*place.new)]]
        numbers += [~k for k in range(*place.new)]
        done = place.heard[1]
    return Transcript.of_tokens(words), numbers


def _whole(text: Transcript, words: Span) -> Span:
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


@dataclass(frozen=True)
class Witnesses:
    """The evidence for a part of a recording: the words `heard`, their `alignment`, Whisper's and
    the phone network's scores; `sequences` as for `fit_of`."""

    heard: Transcript
    alignment: Alignment
    sequences: np.ndarray
    whisper: Whisper
    sound: EncodedSound
    pronouncer: Pronouncer

    @classmethod
    def of(
        cls,
        samples: np.ndarray,
        sample_rate: int,
        heard: Transcript,
        whisper: Whisper,
        pronouncer: Pronouncer,
    ) -> Witnesses:
        """Whisper's scores for samples (mono, float, (n,)); see `Whisper.hear`."""
        aligned = NetworkAligner().align(
            samples, sample_rate, heard.spoken, pronouncer.choices(heard.spoken), check=False
        )
        sequences = mean_scores(model_waveform(samples, sample_rate))
        sound = whisper.encode(samples, sample_rate)
        return cls(heard, aligned, sequences, whisper, sound, pronouncer)

    def evidence(self, place: Difference, new: Transcript) -> float:
        """Nats by which the heard words are likelier than the new text."""
        words = new.words[slice(*place.new)]
        texts = _with_words(self.heard, place.heard, words)
        likeliest = max(self._likelihood(text) for text in texts)
        spoken = [word.text for word in words]
        fits = fit_of(
            self.alignment,
            place.heard,
            [self._ways(self.heard.spoken[slice(*place.heard)]), self._ways(spoken)],
            self.sequences,
        )
        likelier = min(self._heard_likelihood - likeliest, MOST[0])
        fitter = min(fits[0] - fits[1], MOST[1])
        rarer = RARE - sum(_shares().get(word, RAREST) for word in spoken)
        return likelier + NETWORK * fitter - RARENESS * min(max(rarer, 0.0), MOST[2])

    @cached_property
    def _heard_likelihood(self) -> float:
        return self._likelihood(self.heard.text)

    def _likelihood(self, text: str) -> float:
        pieces = self.whisper.pieces(self.sound, text)
        return float(sum(np.log(max(probability, 1e-9)) for _, probability in pieces))

    def _ways(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """Ways to say the words one behind the other."""
        choices = self.pronouncer.choices(words)
        each = [sorted({tuple(map(strip_stress, way)) for way in choices[word]}) for word in words]
        return [sum(ways, ()) for ways, _ in zip(product(*each), range(MOST_WAYS), strict=False)]


@cache
def _shares() -> dict[str, float]:
    """The logarithm of each word's share of English, nats."""
    model = load_ngrams()
    return dict(zip(model.words, model.unigram.tolist(), strict=True))


def _with_words(heard: Transcript, place: Span, words: Sequence[TranscriptWord]) -> list[str]:
    """The text with other words at a place, where a capital stood with and without one."""
    (first, last), (begin, end) = place, _whole(heard, place)
    before = [word.text for word in heard.words[begin:first]]
    after = [word.text for word in heard.words[last:end]]
    written = Transcript.of_tokens(words).text.split()
    inside = [*before, *written, *after]
    replaced = heard.written(begin, end)
    marks = replaced[len(replaced.rstrip(".,;:?!")) :]
    texts = []
    for capital in {False, replaced[:1].isupper() or not begin}:
        here = list(inside)
        if here and capital:
            here[0] = here[0][:1].upper() + here[0][1:]
        if here:
            here[-1] = here[-1].rstrip(".,;:?!") + marks
        parts = [heard.written(0, begin), *here, heard.written(end, len(heard.words))]
        texts.append(" ".join(filter(None, parts)))
    return texts
