"""Aligns as much of a recording as an edit needs: all of a short one, passages of a long one."""

from __future__ import annotations

import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from a3t import __version__
from a3t.audio.output.files import atomic_path
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.records import LONG, AlignedRecording, FoundTranscript, Times
from a3t.source.transcripts import find_transcript
from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.user_folders import cache_folder
from alignment import Aligner, Alignment, Pronunciations, Word
from alignment.aligner import aligner_version
from alignment.confidence.doubts import with_confidences
from alignment.long.window import TimedWord, align_window
from alignment.result import shift_word

MAX_HELD = 8  # alignments kept in memory, so that a plan and its edit align only once
BESIDE = 1.0  # seconds of speech aligned on each side of a passage
NEARBY = 6.0  # seconds on each side that are available to the aligner, and no more


# Recording, the text's spoken words, which of them (or of its samples), the user's pronunciations.
Key = tuple[str, tuple[str, ...], Span, str]
Aligned = tuple[Alignment, Span]  # of these words of a text


@dataclass(frozen=True)
class Stretch:
    """Samples [first, last) of a recording, readable like a recording of their own."""

    recording: Recording
    first: int
    last: int

    @classmethod
    def of(cls, recording: Recording, start: float, end: float) -> Stretch:
        """The stretch between two times in seconds, clipped to the recording."""
        rate, last = recording.sample_rate, recording.samples
        return cls(recording, max(round(start * rate), 0), min(round(end * rate), last))

    @property
    def sample_rate(self) -> int:
        return self.recording.sample_rate

    @property
    def samples(self) -> int:
        return self.last - self.first

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Samples [start, stop) of the stretch, in the form of `Recording.mono`."""
        stop = self.samples if stop is None else stop
        return self.recording.mono(self.first + start, self.first + stop)


class AlignmentStore:
    """Aligns what an edit needs and keeps it in memory; alignments of long recordings also go to a
    cache folder, if one is given."""

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
        """The alignment around the edits, and the ranges of the words that it has; of the whole
        recording if it is short or has no edits, or if these are not known (None).

        A long recording is aligned only around the edits if its transcript has times, as a whole if
        not. Raises AlignmentError if the words don't match the recording.
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

    def hear(
        self,
        recording: Recording | AlignedRecording,
        text: Transcript | None,
        expected: Transcript | None,
        pronouncer: Pronouncer,
    ) -> AlignedRecording:
        """A recording with its text and alignment found, unless they are known; ``expected`` is a
        prior where the text has to be recognised. Errors as for `find_transcript`."""
        if isinstance(recording, AlignedRecording):
            return recording
        found = find_transcript(recording, text, expected, pronouncer)
        alignment = self.whole(recording, found, pronouncer)
        return AlignedRecording(recording, found.transcript, alignment)

    def whole(
        self, recording: Recording, found: FoundTranscript, pronouncer: Pronouncer
    ) -> Alignment:
        """The alignment of a whole recording: the one found with its text, else a new one."""
        if found.alignment is not None and not found.passages:
            return found.alignment
        text = found.transcript
        everything = (0, len(text.words))

        def cached_or_aligned() -> Aligned:
            choices = pronouncer.choices(text.spoken)

            def align() -> Alignment:
                return self.aligner.align_recording(recording, text.spoken, choices)

            if recording.seconds <= LONG:
                return align(), everything
            alignment = self._cached(recording, text.spoken, self._method(choices), align)
            return alignment, everything

        key = _key(recording, text, everything, pronouncer)
        alignment, _ = self._once(key, cached_or_aligned)
        return with_confidences(alignment, found.confidences)

    def _method(self, choices: Pronunciations) -> str:
        """All that an alignment depends on beside the recording and its words."""
        ways = repr([(word, [tuple(way) for way in choices[word]]) for word in sorted(choices)])
        digest = hashlib.sha256(ways.encode()).hexdigest()
        return f"{self.aligner.name} {__version__} {aligner_version()} {digest}"

    def _cached(
        self,
        recording: Recording,
        words: Sequence[str],
        method: str,
        align: Callable[[], Alignment],
    ) -> Alignment:
        """The alignment that the cache folder has, else a new one, which is put there."""
        path = alignment_path(self._folder, recording.identity, words, method)
        alignment = cached_alignment(path, words)
        if alignment is None:
            alignment = align()
            cache_alignment(path, alignment)
        return alignment

    def _part(
        self,
        recording: Recording,
        text: Transcript,
        words: Span,
        times: Times,
        pronouncer: Pronouncer,
    ) -> Aligned:
        """A passage with at least these words, aligned near their approximate times."""
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


def _own_pronunciations(pronouncer: Pronouncer, text: Transcript) -> str:
    """The user's pronunciations of the text's words, as a string; empty if there are none."""
    words = sorted(pronouncer.own.keys() & set(text.spoken))
    return repr([(word, list(pronouncer.own[word])) for word in words]) if words else ""


def _key(recording: Recording, text: Transcript, words: Span, pronouncer: Pronouncer) -> Key:
    return recording.identity, text.spoken, words, _own_pronunciations(pronouncer, text)


MAX_CACHED_FILES = 64  # files: an hour's alignment takes about 8 MB
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)


def default_folder() -> Path | None:
    """The folder given by A3T_CACHE, else one in the user's cache folder.

    None, for no cache, if A3T_CACHE is set to an empty string.
    """
    folder = os.environ.get("A3T_CACHE")
    if folder is not None:
        return Path(folder) if folder else None
    return cache_folder("alignments")


def read_cached(path: Path | None) -> bytes | None:
    """The contents that `write_cached` wrote there, or None."""
    if path is None or not path.is_file():
        return None
    with suppress(OSError):
        os.utime(path)  # the least recently used is deleted first
    with suppress(OSError):
        return path.read_bytes()
    return None


def write_cached(path: Path | None, data: bytes) -> None:
    """Cache a file, readable by its user alone, and delete the least recently used with the same
    ending beyond MAX_CACHED_FILES; nothing for None."""
    if path is None:
        return
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_path(path) as temporary:
            temporary.chmod(0o600)
            temporary.write_bytes(data)
        files = path.parent.glob(f"*{path.suffix}")
        for old in sorted(files, key=lambda each: -each.stat().st_mtime)[MAX_CACHED_FILES:]:
            old.unlink(missing_ok=True)


def alignment_path(
    folder: Path | None, sha256: str, words: Sequence[str], method: str
) -> Path | None:
    """The file that caches the alignment of a recording's words, and how they are aligned."""
    key = "\n".join([sha256, method, *words])
    return folder and folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


def cached_alignment(path: Path | None, words: Sequence[str]) -> Alignment | None:
    """The alignment in a cached file, if it is one of these words, else None."""
    with suppress(*_UNREADABLE):
        if (data := read_cached(path)) is not None:
            alignment = Alignment.from_json(json.loads(data))
            return alignment if [word.text for word in alignment.spoken] == [*words] else None
    return None


def cache_alignment(path: Path | None, alignment: Alignment) -> None:
    """Cache an alignment."""
    write_cached(path, json.dumps(alignment.to_json(), separators=(",", ":")).encode())


def times_of(alignment: Alignment) -> Times:
    """The times of an alignment's words, which are exact."""
    return [(word.start, word.end) for word in alignment.spoken]


CONTEXT = 6.0  # seconds of speech on each side of an edit
APART = 10.0  # seconds between two passages; closer ones are merged
PAUSE_WITHIN = 3.0  # seconds beyond the context in which to look for a pause to begin or end at


def ranges_around(edits: Sequence[WordEdit], times: Times) -> tuple[Span, ...]:
    """The words of each passage: those spoken within CONTEXT of an edit, up to a pause if there is
    one nearby. Passages close to each other are merged."""
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
    """The place with the widest gap, or ``otherwise`` if there are no places."""
    return max(places, key=gap, default=otherwise)


def cut(alignment: Alignment, ranges: Sequence[Span]) -> Alignment:
    """The passages of a whole alignment, with the pauses next to them."""
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
