"""Detection of the places where a recording differs from a text that is nearly said.

The recording is heard part by part. Where the words differ from the text's, the evidence
(a3t.source.evidence) decides whether something else is said or was misheard.
"""

from __future__ import annotations

from bisect import bisect
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.decision import BUILT_IN, SECOND_OPINION, WHISPER, Weights
from a3t.source.evidence import Evidence, HeardSound, Rival
from a3t.source.places import (
    meets,
    parted,
    phone_distance,
    places_between,
    runs,
    with_words,
    written_together,
)
from a3t.source.recognised_transcript import heard_parts
from a3t.source.records import Comparison, FoundTranscript, Place
from a3t.source.usual_words import rare_words
from a3t.spans import Span
from a3t.text.comparison.respelling import respelled
from a3t.text.phones import strip_stress
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from alignment.aligner import Readable
from alignment.aligners.network_aligner import NetworkAligner
from alignment.recognition.network_recogniser import (
    NO_WORDS,
    RecognisedWord,
    mean_scores,
    settled,
)
from alignment.recognition.whisper import load_whisper
from alignment.waveform import model_waveform

MAX_COMPARISONS = 2  # recordings whose comparison is kept
RECENT = 8  # parts whose sound is kept
DOUBTED = 0.0  # the root of the advantage of anything over words that are looked at


@dataclass(frozen=True)
class ComparedText:
    """Words ``heard``, the ``new`` text in its spelling, and the ``places`` where they differ.

    evidence: of each place, or None where there is none. weights: of the evidence.
    """

    heard: FoundTranscript
    new: Transcript
    places: tuple[Place, ...]
    evidence: tuple[Evidence | None, ...]
    weights: Weights

    def judged(self) -> Comparison:
        """Return the comparison, with all places."""
        judged = self.weights.judge(self.places, self.evidence) if self.places else []
        return Comparison(
            self.heard.transcript,
            self.heard.known_confidences,
            self.new,
            self._new_confidences(),
            tuple(place for place, _ in judged),
            tuple(judgement for _, judgement in judged),
        )

    def _new_confidences(self) -> tuple[float, ...]:
        """Return the confidences of the new text's words: where it differs, 1."""
        known, done = self.heard.known_confidences, Place((0, 0), (0, 0))
        sure = [1.0] * len(self.new.words)
        for place in [*self.places, Place((len(known),) * 2, (len(sure),) * 2)]:
            sure[done.new[1] : place.new[0]] = known[done.heard[1] : place.heard[0]]
            done = place
        return tuple(sure)


@dataclass(frozen=True)
class _Part:
    """Samples [start, stop) of a recording and the ``heard`` words, with confidences if known.

    free: what the phone network hears without a text.
    """

    start: int
    stop: int
    heard: Transcript
    confidences: tuple[float, ...]
    free: Transcript | None = None

    def parted(self, cuts: Mapping[int, int]) -> _Part:
        """Split the given words, by number, in two (`parted`)."""
        if not cuts.keys() & range(len(self.heard.words)):
            return self
        heard = parted(self.heard, cuts)
        sure = [each for k, each in enumerate(self.confidences) for _ in range(1 + (k in cuts))]
        same = len(sure) == len(heard.words)
        return replace(self, heard=heard, confidences=tuple(sure) if same else ())


def _joined(parts: Sequence[_Part]) -> tuple[Transcript, tuple[float, ...], list[int]]:
    """Join the heard words of all parts, with their confidences and the counts up to each."""
    counts = [len(part.heard.words) for part in parts]
    sure = [part.confidences or (0.5,) * n for part, n in zip(parts, counts, strict=True)]
    heard = Transcript.joined(part.heard for part in parts)
    return heard, tuple(chain.from_iterable(sure)), list(accumulate(counts))


class _Words(NamedTuple):
    """Words that were heard, and how probable each is."""

    texts: tuple[str, ...]
    confidences: tuple[float, ...]

    @classmethod
    def of(cls, words: Sequence[RecognisedWord]) -> _Words:
        return cls(tuple(w.text for w in words), tuple(w.confidence for w in words))


class SpeechComparison:
    """A comparison of a recording with texts that it nearly says.

    Whisper (the folder ``model``) or the phone network hears it; what was heard is kept for further
    texts.
    """

    def __init__(
        self,
        sound: Readable,
        pronouncer: Pronouncer,
        model: Path | None,
        remembers: bool = False,
    ) -> None:
        self.sound, self.pronouncer, self.model = sound, pronouncer, model
        self._remembers = remembers
        self._evidence: dict[object, dict[Place, Evidence]] = {}
        self._settled: dict[object, _Part | None] = {}
        self._second: dict[object, Transcript | None] = {}
        self._recent: deque[tuple[_Part, HeardSound]] = deque(maxlen=RECENT)
        self._scored: deque[tuple[Span, tuple[np.ndarray, np.ndarray]]] = deque(maxlen=RECENT)

    def comparison(self, text: Transcript, freely: bool = False) -> Comparison:
        """Compare the recording with the text, and judge each place where they differ.

        `freely`: the network, too, hears without the text, as in a transcript that a3t wrote.
        Raises AlignmentError when the recogniser can't be used or no word is heard.
        """
        return self.closely_compared(text, freely).judged()

    def compared(self, text: Transcript) -> ComparedText:
        """Find where the recording may differ from the text; errors as for `comparison`."""
        return self._compared(text)[0]

    @property
    def heard_freely(self) -> FoundTranscript:
        """The words that are heard without a text."""
        heard, sure, _ = _joined(self._free_parts)
        return FoundTranscript(heard, confidences=sure)

    def heard_by(self, text: Transcript) -> Transcript:
        """Return what is heard; the network hears by the text. Errors as for `comparison`."""
        return _joined(self._parts(text))[0]

    def closely_compared(self, text: Transcript, freely: bool = False) -> ComparedText:
        """Find where it differs, and where the recogniser may have heard the text's own word.

        Errors as for `comparison`.
        """
        compared, parts = self._compared(text, freely)
        if freely:
            return compared
        if self.model is None:
            return self._with_rival(compared, parts)
        if compared.places:
            return compared
        # Whisper hears the text itself. If the network doesn't, somebody has to be asked.
        other = SpeechComparison(self.sound, self.pronouncer, None).compared(text)
        return replace(other, weights=SECOND_OPINION)

    def _compared(self, text: Transcript, freely: bool = False) -> tuple[ComparedText, list[_Part]]:
        parts = self._parts(text, freely)
        heard, sure, ends = _joined(parts)
        new = respelled(heard, text)
        places = places_between(heard, new, self.pronouncer)
        if cuts := written_together(heard, new, places):
            parts = [
                part.parted({k - end + len(part.heard.words): cut for k, cut in cuts.items()})
                for part, end in zip(parts, ends, strict=True)
            ]
            heard, sure, ends = _joined(parts)
            new = respelled(heard, text)
            places = places_between(heard, new, self.pronouncer)
        weighed: dict[Place, Evidence] = {}
        shared = [*places]  # by two parts: without evidence
        begin = first = 0
        for part, last in zip(parts, ends, strict=True):
            stop = _new_place(places, last)
            own = [p for p in shared if first <= p.heard[0] <= p.heard[1] <= last]
            if own:
                here = {*own}
                shared = [place for place in shared if place not in here]
                found = self._evidence_of(
                    part,
                    Transcript.of_tokens(new.words[begin:stop]),
                    tuple(_shifted(place, -first, -begin) for place in own),
                )
                weighed |= {_shifted(place, first, begin): each for place, each in found.items()}
            begin, first = stop, last
        listed = tuple(sorted([*weighed, *shared]))
        evidence = tuple(map(weighed.get, listed))
        known = FoundTranscript(heard, confidences=sure)
        weights = WHISPER if self.model else BUILT_IN
        return ComparedText(known, new, listed, evidence, weights), parts

    def _with_rival(self, compared: ComparedText, parts: Sequence[_Part]) -> ComparedText:
        """Add one place if none is plain: a word where one that sounds nearly like it is said.

        The network hears by the text, so it may hear the text's word there.
        """
        places = compared.places
        if any(BUILT_IN.log_odds(each) >= BUILT_IN.change for each in compared.evidence):
            return compared
        beside = {k for each in places for k in range(each.heard[0] - 1, each.heard[1] + 1)}
        found: list[Rival] = []
        first = 0
        for part in parts:
            last = first + len(part.heard.words)
            same = [k - first for k in range(first, last) if k not in beside]
            if rival := self._sound_of(part).likeliest_rival(same, BUILT_IN.log_odds):
                found.append(rival._replace(number=first + rival.number))
            first = last
        best = max(found, default=None)
        if best is None or best.log_odds < BUILT_IN.open:
            return compared
        k, n = best.number, _new_place(places, best.number)
        place = Place((k, k + 1), (n, n + 1))
        word = FoundTranscript(Transcript.of_spoken([best.word]), confidences=(0.5,))
        number = bisect(places, place)
        return ComparedText(
            with_words(compared.heard, word, [Place((k, k + 1), (0, 1))]),
            compared.new,
            (*places[:number], place, *places[number:]),
            (*compared.evidence[:number], best.evidence, *compared.evidence[number:]),
            compared.weights,
        )

    def _evidence_of(
        self, part: _Part, new: Transcript, places: tuple[Place, ...]
    ) -> dict[Place, Evidence]:
        key = (part.start, part.heard.spoken, new.spoken, places)
        if key not in self._evidence:
            sound = self._sound_of(part)
            second = part.free
            if self.model is not None:
                second = self._heard_again(part, sound, new)
            elif second is not None and second.spoken == part.heard.spoken:
                second = None
            joined = sound.joined_places(new, places)
            evidence = sound.evidence(new, joined, second)
            self._evidence[key] = dict(zip(joined, evidence, strict=True))
        return self._evidence[key]

    def _heard_again(self, part: _Part, sound: HeardSound, new: Transcript) -> Transcript | None:
        """Whisper's hearing with the text's rare words; None if there are none."""
        rare = tuple(rare_words(new.spoken))
        key = (part.start, rare)
        if rare and key not in self._second:
            assert sound.whisper is not None
            heard = sound.whisper.hear(sound.samples, sound.sample_rate, rare)
            self._second[key] = None
            with suppress(InputError):  # nothing
                self._second[key] = Transcript.from_text(heard)
        return self._second.get(key)

    def _sound_of(self, part: _Part) -> HeardSound:
        """Return the sound of a part; few are kept, so that a recording may last for hours."""
        for known, sound in self._recent:
            if known is part:
                return sound
        samples, scores = self._scores(part)
        rate = self.sound.sample_rate
        whisper = load_whisper(self.model) if self.model else None
        encoded = whisper.encode(samples, rate) if whisper else None
        sound = HeardSound(
            samples, rate, part.heard, scores, self.pronouncer, whisper, encoded,
        )  # fmt: skip
        self._recent.append((part, sound))
        return sound

    def _scores(self, part: _Part) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples of a part and their scores, as HeardSound has them."""
        for key, known in self._scored:
            if key == (part.start, part.stop):
                return known
        samples = self.sound.mono(part.start, part.stop)
        scored = samples, mean_scores(model_waveform(samples, self.sound.sample_rate))
        self._scored.append(((part.start, part.stop), scored))
        return scored

    @cached_property
    def _free_parts(self) -> list[_Part]:
        """The parts in which words are heard without a text."""
        heard = heard_parts(self.sound, self.pronouncer, self.model, self._remembers)
        return [_Part(p.start, p.stop, p.transcript, p.confidences, p.transcript) for p in heard]

    def _parts(self, text: Transcript, freely: bool = False) -> list[_Part]:
        """Return the parts with the words heard in them; the network hears by the text."""
        return self._free_parts if self.model or freely else self._network_parts(text)

    def _network_parts(self, text: Transcript) -> list[_Part]:
        """Return the parts as the network hears them by the text."""
        found: list[_Part] = []
        for part, words in zip(self._free_parts, self._shared(text.spoken), strict=True):
            key = (part.start, words)
            if key not in self._settled:
                self._settled[key] = self._settled_part(part, words)
            if (own := self._settled[key]) is not None:
                found.append(own)
        if not found:
            raise AlignmentError(NO_WORDS)
        return found

    def _settled_part(self, part: _Part, words: tuple[str, ...]) -> _Part | None:
        """Settle the part by the text's words for it; None if then no word is heard."""
        if not words:
            return part
        free = _Words(part.heard.spoken, part.confidences)
        samples, scores = self._scores(part)
        rate, pronouncer = self.sound.sample_rate, self.pronouncer
        found = settled(scores, tuple(zip(*free, strict=True)), words, pronouncer.choices(words))
        own = _Words.of(found.words)
        rival = _Words(found.rival, (0.5,) * len(found.rival))
        text = HeardSound(samples, rate, Transcript.of_spoken(words), scores, pronouncer)
        heard = self._with_doubted(text, own, rival, free)
        if not heard.texts:
            return None
        said = Transcript.of_spoken(heard.texts)
        return replace(part, heard=said, confidences=heard.confidences)

    def _with_doubted(self, text: HeardSound, own: _Words, rival: _Words, free: _Words) -> _Words:
        """Return the settled words with the rival's, and those heard freely where in doubt.

        That is where the settled words are the text's and the aligner doubts these. ``text``: the
        part as if the text were heard.
        """
        new, words = text.heard, text.heard.spoken
        places = self._places(own, new)
        for other in (rival, free):
            for place, source in self._places(other, new):
                beside = (max(place.new[0] - 1, 0), place.new[1] + 1)
                if meets(beside, [each.new for each, _ in places]):
                    continue
                doubted = text.heard_root(place.new) > DOUBTED
                if other is rival or doubted or self._is_near(place, source, words):
                    places.append((place, source))
        places = self._with_halves(text, places, free)
        texts: list[str] = []
        sure: list[float] = []
        done = 0
        known = dict(zip(own.texts, own.confidences, strict=True))
        end = Place((0, 0), (len(words),) * 2)
        for place, source in [*sorted(places, key=lambda item: item[0].new), (end, own)]:
            kept = words[done : place.new[0]]
            texts += [*kept, *source.texts[slice(*place.heard)]]
            sure += [known.get(word, 0.5) for word in kept]
            sure += source.confidences[slice(*place.heard)]
            done = place.new[1]
        return _Words(tuple(texts), tuple(sure))

    def _with_halves(
        self, text: HeardSound, places: list[tuple[Place, _Words]], free: _Words
    ) -> list[tuple[Place, _Words]]:
        """Return the places, each where more of the text is in doubt as it is heard freely.

        Of two changed words, one may be settled as the text's.
        """
        found = self._places(free, text.heard)
        for run in runs([place for place, _ in found], range(len(found))):
            first, last = found[run[0]][0].new[0], found[run[-1]][0].new[1]
            met = [each for each in places if meets((first, last), [each[0].new])]
            others = [k for k in run if not meets(found[k][0].new, [place.new for place, _ in met])]
            if not met or any(place.new[0] < first or last < place.new[1] for place, _ in met):
                continue
            if any(text.heard_root(found[k][0].new) > DOUBTED for k in others):
                places = [each for each in places if each not in met] + [found[k] for k in run]
        return places

    def _is_near(self, place: Place, heard: _Words, new: Sequence[str]) -> bool:
        """Return whether a word is heard for another that is a phone apart."""
        pair = (*heard.texts[slice(*place.heard)], *new[slice(*place.new)])
        if [last - first for first, last in place] != [1, 1]:
            return False
        choices = self.pronouncer.choices(pair)
        ways = [tuple(map(strip_stress, choices[word][0])) for word in pair]
        return phone_distance(*ways) == 1

    def _places(self, heard: _Words, new: Transcript) -> list[tuple[Place, _Words]]:
        """Return the places where heard words differ from the text; none without words."""
        if not heard.texts:
            return []
        said = Transcript.of_spoken(heard.texts)
        return [(place, heard) for place in places_between(said, new, self.pronouncer)]

    def _shared(self, words: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return the text's words by the parts in which the aligner finds them."""
        parts = self._free_parts
        if len(parts) == 1:
            return [words]
        choices = self.pronouncer.choices(words)
        try:
            found = NetworkAligner().align_recording(self.sound, words, choices, check=False)
            middles = [(word.start + word.end) / 2 for word in found.spoken]
        except AlignmentError:  # too many of them: evenly
            seconds = self.sound.samples / self.sound.sample_rate
            middles = [(k + 0.5) / len(words) * seconds for k in range(len(words))]
        ends = [part.stop / self.sound.sample_rate for part in parts]
        numbers = np.minimum(np.searchsorted(ends, middles), len(parts) - 1)
        return [
            tuple(word for word, own in zip(words, numbers, strict=True) if own == number)
            for number in range(len(parts))
        ]


class SpeechComparisons:
    """The latest comparisons, so that another text or choice needs no second hearing.

    `remembers`: whether what is heard is remembered in the user's cache.
    """

    def __init__(self, remembers: bool = False) -> None:
        self.remembers = remembers
        self._latest: dict[object, SpeechComparison] = {}

    def of(
        self, recording: Recording, pronouncer: Pronouncer, model: Path | None
    ) -> SpeechComparison:
        """Return the recording's comparison, a new one or one of an earlier call."""
        own = sorted(pronouncer.own.items()), pronouncer.names
        key = recording.identity, repr(own), model
        found = self._latest.pop(key, None) or SpeechComparison(
            recording, pronouncer, model, self.remembers
        )
        self._latest[key] = found
        while len(self._latest) > MAX_COMPARISONS:
            del self._latest[next(iter(self._latest))]
        return found


def _new_place(places: Sequence[Place], heard: int) -> int:
    """Return the number of words of the new text before a heard word, by its number."""
    moved = 0
    for place in places:
        if place.heard[1] <= heard:
            moved = place.new[1] - place.heard[1]
        elif place.heard[0] < heard:
            return place.new[1]
    return heard + moved


def _shifted(place: Place, heard: int, new: int) -> Place:
    (a, b), (c, d) = place
    return Place((a + heard, b + heard), (c + new, d + new))
