"""Are the new words audible? Each patch is aligned again in its context.

The built-in aligner, whichever one aligned the recording itself, gives every new word a confidence
(`alignment.confidence`), which is weighed against the words that it could be taken for. Words with
a low one are reported to the user and in edit.json.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from a3t.audio.output.patches import read_patched
from a3t.plan.edit_plan import Window
from a3t.rendering.edited import EditedRecording, WordScore
from a3t.spans import Span
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import Alignment, AlignmentError
from alignment.aligners.network_aligner import NetworkAligner
from alignment.arpabet import strip_stress
from alignment.confidence.rival_scores import fit_of
from alignment.network.phone_network import features, sequence_scores
from alignment.recognition.near_words import words_one_phone_apart
from alignment.waveform import model_waveform

# A word's log odds: an offset, and the weights of the aligner's and of the nats that it is ahead of
# its best rival, between bounds. Chosen with words of unseen voices (docs/log.md).
OFFSET, ALIGNED, AHEAD = 1.5, 0.3, 0.4
MAX_NATS, ENOUGH_NATS = 10.0, 3.0


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
    made = {word for k in window.edits for word in range(*result.plan.edits[k].new)}
    sequences = sequence_scores(features(model_waveform(mono, result.recording.sample_rate)))
    return {
        word: _against_rivals(aligned, k, pronouncer, sequences) if word in made else own.score
        for k, (word, own) in enumerate(zip(words, aligned.spoken, strict=True))
    }


def _against_rivals(
    aligned: Alignment, k: int, pronouncer: Pronouncer, sequences: np.ndarray
) -> float:
    """The confidence in spoken word ``k``: the aligner's, and by how much the word fits the sound
    better than the common words that are one phone apart from it do; the aligner's alone if there
    are none. ``sequences``: scores (T, 40) as `fit_of` takes them."""
    word = aligned.spoken[k]
    said = tuple(strip_stress(phone.symbol) for phone in word.phones)
    choices = pronouncer.choices([word.text])[word.text]
    own = {said, *(tuple(map(strip_stress, way)) for way in choices)}
    rivals = words_one_phone_apart(own)
    if not rivals:
        return word.score
    texts = [sorted(own), *(sorted(ways) for ways in rivals.values())]
    fit, *others = fit_of(aligned, (k, k + 1), texts, sequences)
    ahead = min(max(fit - max(others), -MAX_NATS), ENOUGH_NATS)
    score = min(max(word.score, 0.001), 0.999)
    odds = OFFSET + ALIGNED * math.log(score / (1 - score)) + AHEAD * ahead
    return round(1 / (1 + math.exp(-odds)), 4)


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
