"""Aligns as much of a recording as an edit needs: all of a short one, passages of a long one.

The pauses that are found then punctuate a transcript without marks.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from a3t import __version__
from a3t.audio.output.files import atomic_path
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.differences import said_text
from a3t.source.records import LONG, AlignedRecording, FoundTranscript, Times
from a3t.source.transcripts import find_transcript
from a3t.spans import Span, SpanMap
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.user_folders import cache_folder
from alignment import Aligner, Alignment, AlignmentError, Pronunciations, Word
from alignment.aligner import aligner_version
from alignment.confidence.doubts import with_confidences
from alignment.long.whole import TimedWord, align_window
from alignment.result import shift_word

MAX_HELD = 8  # alignments kept in memory, so that a plan and its edit align only once
BESIDE = 1.0  # seconds of speech aligned on each side of a passage
NEARBY = 6.0  # seconds on each side that are available to the aligner, and no more


# Recording, the text's spoken words, which of them (or of its samples), the user's pronunciations.
Key = tuple[str, tuple[str, ...], Span, str]
Aligned = tuple[Alignment, Span]  # of these words of a text
MAX_CACHED_FILES = 64  # files: an hour's alignment takes about 8 MB
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)
CONTEXT = 6.0  # seconds of speech on each side of an edit
APART = 10.0  # seconds between two passages; closer ones are merged
PAUSE_WITHIN = 3.0  # seconds beyond the context in which to look for a pause to begin or end at
MIN_WORDS = 4  # words; fewer are hardly a sentence


@dataclass(frozen=True)
class Stretch:
    """Samples [first, last) of a recording, readable like a recording of their own."""

    recording: Recording
    first: int
    last: int

    @classmethod
    def of(cls, recording: Recording, start: float, end: float) -> Stretch:
        """Return the stretch between two times in seconds, clipped to the recording."""
        rate, last = recording.sample_rate, recording.samples
        return cls(recording, max(round(start * rate), 0), min(round(end * rate), last))

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return self.recording.sample_rate

    @property
    def samples(self) -> int:
        """Samples of the stretch."""
        return self.last - self.first

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Read samples [start, stop) of the stretch, in the form of `Recording.mono`."""
        stop = self.samples if stop is None else stop
        return self.recording.mono(self.first + start, self.first + stop)


class AlignmentStore:
    """A store of alignments: what an edit needs is aligned and kept in memory.

    Alignments of long recordings also go to a cache folder, if one is given.
    """

    def __init__(self, aligner: Aligner, folder: Path | None) -> None:
        self.aligner = aligner
        self._held: OrderedDict[tuple[Aligner, Key], Aligned] = OrderedDict()
        self._folder = folder

    def around(
        self,
        recording: Recording,
        found: FoundTranscript,
        edits: Sequence[WordEdit] | None,
        pronouncer: Pronouncer,
    ) -> tuple[Alignment, tuple[Span, ...]]:
        """Return the alignment around the edits, and the ranges of the words that it has.

        It is of the whole recording if that is short or has no edits, or if these are not known
        (None). A long recording is aligned only around the edits if its transcript has times, as a
        whole if not. Raises AlignmentError if the words don't match the recording.
        """
        everything = ((0, len(found.transcript.words)),)
        if found.alignment is not None and found.passages and edits is not None:
            return found.alignment, found.passages
        if recording.seconds <= LONG or not edits:
            return self.whole(recording, found, pronouncer), everything
        if found.alignment is None and found.times is not None:
            parts = [
                self._part(recording, found.transcript, words, found.times, pronouncer)
                for words in ranges_around(edits, found.times)
            ]
            words = tuple(word for alignment, _ in parts for word in alignment.words)
            return Alignment(words, recording.seconds), tuple(own for _, own in parts)
        alignment = self.whole(recording, found, pronouncer)
        ranges = ranges_around(edits, times_of(alignment))
        return cut(alignment, ranges), ranges

    def times(
        self,
        recording: Recording,
        found: FoundTranscript,
        ranges: tuple[Span, ...],
        pronouncer: Pronouncer,
    ) -> Times | None:
        """Return the times of all words where `around` has aligned these ranges.

        None if they aren't known or all words are aligned.
        """
        if ranges == ((0, len(found.transcript.words)),):
            return None
        if found.times is not None or found.passages:
            return found.times
        return times_of(self.whole(recording, found, pronouncer))

    def hear(
        self,
        recording: Recording | AlignedRecording,
        text: Transcript | None,
        expected: Transcript | None,
        pronouncer: Pronouncer,
        recogniser: str = "auto",
    ) -> AlignedRecording:
        """Find a recording's text and alignment, unless they are known.

        ``expected`` is a prior where the text has to be recognised: what is probably misheard is
        read as written there. Errors as for `find_transcript`.
        """
        if isinstance(recording, AlignedRecording):
            return recording
        found = find_transcript(recording, text, expected, pronouncer, recogniser)
        if found.comparison is not None:
            found = said_text(found.comparison, misheard=False)
        alignment = self.whole(recording, found, pronouncer)
        return AlignedRecording(recording, found.transcript, alignment)

    def whole(
        self, recording: Recording, found: FoundTranscript, pronouncer: Pronouncer
    ) -> Alignment:
        """Return the alignment of a whole recording: the one found with its text, or a new one."""
        if found.alignment is not None and not found.passages:
            return found.alignment
        text = found.transcript
        everything = (0, len(text.words))

        def align() -> Aligned:
            choices = pronouncer.choices(text.spoken)
            path = None
            if self._folder is not None and recording.seconds > LONG:
                what = recording.identity, text.spoken, self._method(choices)
                path = alignment_path(self._folder, *what)
            alignment = cached_alignment(path, text.spoken)
            if alignment is None:
                alignment = self.aligner.align_recording(recording, text.spoken, choices)
                cache_alignment(path, alignment)
            return alignment, everything

        alignment, _ = self._once(_key(recording, text, everything, pronouncer), align)
        return with_confidences(alignment, found.confidences)

    def _method(self, choices: Pronunciations) -> str:
        """Name all that an alignment depends on beside the recording and its words."""
        ways = repr([(word, [tuple(way) for way in choices[word]]) for word in sorted(choices)])
        digest = hashlib.sha256(ways.encode()).hexdigest()
        return f"{self.aligner.name} {__version__} {aligner_version()} {digest}"

    def _part(
        self,
        recording: Recording,
        text: Transcript,
        words: Span,
        times: Times,
        pronouncer: Pronouncer,
    ) -> Aligned:
        """Align a passage with at least these words near their approximate times."""
        first, last = words

        def align() -> Aligned:
            begin, end = times[first][0] - NEARBY, times[last - 1][1] + NEARBY
            near = [k for k, (start, stop) in enumerate(times) if begin <= start and stop <= end]
            stretch = Stretch.of(recording, begin, end)
            offset = stretch.first / recording.sample_rate
            timed = [TimedWord(text.spoken[k], *(t - offset for t in times[k])) for k in near]
            choices = pronouncer.choices([word.text for word in timed])
            own = (first - near[0], last - 1 - near[0])
            window = align_window(self.aligner, stretch, timed, choices, *own, BESIDE)
            start = (stretch.first + window.start) / recording.sample_rate
            shifted = tuple(shift_word(word, start) for word in window.alignment.words)
            first_word = near[0] + window.first
            last_word = first_word + len(window.alignment.spoken)
            return Alignment(shifted, recording.seconds), (first_word, last_word)

        return self._once(_key(recording, text, words, pronouncer), align)

    def _once(self, key: Key, align: Callable[[], Aligned]) -> Aligned:
        held = self.aligner, key
        if held not in self._held:
            self._held[held] = align()
        self._held.move_to_end(held)
        while len(self._held) > MAX_HELD:
            self._held.popitem(last=False)
        return self._held[held]


def _key(recording: Recording, text: Transcript, words: Span, pronouncer: Pronouncer) -> Key:
    own = sorted(pronouncer.own.keys() & set(text.spoken))
    ways = repr([(word, list(pronouncer.own[word])) for word in own]) if own else ""
    return recording.identity, text.spoken, words, ways


def default_folder() -> Path | None:
    """Return the folder given by A3T_CACHE, else one in the user's cache folder.

    None, for no cache, if A3T_CACHE is set to an empty string.
    """
    folder = os.environ.get("A3T_CACHE")
    if folder is not None:
        return Path(folder) if folder else None
    return cache_folder("alignments")


def alignment_path(folder: Path, sha256: str, words: Sequence[str], method: str) -> Path:
    """Return the file that caches the alignment of a recording's words by a method."""
    key = "\n".join([sha256, method, *words])
    return folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


def cached_alignment(path: Path | None, words: Sequence[str]) -> Alignment | None:
    """Read the alignment in a cached file, if it is one of these words, else None."""
    if path is None or not path.is_file():
        return None
    with suppress(OSError):
        os.utime(path)  # the least recently used is deleted first
    with suppress(OSError, *_UNREADABLE):
        alignment = Alignment.from_json(json.loads(path.read_bytes()))
        return alignment if [word.text for word in alignment.spoken] == [*words] else None
    return None


def cache_alignment(path: Path | None, alignment: Alignment) -> None:
    """Cache an alignment, readable by its user alone; do nothing for None.

    The least recently used beyond MAX_CACHED_FILES are deleted.
    """
    if path is None:
        return
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_path(path) as temporary:
            temporary.chmod(0o600)
            temporary.write_text(json.dumps(alignment.to_json(), separators=(",", ":")))
        files = path.parent.glob(f"*{path.suffix}")
        for old in sorted(files, key=lambda each: -each.stat().st_mtime)[MAX_CACHED_FILES:]:
            old.unlink(missing_ok=True)


def times_of(alignment: Alignment) -> Times:
    """Return the times of an alignment's words, which are exact."""
    return [(word.start, word.end) for word in alignment.spoken]


def ranges_around(edits: Sequence[WordEdit], times: Times) -> tuple[Span, ...]:
    """Return the words of each passage: those within the context of an edit, up to a pause.

    Passages close to each other are merged.
    """
    ranges: list[Span] = []
    for edit in edits:
        first, last = _widened(edit.old, times)
        if ranges and times[first][0] <= times[ranges[-1][1] - 1][1] + APART:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], last))
        else:
            ranges.append((first, last))
    return tuple(ranges) or (_widened((0, 0), times),)


def _widened(words: Span, times: Times) -> Span:
    start = times[words[0]][0] if words[0] < len(times) else times[-1][1]
    end = times[words[1] - 1][1] if words[1] > 0 else 0.0
    before = [k for k in range(words[0]) if times[k][0] >= start - CONTEXT - PAUSE_WITHIN]
    after = [k for k in range(words[1], len(times)) if times[k][1] <= end + CONTEXT + PAUSE_WITHIN]
    # At least one word on each side, however long the silence in between.
    before, after = before or [*range(words[0])][-1:], after or [*range(words[1], len(times))][:1]
    first = _at_a_pause(
        [k for k in before if times[k][0] <= start - CONTEXT],
        lambda k: times[k][0] - times[k - 1][1] if k else PAUSE_WITHIN,
        min(before, default=words[0]),
    )
    last = _at_a_pause(
        [k for k in after if times[k][1] >= end + CONTEXT],
        lambda k: times[k + 1][0] - times[k][1] if k + 1 < len(times) else PAUSE_WITHIN,
        max(after, default=words[1] - 1),
    )
    return first, last + 1


def _at_a_pause(places: Sequence[int], gap: Callable[[int], float], otherwise: int) -> int:
    """Return the place with the widest gap, or ``otherwise`` if there are no places."""
    return max(places, key=gap, default=otherwise)


def cut(alignment: Alignment, ranges: Sequence[Span]) -> Alignment:
    """Return the passages of a whole alignment, with the pauses next to them."""
    words: list[Word] = []
    spoken = -1
    last_spoken = len(alignment.spoken) - 1
    for word in alignment.words:
        if not word.is_pause:
            spoken += 1
        inside = any(first <= spoken < last for first, last in ranges)
        if word.is_pause:  # it follows word `spoken`; keep it next to either neighbour
            ahead = any(first == spoken + 1 <= last_spoken for first, last in ranges)
            inside = inside or ahead
        if inside:
            words.append(word)
    return Alignment(tuple(words), alignment.duration, alignment.score)


def pauses_after_words(
    text: Transcript, alignment: Alignment, ranges: Sequence[Span]
) -> list[float | None]:
    """Return the seconds of silence after each spoken word; None where the text isn't aligned.

    After the last word of an aligned passage nothing is known.
    """
    result: list[float | None] = [None] * len(text.words)
    spoken = iter(alignment.spoken)
    times = [(word.start, word.end) for first, last in ranges
             for _, word in zip(range(first, last), spoken, strict=False)]  # fmt: skip
    places = [k for first, last in ranges for k in range(first, last)]
    for (k, after), (here, following) in zip(pairwise(places), pairwise(times), strict=False):
        if after == k + 1:
            result[k] = max(following[0] - here[1], 0.0)
    return result


def punctuated(
    text: Transcript,
    aligned: tuple[Alignment, Sequence[Span]] | None,
    revised: tuple[Transcript, SpanMap] | None = None,
    wanted: bool = True,
) -> Transcript:
    """Punctuate a transcript that lacks punctuation and capitals, if they are ``wanted``.

    ``aligned``: the alignment of the ranges of its words. ``revised``: a new text and how its words
    correspond. Whether a sentence that stays is a question is then taken from there: what somebody
    wrote is surer than what is guessed.
    """
    if not wanted or text.is_punctuated or len(text.words) < MIN_WORDS:
        return text
    from a3t.text.punctuation.restoring import with_punctuation

    pauses = pauses_after_words(text, *aligned) if aligned else ()
    found = with_punctuation(text, pauses)
    return _with_questions_of(*revised, found) if revised else found


def _with_questions_of(new_text: Transcript, words: SpanMap, text: Transcript) -> Transcript:
    """Put ? for ., or . for ?, where words that stay have it in the new text."""
    written, end, place = list(text.text), 0, -1
    starts: dict[int, int] = {}
    for word in text.words:
        if word.token != place:
            place, start = word.token, text.text.find(word.written, end)
            if start < 0:
                return text
            starts[place], end = start, start + len(word.written)
    for here, there in words.kept_places():
        old, new = text.words[here], new_text.words[there]
        if {old.mark, new.mark} == {".", "?"}:
            last = starts[old.token] + len(old.written) - 1
            if written[last] in ".?":
                written[last] = new.mark
    return text.written_as("".join(written))


def punctuated_by_sound(
    recording: Recording, found: FoundTranscript, alignments: AlignmentStore, wanted: bool = True
) -> Transcript:
    """Punctuate the transcript by words and pauses, if ``wanted``.

    By words alone where a long recording would have to be aligned for it, or its words can't be.
    """
    text, aligned = found.transcript, None
    if not wanted or text.is_punctuated or len(text.words) < MIN_WORDS:
        return text
    if found.alignment is not None or recording.seconds <= LONG:
        with suppress(AlignmentError):
            aligned = alignments.around(recording, found, None, Pronouncer())
    return punctuated(text, aligned)
