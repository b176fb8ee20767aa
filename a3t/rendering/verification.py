"""Checks of what is heard in a result: new words, and none that was muted.

Each place is aligned again in its context, by the built-in aligner, whichever one aligned the
recording itself. It gives every new word a confidence (`alignment.confidence`), which is weighed
against the words that it could be taken for. Where Whisper is there, it hears the place as well,
and a word that it hears otherwise is in doubt. Words with a low confidence are reported to the user
and in edit.json.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from a3t.audio.output.patches import read_patched
from a3t.grid import frames_of
from a3t.plan.edit_plan import EditPlan, PlannedEdit, Window
from a3t.plan.request import NAMED, Cut
from a3t.rendering.edited import EditedRecording, WordScore
from a3t.spans import Span
from a3t.text.comparison.edit_script import edit_script
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import spoken_words
from alignment import Alignment, AlignmentError
from alignment.aligners.network_aligner import NetworkAligner
from alignment.arpabet import strip_stress
from alignment.confidence.rival_scores import fit_of
from alignment.network.phone_network import features, sequence_scores
from alignment.recognition import whisper_model
from alignment.recognition.ngrams import words_one_phone_apart
from alignment.recognition.whisper import LONGEST_S, load_whisper
from alignment.result import DOUBTFUL_BELOW
from alignment.waveform import model_waveform

# A word's log odds: an offset, and the weights of the aligner's and of the nats that it is ahead of
# its best rival, between bounds. Chosen with words of unseen voices (docs/log.md).
HEARD_OFFSET, ALIGNED_WEIGHT, AHEAD_WEIGHT = 1.5, 0.3, 0.4
MAX_NATS, ENOUGH_NATS = 10.0, 3.0
MISHEARD_CONFIDENCE = 0.3  # the most confidence in a word that Whisper hears otherwise
WORDS_BESIDE = 3  # words on either side of hidden ones, which place them


def verify(result: EditedRecording) -> EditedRecording:
    """Return the result with the aligner's confidence, 0 to 1, for each new word of each edit.

    All are 0 where the words can't be aligned at all.
    """
    plan = result.plan
    pronouncer = plan.request.pronouncer
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
    """Return the confidence in each word of a window of the result, by its number in the text."""
    words = _words_in(result, window)
    spoken = [result.plan.new_text.spoken[word] for word in words]
    mono = _mono(result, _samples_of(result, window))
    aligned = _aligned(result, mono, spoken, pronouncer)
    if aligned is None:
        return dict.fromkeys(words, 0.0)
    made = {word for k in window.edits for word in range(*result.plan.edits[k].new)}
    sequences = sequence_scores(features(model_waveform(mono, result.recording.sample_rate)))
    scores = {
        word: _against_rivals(aligned, k, pronouncer, sequences)
        if word in made
        else aligned_word.score
        for k, (word, aligned_word) in enumerate(zip(words, aligned.spoken, strict=True))
    }
    heard = _heard_by_whisper(mono, result, spoken, pronouncer)
    for word, is_heard in zip(words, heard, strict=False):
        sure = DOUBTFUL_BELOW if is_heard else MISHEARD_CONFIDENCE
        scores[word] = max(scores[word], sure) if is_heard else min(scores[word], sure)
    return scores


def _heard_by_whisper(
    mono: np.ndarray, result: EditedRecording, spoken: Sequence[str], pronouncer: Pronouncer
) -> list[bool]:
    """Return which spoken words Whisper hears in a part (n,) of the result; [] without Whisper."""
    rate = result.recording.sample_rate
    try:
        folder = whisper_model(result.plan.request.recogniser)
        if folder is None or len(mono) > LONGEST_S * rate:
            return []
        text = load_whisper(folder).hear(mono, rate)
    except AlignmentError:
        return []
    return heard_alike(spoken, spoken_words(text), pronouncer)


def heard_alike(spoken: Sequence[str], heard: Sequence[str], pronouncer: Pronouncer) -> list[bool]:
    """Return which spoken words are among those heard, or sound like what stands in their place."""
    choices = pronouncer.choices([*spoken, *heard])
    alike = [True] * len(spoken)

    def phones(words: Sequence[str]) -> str:
        return " ".join(strip_stress(phone) for word in words for phone in choices[word][0])

    for edit in edit_script(spoken, heard):
        if phones(spoken[slice(*edit.old)]) != phones(heard[slice(*edit.new)]):
            alike[slice(*edit.old)] = [False] * (edit.old[1] - edit.old[0])
    return alike


def _against_rivals(
    aligned: Alignment, k: int, pronouncer: Pronouncer, sequences: np.ndarray
) -> float:
    """Return the confidence in spoken word ``k``, compared with its rivals.

    These are the common words that are one phone apart from it: it is the aligner's confidence, and
    by how much the word fits the sound better than they do; the aligner's alone if there are none.
    ``sequences``: scores (T, 40) as `fit_of` takes them.
    """
    word = aligned.spoken[k]
    said = tuple(strip_stress(phone.symbol) for phone in word.phones)
    choices = pronouncer.choices([word.text])[word.text]
    ways_to_say = {said, *(tuple(map(strip_stress, way)) for way in choices)}
    rivals = words_one_phone_apart(ways_to_say)
    if not rivals:
        return word.score
    texts = [sorted(ways_to_say), *(sorted(ways) for ways in rivals.values())]
    fit, *others = fit_of(aligned, (k, k + 1), texts, sequences)
    ahead = min(max(fit - max(others), -MAX_NATS), ENOUGH_NATS)
    score = min(max(word.score, 0.001), 0.999)
    odds = HEARD_OFFSET + ALIGNED_WEIGHT * math.log(score / (1 - score)) + AHEAD_WEIGHT * ahead
    return round(1 / (1 + math.exp(-odds)), 4)


def _mono(result: EditedRecording, span: Span) -> np.ndarray:
    """Return samples of the result, (n,) float32."""
    sound = read_patched(result.recording, result.patches, span[0], max(span))
    return np.asarray(sound.mean(axis=1), np.float32)


def _aligned(
    result: EditedRecording, mono: np.ndarray, spoken: Sequence[str], pronouncer: Pronouncer
) -> Alignment | None:
    """Align the words in a part (n,) of the result; None if nothing in it sounds like them."""
    rate, choices = result.recording.sample_rate, pronouncer.choices(spoken)
    try:
        return NetworkAligner().align(mono, rate, spoken, choices, check=False)
    except AlignmentError:
        return None


def _words_in(result: EditedRecording, window: Window) -> list[int]:
    """Return the new text's words in a window: its new ones, and those that are kept whole."""
    plan = result.plan
    words = [word for k in window.edits for word in range(*plan.edits[k].new)]
    for old, new in result.map.words.kept_places():
        first, last = plan.word_frames.spans[old]
        if window.source[0] <= first and last <= window.source[1]:
            words.append(new)
    return sorted(words)


def _samples_of(result: EditedRecording, window: Window) -> Span:
    """Return the samples of the result that stand for a window of the recording."""
    first, last = result.recording.samples_in(window.source)
    # Edits before the window shift both its ends, those within it only its end.
    shifts = result.map.samples.shifts
    return max(0, first + shifts[window.edits[0]]), last + shifts[window.edits[-1] + 1]


def hiding(plan: EditPlan, edit: PlannedEdit) -> Cut | None:
    """Return the cut that hides an edit's words; None for another edit."""
    for cut in plan.request.cuts:
        first, last = frames_of(cut.start), frames_of(cut.end)
        if cut.kind == NAMED and first < edit.source[1] and edit.source[0] < last:
            return cut
    return None


def hidden_words_warning(result: EditedRecording) -> str:
    """Return a sentence about the hidden words that may still be heard; "" if there are none."""
    words = ", ".join(f"“{each.word}”" for each in hidden_words_heard(result))
    return f"Listen to {words}: it may still be heard." if words else ""


def hidden_words_heard(result: EditedRecording) -> Iterator[WordScore]:
    """Yield the hidden words that the aligner finds where they were, as if they were said."""
    plan, output_of = result.plan, result.map.samples.output_of
    pronouncer, words = plan.request.pronouncer, plan.alignment.spoken
    for edit in plan.edits:
        if hiding(plan, edit) is None:
            continue
        first, last = (
            max(edit.old[0] - WORDS_BESIDE, 0),
            min(edit.old[1] + WORDS_BESIDE, len(words)),
        )
        begin, end = result.recording.samples_between(words[first].start, words[last - 1].end)
        mono = _mono(result, (output_of(begin), output_of(end)))
        if aligned := _aligned(result, mono, plan.text.spoken[first:last], pronouncer):
            for number, word in enumerate(aligned.spoken, first):
                if edit.old[0] <= number < edit.old[1] and word.score >= DOUBTFUL_BELOW:
                    yield WordScore(plan.text.spoken[number], word.score)
