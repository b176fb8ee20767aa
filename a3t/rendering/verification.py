"""Are the new words there? Each patch is aligned again, as a listener would hear it.

The built-in aligner, whichever placed the recording's own words, says of every new word how well it
fits the sound (`alignment.confidence`). One that it does not hear is named in edit.json and to the
person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from a3t.audio.patches import Patch, read_patched
from a3t.audio.recording import Recording
from a3t.grid import samples_of
from a3t.plan.places import WordFrames
from a3t.plan.records import EditPlan, Window
from a3t.records import HeardWord
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.aligners.pocketsphinx import PocketSphinxAligner


@dataclass(frozen=True)
class _Stretch:
    """A window of the edited speech: its samples in the output and its words in the new text."""

    samples: tuple[int, int]
    words: tuple[int, ...]


def hear(
    recording: Recording,
    patches: Sequence[Patch],
    plan: EditPlan,
) -> tuple[tuple[HeardWord, ...], ...]:
    """For each of the plan's edits its new words with the aligner's confidence, 0 to 1.

    ``patches`` has one for each edit, in their order. Below 0.5 a word is doubtful; where nothing
    at all can be aligned, all are 0.
    """
    pronouncer = Pronouncer(dict(plan.asked.pronunciations))
    heard: list[tuple[HeardWord, ...]] = [() for _ in plan.edits]
    for window in plan.windows:
        stretch = _stretch(recording, patches, plan, window)
        scores = _scores(recording, patches, plan, stretch, pronouncer)
        for k in window.edits:
            heard[k] = tuple(
                HeardWord(plan.new_text.spoken[word], scores[word])
                for word in range(*plan.edits[k].new)
            )
    return tuple(heard)


def _stretch(
    recording: Recording, patches: Sequence[Patch], plan: EditPlan, window: Window
) -> _Stretch:
    frames = WordFrames.of(plan.phones, len(plan.text.spoken), plan.frames)
    words: list[int] = []
    for k in window.edits:
        words.extend(range(*plan.edits[k].new))
    for old, (first, last) in enumerate(frames.spans):
        gone = any(edit.old[0] <= old < edit.old[1] for edit in plan.edits)
        if not gone and window.source[0] <= first and last <= window.source[1]:
            shift = sum(
                (edit.new[1] - edit.new[0]) - (edit.old[1] - edit.old[0])
                for edit in plan.edits
                if edit.old[1] <= old
            )
            words.append(old + shift)
    rate = recording.sample_rate
    first, last = (min(samples_of(frame, rate), recording.samples) for frame in window.source)
    # Edits before the window move both its ends, those in it its end alone.
    first += sum(patch.growth for patch in patches[: window.edits[0]])
    last += sum(patch.growth for patch in patches[: window.edits[-1] + 1])
    return _Stretch((max(0, first), last), tuple(sorted(words)))


def _scores(
    recording: Recording,
    patches: Sequence[Patch],
    plan: EditPlan,
    stretch: _Stretch,
    pronouncer: Pronouncer,
) -> dict[int, float]:
    spoken = [plan.new_text.spoken[word] for word in stretch.words]
    samples = read_patched(recording, patches, *stretch.samples).mean(axis=1).astype(np.float32)
    try:
        aligned = PocketSphinxAligner().align(
            samples, recording.sample_rate, spoken, pronouncer.choices(spoken), check=False
        )
    except AlignmentError:  # nothing that sounds like these words
        return dict.fromkeys(stretch.words, 0.0)
    return {w: word.score for w, word in zip(stretch.words, aligned.spoken, strict=True)}
