"""PocketSphinx, embedded, with its boundaries refined and its words judged by a small network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from alignment.aligner import Pronunciations
from alignment.aligners.by_pieces import AlignerByPieces
from alignment.aligners.decoder import (
    FRAME_SECONDS,
    DecodedWord,
    NoPathError,
    force_align,
    phone_loop,
)
from alignment.aligners.lookup import require_room, stress_of
from alignment.aligners.phone_loop import PhoneLoop, word_score
from alignment.aligners.refinement import Acoustics, align_by_network, refine
from alignment.arpabet import Pronunciation
from alignment.confidence.scores import (
    ALONE,
    BOTH,
    mismatch,
    require_match,
    require_speech,
    score_words,
)
from alignment.errors import AlignmentError
from alignment.network.phone_network import SMALL_WEIGHTS, load_weights
from alignment.result import Alignment, Phone, Word, pause
from alignment.waveform import model_waveform

# A frame is 25.6 ms long and stands at its own start in PocketSphinx's count: the boundary before
# frame t lies half a hop before the frame's centre, at 10 t + 12.8 - 5 ms.
BOUNDARY_OFFSET = 0.0078


class PocketSphinxAligner(AlignerByPieces):
    """Two passes of PocketSphinx: words with a choice of pronunciations, then their phones.

    The boundaries are then refined (alignment.aligners.refinement) and the words judged
    (alignment.confidence) by a small network, which also takes over where PocketSphinx finds no
    path. Keeps nothing from one recording to the next: the same input gives the same result.
    """

    name = "pocketsphinx"

    def _align_short(
        self,
        samples: np.ndarray,
        sample_rate: int,
        words: Sequence[str],
        pronunciations: Pronunciations,
        check: bool,
    ) -> Alignment:
        waveform = model_waveform(samples, sample_rate)
        stressed = stress_of(words, pronunciations)
        duration = len(samples) / sample_rate
        require_room(stressed, duration)
        weights = load_weights(SMALL_WEIGHTS)
        sound = Acoustics.of(waveform, weights)
        if check:
            require_speech(sound.scores)
        try:
            first = _first(waveform, words, stressed, duration)
        except AlignmentError:
            phones = [next(iter(candidates.values())) for candidates in stressed]
            alone = align_by_network(words, phones, duration, sound)
            if alone is None:
                raise
            alignment = score_words(alone, sound.scores, ALONE, weights)
        else:
            alignment = score_words(refine(first, sound), sound.scores, BOTH, weights)
        if check:
            require_match(alignment)
        return alignment


def first_alignment(
    waveform: np.ndarray, words: Sequence[str], pronunciations: Pronunciations, duration: float
) -> Alignment:
    """PocketSphinx's part of `align`, neither refined nor judged: for train_boundaries.

    `waveform` as alignment.waveform.model_waveform makes it of a recording of `duration` seconds.
    """
    return _first(waveform, words, stress_of(words, pronunciations), duration)


def _first(
    waveform: np.ndarray,
    words: Sequence[str],
    stressed: Sequence[dict[Pronunciation, tuple[str, ...]]],
    duration: float,
) -> Alignment:
    try:
        found = force_align(waveform, [tuple(candidates) for candidates in stressed])
        loop = phone_loop(waveform)
    except NoPathError as error:
        raise mismatch(words, ()) from error
    return _on_the_clock(found, PhoneLoop(loop), words, stressed, duration)


def _on_the_clock(
    found: Sequence[DecodedWord],
    heard: PhoneLoop,
    words: Sequence[str],
    stressed: Sequence[dict[Pronunciation, tuple[str, ...]]],
    duration: float,
) -> Alignment:
    """Frames as seconds that cover [0, duration]: pauses joined, stress restored, scored."""
    last_frame = found[-1].stop

    def seconds(frame: int) -> float:
        if frame <= 0:
            return 0.0
        if frame >= last_frame:
            return duration
        return min(round(frame * FRAME_SECONDS + BOUNDARY_OFFSET, 4), duration)

    result: list[Word] = []
    quiet_from = 0
    for word in found:
        if word.index < 0:
            if result and result[-1].is_pause:
                result.pop()
            else:
                quiet_from = word.start
            silence = round(heard.silence(quiet_from, word.stop), 4)
            result.append(pause(seconds(quiet_from), seconds(word.stop), silence))
            continue
        symbols = stressed[word.index][word.pronunciation]
        phones = tuple(
            Phone(
                symbol,
                seconds(phone.start),
                seconds(phone.start + phone.frames),
                word_score(heard.evidence([phone])),
            )
            for symbol, phone in zip(symbols, word.phones, strict=True)
        )
        score = word_score(heard.evidence(word.phones))
        result.append(Word(words[word.index], phones[0].start, phones[-1].end, score, phones))
    return Alignment(tuple(result), duration)
