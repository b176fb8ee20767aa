"""What of a recording is aligned for an edit: all of it, or of a long one what lies around."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from a3t import __version__
from a3t.audio.recording import Recording
from a3t.passages import LONG, Passages, Range, cut, joined, ranges_around, stretches
from a3t.plan.script import Script
from a3t.remembered import RememberedAlignments
from a3t.text.g2p import Pronouncer
from a3t.text.transcript import Transcript
from a3t.timed_text import times_of
from a3t.transcripts import Found
from alignment.aligner import Aligner
from alignment.records import Alignment

REMEMBERED = 8  # alignments held in memory, so that a plan and its edit align once
ALIGNED_AT = 16_000  # Hz that a long recording is read at; the aligner's own


class Known:
    """Aligns what an edit needs and remembers it; long recordings also in a folder, if there is
    one."""

    def __init__(self, aligner: Aligner, pronouncer: Pronouncer, folder: Path | None) -> None:
        self.aligner, self.pronouncer = aligner, pronouncer
        self._held: OrderedDict[tuple[str, str, Range], Alignment] = OrderedDict()
        self._kept = RememberedAlignments(folder)

    def around(self, recording: Recording, found: Found, script: Script) -> Passages:
        """The alignment around the script's edits; of a short recording, or without edits, all of
        it.

        A long recording whose words' times are known is aligned there alone, one of which nothing
        is known as a whole. Raises AlignmentError if the words are not the recording's.
        """
        text, whole = found.transcript, (0, len(found.transcript.words))
        if recording.seconds <= LONG or not script.edits:
            return Passages(found.alignment or self.whole(recording, text), (whole,))
        if found.alignment is None and found.times is not None:
            ranges = ranges_around(script, found.times)
            parts = stretches(ranges, found.times, recording.seconds)
            aligned = [
                self._part(recording, text, words, seconds)
                for words, seconds in zip(ranges, parts, strict=True)
            ]
            starts = [start for start, _ in parts]
            return Passages(joined(aligned, starts, recording.seconds), ranges)
        alignment = found.alignment or self.whole(recording, text)
        return cut(alignment, ranges_around(script, times_of(alignment)))

    def whole(self, recording: Recording, text: Transcript) -> Alignment:
        """The alignment of all of a recording."""
        key = (recording.sha256, text.text, (0, len(text.words)))
        if key in self._held:
            return self._remember(key, self._held[key])
        if recording.seconds <= LONG:
            samples = recording.mono()
            return self._remember(key, self._align(samples, recording.sample_rate, text.spoken))
        known_as = (recording.sha256, text.spoken, f"{self.aligner.name} {__version__}")
        aligned = self._kept.get(*known_as)
        if aligned is None:
            samples = recording.mono(sample_rate=ALIGNED_AT)
            aligned = self._align(samples, ALIGNED_AT, text.spoken)
            self._kept.put(*known_as, aligned)
        return self._remember(key, aligned)

    def _part(
        self, recording: Recording, text: Transcript, words: Range, seconds: tuple[float, float]
    ) -> Alignment:
        """The alignment of some words in a stretch of the recording, on the stretch's clock."""
        key = (recording.sha256, text.text, words)
        if key not in self._held:
            rate = recording.sample_rate
            first, last = (min(round(time * rate), recording.samples) for time in seconds)
            samples = recording.mono(first, last)
            self._held[key] = self._align(samples, rate, text.spoken[slice(*words)])
        return self._remember(key, self._held[key])

    def _align(self, samples: np.ndarray, rate: int, words: Sequence[str]) -> Alignment:
        choices = {word: self.pronouncer.candidates(word) for word in words}
        return self.aligner.align(samples, rate, words, choices)

    def _remember(self, key: tuple[str, str, Range], aligned: Alignment) -> Alignment:
        self._held[key] = aligned
        self._held.move_to_end(key)
        while len(self._held) > REMEMBERED:
            self._held.popitem(last=False)
        return aligned
