"""The melody of the new words, where it departs from the predicted one.

It is drawn by the seed, so that takes of one edit differ as a speaker's would. The network predicts
the middle of what could have been said. How far recorded pitch lies from that was measured on
held-out clips (docs/log.md): a few words as a whole are 1.2 semitones off, and within them it
wanders by 1.7 semitones, slowly. A drawn melody departs from the predicted one in the same way, but
by 0.7 times as much, and not at its ends, where it has to meet the recording.

Words that end a question rise: the network sees phones and no punctuation, so it can't know.
"""

from __future__ import annotations

import numpy as np

from a3t.plan.edit_plan import PlannedPhone
from a3t.plan.windows import WindowFrames
from a3t.text.phones import is_vowel
from a3t.text.transcript import Transcript, question_ends
from alignment.boolean_runs import runs_of

SHARE = 0.7  # of the deviations measured
WHOLE, WITHIN = 0.10, 0.14  # octaves, standard deviations: of a run of frames, and within it
SLOW = 9  # frames, the deviation of the Gaussian by which pitches within a run correlate
ENDS = 5  # frames over which a run's ends return to the predicted melody
PREDICTED = 0  # the seed that leaves the melody as it is
# Octaves requested at the end of the last word; the result has a quarter to a third of them.
RISE = 0.44


def melody(text: Transcript, window: WindowFrames, seed: int) -> np.ndarray | None:
    """(N,) octaves to add to the predicted pitch of a window's new words, None for none."""
    shifts = rises(text, window), drawn_melody(window.masked, seed)
    known = [shift for shift in shifts if shift is not None]
    return np.sum(known, axis=0) if known else None


def drawn_melody(masked: np.ndarray, seed: int) -> np.ndarray | None:
    """(N,) octaves to add to the predicted pitch of the masked frames (N,) bool, None for the seed
    that draws none; the same for a seed."""
    if seed == PREDICTED:
        return None
    result = np.zeros(len(masked))
    for first, last in runs_of(masked):
        draw = np.random.default_rng([seed, first])
        length = last - first
        # Noise smoothed to a correlation of that deviation, and of variance 1.
        kernel = np.exp(-np.square(np.arange(-3 * SLOW, 3 * SLOW + 1) / SLOW))
        kernel /= np.sqrt(np.square(kernel).sum())
        noise = draw.standard_normal(length + len(kernel) - 1)
        own = WHOLE * draw.standard_normal() + WITHIN * np.convolve(noise, kernel, "valid")
        place = np.arange(length)
        near = np.minimum(place + 1, length - place) / ENDS
        result[first:last] = SHARE * own * np.minimum(near, 1.0)
    return result


def rises(text: Transcript, window: WindowFrames) -> np.ndarray | None:
    """(N,) octaves by which the frames of a window's new words rise, None where none of them ends a
    question: from its last stressed vowel on to its end."""
    ends = question_ends(text)
    if not ends:
        return None
    result = np.zeros(len(window.masked))
    starts = np.cumsum([0, *(phone.frames for phone in window.phones)])
    for word in ends:
        own = [
            k
            for k, phone in enumerate(window.phones)
            if isinstance(phone, PlannedPhone) and phone.word == word
        ]
        if own:
            nucleus = _nucleus([window.phones[k].symbol for k in own])
            first, last = int(starts[own[nucleus]]), int(starts[own[-1] + 1])
            result[first:last] = RISE * (np.arange(last - first) + 1) / (last - first)
    return result if result.any() else None


def _nucleus(symbols: list[str]) -> int:
    """The place of the last stressed vowel, or else of the last one, or 0."""
    vowels = [k for k, symbol in enumerate(symbols) if is_vowel(symbol)]
    stressed = [k for k in vowels if symbols[k][-1] in "12"]
    return (stressed or vowels or [0])[-1]
