"""Are the new words audible? Each patch is aligned again in its context.

The built-in aligner, whichever one aligned the recording itself, gives every new word a confidence
(`alignment.confidence`). Words with a low one are reported to the user and in edit.json.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from a3t.audio.output.patches import read_patched
from a3t.plan.edit_plan import Window
from a3t.rendering.edited import EditedRecording, WordScore
from a3t.spans import Span
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.aligners.network_aligner import NetworkAligner


def verify(result: EditedRecording) -> EditedRecording:
    """The result with the aligner's confidence, 0 to 1, for each new word of each edit.

    All are 0 where the words can't be aligned at all.
    """
    plan = result.plan
    pronouncer = Pronouncer(dict(plan.request.pronunciations))
    scores: list[tuple[WordScore, ...]] = [() for _ in plan.edits]
    for window in plan.windows:
        confidences = _confidences(result, window, pronouncer)
        for k in window.edits:
            scores[k] = tuple(
                WordScore(plan.new_text.spoken[word], confidences[word])
                for word in range(*plan.edits[k].new)
            )
    return replace(result, scores=tuple(scores))


def _confidences(
    result: EditedRecording, window: Window, pronouncer: Pronouncer
) -> dict[int, float]:
    """The confidence in each word of a window of the result, by its number in the new text."""
    words = _words_in(result, window)
    spoken = [result.plan.new_text.spoken[word] for word in words]
    sound = read_patched(result.recording, result.patches, *_samples_of(result, window))
    mono = sound.mean(axis=1).astype(np.float32)
    try:
        aligned = NetworkAligner().align(
            mono, result.recording.sample_rate, spoken, pronouncer.choices(spoken), check=False
        )
    except AlignmentError:  # nothing in it sounds like these words
        return dict.fromkeys(words, 0.0)
    return {word: own.score for word, own in zip(words, aligned.spoken, strict=True)}


def _words_in(result: EditedRecording, window: Window) -> list[int]:
    """The new text's words in a window: its new ones, and those that are kept whole."""
    plan = result.plan
    words = [word for k in window.edits for word in range(*plan.edits[k].new)]
    for old, new in result.map.words.kept_places():
        first, last = plan.word_frames.spans[old]
        if window.source[0] <= first and last <= window.source[1]:
            words.append(new)
    return sorted(words)


def _samples_of(result: EditedRecording, window: Window) -> Span:
    """The samples of the result that stand for a window of the recording."""
    first, last = result.recording.samples_in(window.source)
    # Edits before the window shift both its ends, those within it only its end.
    shifts = result.map.samples.shifts
    return max(0, first + shifts[window.edits[0]]), last + shifts[window.edits[-1] + 1]
