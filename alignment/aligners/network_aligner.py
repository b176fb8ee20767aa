"""The default aligner: the phone network, and one search through every way to say the text.

What nobody wrote is part of the search (alignment.network.graph): a filled pause, a repetition or a
noise between two words is named and has its own time (alignment.aligners.path_times).
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from functools import partial
from itertools import groupby

import numpy as np

from alignment.aligner import InMemory, Pronunciations, Readable, require_room, stress_of
from alignment.aligners.path_times import on_the_clock, part_of
from alignment.confidence.scores import (
    matches,
    mismatch,
    require_match,
    require_speech,
    score_words,
    sounds_borne_out,
)
from alignment.fillers import HESITATIONS
from alignment.long.whole import align_long
from alignment.network.acoustics import Acoustics
from alignment.network.boundaries import with_spreads
from alignment.network.graph import (
    FILLER,
    MIN_PHONE_FRAMES,
    NOISE,
    NOTHING_UNWRITTEN,
    REPEAT,
    SILENCE,
    WORD,
    Costs,
    Graph,
    Visit,
)
from alignment.network.phone_network import STEP_FRAMES, in_steps
from alignment.result import Alignment
from alignment.waveform import model_waveform

LONG_S = 60.0  # a search keeps every state of the text for every frame
HASTY = 1.5  # times as long as phones last at least; in less a phone can be as short as a frame
# What the larger network's scores of sequences count for in the search, against the smaller one's
# posteriors: chosen with graph.Costs.
SEQUENCE_WEIGHT = 0.75
# What nobody wrote, as the scores of sequences alone are searched for it, and as it is looked for
# where they have it. Chosen with sounds planted in clips that nothing is reported of.
JOINED_COST = 6.0
GENEROUS = Costs(4.0, 4.0, 4.0, 10.0, 1.0, held=4.0, joined=JOINED_COST, late=4.0)
EXPECTED = {
    FILLER: Costs(filler=2.0, held=2.0, joined=JOINED_COST),
    REPEAT: Costs(repeat=2.0, broken=2.0, joined=JOINED_COST),
    NOISE: Costs(noise=10.0, joined=JOINED_COST),
}
# Where they have nothing, little is looked for: what is only there when both networks are asked is
# more often a word in noise.
UNEXPECTED = Costs(filler=np.inf, broken=np.inf, noise=55.0)
ISOLATION_FRAMES = 5  # frames of silence on either side of what stands alone


class NetworkAligner:
    """The default aligner: phone posteriors, one Viterbi search, and the boundary network.

    ``workers`` processes share what is longer than `LONG_S`. Keeps nothing from one recording to
    the next: the same input gives the same result.
    """

    name = "network"

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def align(
        self,
        samples: np.ndarray,
        sample_rate: int,
        words: Sequence[str],
        pronunciations: Pronunciations,
        check: bool = True,
    ) -> Alignment:
        """Time the words and phones of `samples` (mono, float, (n,), 8 kHz or more), in seconds.

        The result's `spoken` has one word for each of `words`, with the phones of one of its
        `pronunciations`, stress as handed in. With `check`, a recording that doesn't match the
        words is refused; without, the scores say so. Raises AlignmentError with one sentence.
        """
        if np.ndim(samples) == 1 and len(samples) > LONG_S * sample_rate:
            recording = InMemory(np.asarray(samples), sample_rate)
            return self.align_recording(recording, words, pronunciations, check)
        return self._align_short(samples, sample_rate, words, pronunciations, check)

    def align_recording(
        self,
        recording: Readable,
        words: Sequence[str],
        pronunciations: Pronunciations,
        check: bool = True,
    ) -> Alignment:
        """Align without ever holding a long recording in memory: see alignment.long."""
        if recording.samples <= LONG_S * recording.sample_rate:
            rate = recording.sample_rate
            return self.align(recording.mono(), rate, words, pronunciations, check)
        every = zip(words, stress_of(words, pronunciations), strict=True)
        usable = {word: list(candidates.values()) for word, candidates in every}
        # Not `align`: a piece may be longer than LONG_S, and must not be cut up again.
        align = partial(NetworkAligner()._align_short, check=False)
        alignment = align_long(align, recording, words, usable, self.workers)
        if check:
            require_match(alignment)
        return alignment

    def _align_short(
        self,
        samples: np.ndarray,
        sample_rate: int,
        words: Sequence[str],
        pronunciations: Pronunciations,
        check: bool,
    ) -> Alignment:
        """Align what is short enough for one search."""
        waveform = model_waveform(samples, sample_rate)
        stressed = stress_of(words, pronunciations)
        duration = len(samples) / sample_rate
        require_room(stressed, duration)
        sound = Acoustics.of(waveform)
        if check:
            require_speech(sound.scores)
        candidates = [list(each.values()) for each in stressed]
        held = {number for number, word in enumerate(words) if word in HESITATIONS}
        unwritten = expected_unwritten(candidates, sound.sequences, held)
        scores = searched(sound.scores, sound.sequences)

        def scored(costs: Costs, before_words: Mapping[int, Costs]) -> Alignment:
            visits = best_path(candidates, scores, costs, before_words, held)
            if visits is None:
                raise mismatch(words, ())
            timed = on_the_clock(last_said(visits), words, candidates, sound, duration)
            return score_words(timed, sound.scores, sound.sequences)

        alignment = scored(UNEXPECTED, unwritten)
        borne_out = sounds_borne_out(alignment)
        if not all(borne_out.values()):
            # Nowhere else either: the sound would only move to the next word.
            places = [number for number, kept in borne_out.items() if kept]
            kept_costs = {number: unwritten.get(number, UNEXPECTED) for number in places}
            without = scored(NOTHING_UNWRITTEN, kept_costs)
            # A text that fits only beside such sounds is spoken in a way the networks don't know.
            alignment = without if matches(without) else alignment
        if check:
            require_match(alignment)
        return with_spreads(alignment, sound.scores)


def searched(posteriors: np.ndarray, sequences: np.ndarray) -> np.ndarray:
    """Return the scores to search by, (T, 40), nats: both networks, each below its likeliest phone.

    The larger one knows better which of two ways to say the text is the one that is heard. Where
    the boundaries on that way are is left to the ``posteriors`` of the smaller one.
    """
    return _below_best(posteriors) + SEQUENCE_WEIGHT * _below_best(sequences)


def _below_best(scores: np.ndarray) -> np.ndarray:
    return np.asarray(scores - scores.max(axis=1, keepdims=True))


def best_path(
    candidates: Sequence[Sequence[tuple[str, ...]]],
    scores: np.ndarray,
    costs: Costs | None = None,
    before_words: Mapping[int, Costs] | None = None,
    held: Container[int] = (),
    step: int = 1,
) -> list[Visit] | None:
    """Return the likeliest way to say words, each with its ``candidates``; None without room.

    ``costs``, ``before_words``, ``held`` and ``step`` are as `Graph.of` takes them.
    """
    phones = sum(min(map(len, each)) for each in candidates)
    shortest = math.ceil(MIN_PHONE_FRAMES / step)
    hasty = len(scores) < HASTY * shortest * phones
    graph = Graph.of(candidates, costs, 1 if hasty else shortest, before_words, held, step)
    return graph.best_path(scores)


def expected_unwritten(
    candidates: Sequence[Sequence[tuple[str, ...]]],
    sequences: np.ndarray,
    held: Container[int] = (),
) -> dict[int, Costs]:
    """Return the words before which something unwritten is heard, with the costs to search for it.

    The scores of sequences alone tell best whether it is there.
    """
    steps = _below_best(in_steps(sequences, STEP_FRAMES))
    visits = best_path(candidates, steps, GENEROUS, held=held, step=STEP_FRAMES) or []
    kinds = {visit.state.word: visit.state.kind for visit in visits if visit.state.kind in EXPECTED}
    return {word: EXPECTED[kind] for word, kind in kinds.items()}


def last_said(visits: Sequence[Visit]) -> list[Visit]:
    """Keep the second of a word said alone and again at the start of what follows.

    The first was broken off.
    """
    result = list(visits)
    places = range(len(visits))
    runs = [[*run] for _, run in groupby(places, lambda place: part_of(visits[place]))]
    for before, word, after, again, then in zip(*(runs[k:] for k in range(5)), strict=False):
        kinds = [visits[run[0]].state.kind for run in (before, word, after, again, then)]
        said = visits[again[0]].state
        alone = all(
            visits[run[0]].stop - visits[run[0]].start >= ISOLATION_FRAMES
            for run in (before, after)
        )
        if kinds != [SILENCE, WORD, SILENCE, REPEAT, WORD] or not said.pronunciation or not alone:
            continue
        number = visits[word[0]].state.word
        for place in word:
            state = visits[place].state._replace(kind=REPEAT, pronunciation=0)
            result[place] = visits[place]._replace(state=state)
        for place in again:
            state = visits[place].state._replace(
                kind=WORD, word=number, pronunciation=said.pronunciation - 1
            )
            result[place] = visits[place]._replace(state=state)
    return result
