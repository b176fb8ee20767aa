"""Are the new words audible? Each patch is aligned again in its context.

The built-in aligner, whichever one aligned the recording itself, gives every new word a confidence
(`alignment.confidence`). Words with a low one are reported to the user and in edit.json.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from a3t.audio.output.patches import read_patched
from a3t.plan.edit_plan import Window
from a3t.plan.edit_sites import WordFrames
from a3t.rendering.edited import EditedRecording, WordScore
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.aligners.network_aligner import NetworkAligner


@dataclass(frozen=True)
class _Stretch:
    """A window of the edited speech: its samples in the output and its words in the new text."""

    samples: tuple[int, int]
    words: tuple[int, ...]


def verify(result: EditedRecording) -> EditedRecording:
    """The result with the aligner's confidence, 0 to 1, for each new word of each edit.

    All are 0 where the words can't be aligned at all.
    """
    plan = result.plan
    pronouncer = Pronouncer(dict(plan.request.pronunciations))
    scores: list[tuple[WordScore, ...]] = [() for _ in plan.edits]
    for window in plan.windows:
        confidences = _confidences(result, _stretch(result, window), pronouncer)
        for k in window.edits:
            scores[k] = tuple(
                WordScore(plan.new_text.spoken[word], confidences[word])
                for word in range(*plan.edits[k].new)
            )
    return replace(result, scores=tuple(scores))


def _stretch(result: EditedRecording, window: Window) -> _Stretch:
    plan, source = result.plan, result.recording
    frames = WordFrames.of(plan.phones, len(plan.text.spoken), plan.frames)
    words = [word for k in window.edits for word in range(*plan.edits[k].new)]
    for kept in result.map.words.kept():
        for old in range(*kept.source):
            first, last = frames.spans[old]
            if window.source[0] <= first and last <= window.source[1]:
                words.append(kept.output[0] + old - kept.source[0])
    first, last = source.samples_in(window.source)
    # Edits before the window shift both its ends, those within it only its end.
    shifts = result.map.samples.shifts
    first += shifts[window.edits[0]]
    last += shifts[window.edits[-1] + 1]
    return _Stretch((max(0, first), last), tuple(sorted(words)))


def _confidences(
    result: EditedRecording, stretch: _Stretch, pronouncer: Pronouncer
) -> dict[int, float]:
    spoken = [result.plan.new_text.spoken[word] for word in stretch.words]
    sound = read_patched(result.recording, result.patches, *stretch.samples)
    mono = sound.mean(axis=1).astype(np.float32)
    try:
        aligned = NetworkAligner().align(
            mono, result.recording.sample_rate, spoken, pronouncer.choices(spoken), check=False
        )
    except AlignmentError:  # nothing in it sounds like these words
        return dict.fromkeys(stretch.words, 0.0)
    return {w: word.score for w, word in zip(stretch.words, aligned.spoken, strict=True)}
