"""What of a recording is aligned for an edit: all of it, or of a long one what lies around."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from a3t import __version__
from a3t.audio.recording import Recording
from a3t.passages import LONG, Passages, Range, cut, ranges_around
from a3t.plan.script import Script
from a3t.remembered import RememberedAlignments
from a3t.text.g2p import Pronouncer
from a3t.text.transcript import Transcript
from a3t.timed_text import Times, times_of
from a3t.transcripts import Found
from alignment.aligner import Aligner, Pronunciations
from alignment.records import Alignment, later
from alignment.windows import align_window

REMEMBERED = 8  # alignments held in memory, so that a plan and its edit align once
ALIGNED_AT = 16_000  # Hz that a long recording is read at; the aligner's own
BESIDE = 1.0  # seconds of speech aligned on either side of a passage
NEARBY = 60  # words on either side that the aligner may want to hear as well


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word and roughly when it is spoken, in seconds."""

    text: str
    start: float
    end: float


class Known:
    """Aligns what an edit needs and remembers it; long recordings also in a folder, if there is
    one."""

    def __init__(self, aligner: Aligner, pronouncer: Pronouncer, folder: Path | None) -> None:
        self.aligner, self.pronouncer = aligner, pronouncer
        self._held: OrderedDict[tuple[str, str, Range], Passages] = OrderedDict()
        self._kept = RememberedAlignments(folder)

    def around(self, recording: Recording, found: Found, script: Script) -> Passages:
        """The alignment around the script's edits; of a short recording, or without edits, all of
        it.

        A long recording whose words' times are known is aligned there alone, one of which nothing
        is known as a whole. Raises AlignmentError if the words are not the recording's.
        """
        text = found.transcript
        if recording.seconds <= LONG or not script.edits:
            alignment = found.alignment or self.whole(recording, text)
            return Passages(alignment, ((0, len(text.words)),))
        if found.alignment is None and found.times is not None:
            times = found.times
            parts = [
                self._part(recording, text, words, times) for words in ranges_around(script, times)
            ]
            words = tuple(word for part in parts for word in part.alignment.words)
            ranges = tuple(part.words[0] for part in parts)
            return Passages(Alignment(words, recording.seconds), ranges)
        alignment = found.alignment or self.whole(recording, text)
        return cut(alignment, ranges_around(script, times_of(alignment)))

    def whole(self, recording: Recording, text: Transcript) -> Alignment:
        """The alignment of all of a recording."""
        everything = (0, len(text.words))

        def align() -> Passages:
            if recording.seconds <= LONG:
                aligned = self._align(recording.mono(), recording.sample_rate, text.spoken)
                return Passages(aligned, (everything,))
            known_as = (recording.sha256, text.spoken, f"{self.aligner.name} {__version__}")
            kept = self._kept.get(*known_as)
            if kept is None:
                samples = recording.mono(sample_rate=ALIGNED_AT)
                kept = self._align(samples, ALIGNED_AT, text.spoken)
                self._kept.put(*known_as, kept)
            return Passages(kept, (everything,))

        return self._once((recording.sha256, text.text, everything), align).alignment

    def _part(self, recording: Recording, text: Transcript, words: Range, times: Times) -> Passages:
        """A passage with at least these words, looked for where they are said to be."""
        first, last = words

        def align() -> Passages:
            timed = [TimedWord(word, *ends) for word, ends in zip(text.spoken, times, strict=True)]
            choices = self._choices(text.spoken[max(0, first - NEARBY) : last + NEARBY])
            window = align_window(self.aligner, recording, timed, choices, first, last - 1, BESIDE)
            start = window.start / recording.sample_rate
            found = tuple(later(word, start) for word in window.alignment.words)
            end = window.first + len(window.alignment.spoken)
            return Passages(Alignment(found, recording.seconds), ((window.first, end),))

        return self._once((recording.sha256, text.text, words), align)

    def _align(self, samples: np.ndarray, rate: int, words: Sequence[str]) -> Alignment:
        return self.aligner.align(samples, rate, words, self._choices(words))

    def _choices(self, words: Sequence[str]) -> Pronunciations:
        return {word: self.pronouncer.candidates(word) for word in words}

    def _once(self, key: tuple[str, str, Range], align: Callable[[], Passages]) -> Passages:
        if key not in self._held:
            self._held[key] = align()
        self._held.move_to_end(key)
        while len(self._held) > REMEMBERED:
            self._held.popitem(last=False)
        return self._held[key]
