"""The words that teach a recording's voice: its first by one speaker, up to some seconds.

They depend only on the recording's sound and words: not on the edit, nor on how its words were
placed. So everyone who knows the text learns the same voice, by `a3t edit` or by the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from a3t.audio.reading.recording import Recording
from a3t.plan.edit_plan import EditPlan
from a3t.source.alignments import AlignmentStore, TimedRecording
from a3t.source.passages import Times, times_of
from a3t.source.recognised_transcript import quietest_between
from a3t.spans import Span
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.voice.speaker import of_one_speaker
from a3t.voice.voice_pieces import VoicePiece, pieces_of
from alignment import Alignment, AlignmentError, Word
from alignment.long.window import TimedWord

# Seconds of usable speech, by what was measured of edits, and of speech by a prompt (docs/log.md).
LEAST_SECONDS, LEAST_PROMPT_SECONDS = 8.0, 3.0
WINDOW = (70.0, 80.0)  # seconds that are listened to at a time; windows end where it is quiet
ENOUGH = 30.0  # seconds of usable speech: one window has that, unless there is music, or silence
MOST_WINDOWS = 4
BESIDE = 5.0  # seconds on each side in which a word may be whose time is approximate


@dataclass(frozen=True)
class SpeakerWord(TimedWord):
    """A word, the approximate time when it is spoken, and its speaker's name, "" if none is
    known."""

    speaker: str = ""


WordsBetween = Callable[[float, float], Sequence[SpeakerWord]]  # two times, in seconds


def words_by_time(words: Sequence[SpeakerWord]) -> WordsBetween:
    """The words whose middle lies between two times."""

    def between(start: float, end: float) -> list[SpeakerWord]:
        return [word for word in words if start <= (word.start + word.end) / 2 < end]

    return between


@dataclass(frozen=True)
class AdaptationSpeech:
    """The words of a recording from which its voice is learnt.

    is_stored: whether an edit.json has to store them, because it has not just these words.
    others: the same speaker's in other recordings, which are learnt from together with these.
    """

    recording: Recording
    alignment: Alignment
    is_stored: bool = False
    others: tuple[AdaptationSpeech, ...] = ()

    @classmethod
    def of(cls, alignments: AlignmentStore, plan: EditPlan) -> AdaptationSpeech:
        """The speech from which the voice of a plan's recording is learnt."""
        here = cls(plan.recording, plan.alignment)
        if not plan.edits:
            return here
        found = None
        with suppress(AlignmentError):  # the words there aren't those of the text
            said = _words_of(alignments, plan)
            found = cls.of_speaker(alignments, plan.recording, said, _speaker_of(plan))
        found = found or here
        return replace(found, is_stored=found.alignment != plan.alignment)

    @classmethod
    def of_prompts(
        cls, alignments: AlignmentStore, heard: Sequence[TimedRecording]
    ) -> AdaptationSpeech:
        """The speech to learn from in a prompt's recordings: of each the words that edits of it
        would learn from, until there are as many seconds as one recording may give."""
        found: list[AdaptationSpeech] = []
        for each in heard:
            if found and sum(one.seconds for one in found) >= WINDOW[0]:
                break
            own = cls(each.recording, each.alignment)
            spoken = each.alignment.spoken
            words = words_by_time([SpeakerWord(word.text, word.start, word.end) for word in spoken])
            with suppress(AlignmentError):
                own = cls.of_speaker(alignments, each.recording, words) or own
            found.append(replace(own, is_stored=False))
        return replace(found[0], others=tuple(found[1:]))

    @classmethod
    def of_speaker(
        cls,
        alignments: AlignmentStore,
        recording: Recording,
        said: WordsBetween,
        speaker: str = "",
        known: float = float("inf"),
    ) -> AdaptationSpeech | None:
        """The speech of one speaker, ``""`` where nobody is named, to learn from; None if that
        can't be told yet, as the words are known only up to so many seconds, or if there are none.
        Nothing is learnt from words without a name beside others that have one.
        """
        speech = None
        aligned: list[Word] = []
        score, count = 1.0, 0
        for first, last in windows_of(recording):
            start, end = first / recording.sample_rate, last / recording.sample_rate
            if end > known:
                return None
            inside = said(start, end)
            own = [word.speaker == speaker for word in inside]
            if not speaker and not all(own):
                return cls(recording, Alignment((), recording.seconds), True)
            if not any(own):
                continue
            with suppress(AlignmentError):
                texts = [word.text for word in inside]
                found = alignments.of_stretch(recording, first, last, texts)
                aligned += found.words if all(own) else _kept(found, own)
                score = min(score, found.score)
            speech = cls(recording, Alignment(tuple(aligned), recording.seconds, score), True)
            count += 1
            if count == MOST_WINDOWS or speech.seconds >= ENOUGH:
                break
        return speech if aligned else None

    @cached_property
    def pieces(self) -> list[VoicePiece]:
        """The usable stretches."""
        found = pieces_of(self.recording, self.alignment)
        own = [piece for piece in found if isinstance(piece, VoicePiece)]
        further = (piece for one in self.others for piece in one.pieces)
        # By their names, since a recording may be given twice.
        return list({piece.name: piece for piece in (*own, *further)}.values())

    @property
    def identity(self) -> tuple[str, ...]:
        """A key that tells these words from all others: the recordings', and where each word is."""
        aligned = json.dumps(self.alignment.to_json(), sort_keys=True)
        further = (part for one in self.others for part in one.identity)
        return self.recording.identity, aligned, *further

    @property
    def seconds(self) -> float:
        """The seconds of usable speech."""
        return sum(piece.seconds for piece in self.pieces)

    @property
    def is_enough(self) -> bool:
        """True if one person speaks enough for edits to gain by the voice."""
        return self.has_seconds(LEAST_SECONDS)

    def has_seconds(self, seconds: float) -> bool:
        """True if one person speaks for so many seconds."""
        return self.seconds >= seconds and self._is_of_one_speaker

    @cached_property
    def _is_of_one_speaker(self) -> bool:
        return not of_one_speaker(self.pieces)[1]


def windows_of(recording: Recording) -> Iterator[Span]:
    """The recording's samples in windows of `WINDOW` seconds that end where it is quietest; what
    would be a short one belongs to the last."""
    rate = recording.sample_rate
    first = 0
    while first < recording.samples:
        low, high = (first + round(seconds * rate) for seconds in WINDOW)
        last = recording.samples
        if last - first > 1.25 * (high - first):
            last = quietest_between(recording, low, high)
        yield first, last
        first = last


def _kept(alignment: Alignment, keep: Sequence[bool]) -> list[Word]:
    """The spoken words that are to be kept; pauses belong to nobody."""
    return [word for word, own in zip(alignment.spoken, keep, strict=True) if own]


def _words_of(alignments: AlignmentStore, plan: EditPlan) -> WordsBetween:
    """Give the words of a plan's recording; AlignmentError, now or when called, if the words
    don't match it."""
    recording, found = plan.recording, plan.found
    if not plan.passages or found is None:
        return words_by_time(_timed(plan.text, times_of(plan.alignment)))
    pronouncer = Pronouncer(dict(plan.request.pronunciations))
    text, times = found.transcript, found.times
    if found.alignment is not None or times is None:
        heard = alignments.whole(recording, found, pronouncer)
        return words_by_time(_timed(text, times_of(heard)))
    approximate = words_by_time(_timed(text, times))

    def between(start: float, end: float) -> list[SpeakerWord]:
        if not approximate(start, end):
            return []
        # A word is in one window alone, so its place has to be known better.
        span = start - BESIDE, end + BESIDE
        heard = alignments.between(recording, found, span, pronouncer)
        own = text.of_words(heard.words)
        return list(words_by_time(_timed(own, times_of(heard.alignment)))(start, end))

    return between


def _timed(text: Transcript, times: Times) -> list[SpeakerWord]:
    return [
        SpeakerWord(word.text, *time, word.speaker)
        for word, time in zip(text.words, times, strict=True)
    ]


def _speaker_of(plan: EditPlan) -> str:
    """The speaker of the first new words, or of those they replace; "" where nobody is named."""
    edit = plan.edits[0]
    text, (first, last) = (
        (plan.new_text, edit.new) if edit.new[0] < edit.new[1] else (plan.text, edit.old)
    )
    return text.words[first].speaker if first < last else ""
