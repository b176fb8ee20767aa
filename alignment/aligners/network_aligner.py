"""The default aligner: the phone network, and one search through every way to say the text.

What nobody wrote is part of the search (alignment.network.graph): a filled pause, a repetition or a
noise between two words is named and has its own time.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from alignment.aligner import Pronunciations
from alignment.aligners.by_pieces import AlignerByPieces
from alignment.aligners.lookup import require_room, stress_of
from alignment.aligners.refinement import CHANGE_REACH, SHORTEST_PAUSE, apart, crossed
from alignment.confidence.boundary_confidence import with_spreads
from alignment.confidence.scores import (
    mismatch,
    require_match,
    require_speech,
    score_words,
)
from alignment.network.boundaries import Boundaries, changes, correct
from alignment.network.disfluency_states import Costs
from alignment.network.graph import (
    FILLER,
    NOISE,
    REPEAT,
    SHORTEST,
    SILENCE,
    WORD,
    Graph,
    Visit,
)
from alignment.network.phone_network import (
    INDEX,
    SYMBOLS,
    TOGETHER,
    features,
    in_steps,
    posteriors,
    posteriors_and_sequence_scores,
)
from alignment.result import PAUSE, Alignment, Phone, Word, pause
from alignment.waveform import model_waveform

HASTY = 1.5  # times as long as phones last at least; in less a phone can be as short as a frame

# What the larger network's scores of sequences count for in the search, against the smaller one's
# posteriors: chosen with graph.Costs.
SEQUENCES = 0.75

# What nobody wrote, as the scores of sequences alone are searched for it, and as it is looked for
# where they have it. Chosen with sounds planted in clips that nothing is reported of.
JOINED = 6.0
GENEROUS = Costs(4.0, 4.0, 4.0, 10.0, 1.0, held=4.0, joined=JOINED, late=4.0)
EXPECTED = {
    FILLER: Costs(filler=2.0, held=2.0, joined=JOINED),
    REPEAT: Costs(repeat=2.0, broken=2.0, joined=JOINED),
    NOISE: Costs(noise=10.0, joined=JOINED),
}
# Where they have nothing, little is looked for: what is only there when both networks are asked is
# more often a word in noise.
ELSEWHERE = Costs(filler=np.inf, broken=np.inf, noise=55.0)
HESITATIONS = frozenset("um uh uhm umm uhh er erm ah eh hm hmm mm mhm".split())
ALONE = 5  # frames of silence on either side of what stands alone

NAMES = {SILENCE: "", FILLER: "<um>", REPEAT: "<repeat>", NOISE: "<noise>"}


@dataclass(frozen=True, slots=True)
class Acoustics:
    """Both networks' outputs for a recording.

    frames: (K, BANDS). scores: the phone network's log posteriors, (T, 40). second: the sequence
    network's, which count where boundaries are corrected. sequences: its scores of sequences,
    (T, 40).
    """

    frames: np.ndarray
    scores: np.ndarray
    second: np.ndarray
    sequences: np.ndarray

    @classmethod
    def of(cls, samples: np.ndarray) -> Acoustics:
        """`samples`: 16 kHz mono, (n,)."""
        frames = features(samples)
        return cls(frames, posteriors(frames), *posteriors_and_sequence_scores(frames))


class NetworkAligner(AlignerByPieces):
    """The phone network's posteriors, one Viterbi search, and the boundary network.

    Keeps nothing from one recording to the next: the same input gives the same result.
    """

    name = "network"

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
        sound = Acoustics.of(waveform)
        if check:
            require_speech(sound.scores)
        candidates = [list(each.values()) for each in stressed]
        held = {number for number, word in enumerate(words) if word in HESITATIONS}
        unwritten = expected_unwritten(candidates, sound.sequences, held)
        scores = searched(sound.scores, sound.sequences)
        visits = best_path(candidates, scores, ELSEWHERE, unwritten, held)
        if visits is None:
            raise mismatch(words, ())
        alignment = score_words(
            _on_the_clock(last_said(visits), words, candidates, sound, duration),
            sound.scores,
            sound.sequences,
        )
        if check:
            require_match(alignment)
        return with_spreads(alignment, sound.scores)


def searched(posteriors: np.ndarray, sequences: np.ndarray) -> np.ndarray:
    """The scores that the search goes by, (T, 40), nats: both networks, each below its
    likeliest phone.

    The larger one knows better which of two ways to say the text is the one that is heard. Where
    the boundaries on that way are is left to the `posteriors` of the smaller one.
    """
    return _below_best(posteriors) + SEQUENCES * _below_best(sequences)


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
    """The likeliest way to say words, each with its `candidates`; None when there is no room.
    `costs`, `before_words`, `held`, `step`: as `Graph.of` takes them."""
    phones = sum(min(map(len, each)) for each in candidates)
    shortest = math.ceil(SHORTEST / step)
    hasty = len(scores) < HASTY * shortest * phones
    graph = Graph.of(candidates, costs, 1 if hasty else shortest, before_words, held, step)
    return graph.best_path(scores)


def expected_unwritten(
    candidates: Sequence[Sequence[tuple[str, ...]]],
    sequences: np.ndarray,
    held: Container[int] = (),
) -> dict[int, Costs]:
    """Before which words the scores of sequences have something that nobody wrote, and the costs
    with which it is then looked for: alone they tell best whether it is there."""
    steps = _below_best(in_steps(sequences, TOGETHER))
    visits = best_path(candidates, steps, GENEROUS, held=held, step=TOGETHER) or []
    kinds = {visit.state.word: visit.state.kind for visit in visits if visit.state.kind in EXPECTED}
    return {word: EXPECTED[kind] for word, kind in kinds.items()}


def last_said(visits: Sequence[Visit]) -> list[Visit]:
    """Take the second of a word said alone and again at the start of what follows: the first was
    broken off."""
    result = list(visits)
    runs: list[list[int]] = []  # places of visits that belong together
    for place in range(len(visits)):
        if runs and _same(visits[place], visits[runs[-1][0]]):
            runs[-1].append(place)
        else:
            runs.append([place])
    for before, word, after, again, then in zip(*(runs[k:] for k in range(5)), strict=False):
        kinds = [visits[run[0]].state.kind for run in (before, word, after, again, then)]
        said = visits[again[0]].state
        alone = all(visits[run[0]].stop - visits[run[0]].start >= ALONE for run in (before, after))
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


def _on_the_clock(
    visits: Sequence[Visit],
    words: Sequence[str],
    candidates: Sequence[Sequence[tuple[str, ...]]],
    sound: Acoustics,
    duration: float,
) -> Alignment:
    """The best path in seconds, its boundaries refined, as words that cover [0, duration]."""
    visits, boundaries = boundaries_of(visits, sound, duration)
    moved = correct(boundaries, sound.frames, sound.scores, sound.second)
    edges = np.append(0.0, apart(np.append(moved, duration)))
    return Alignment(tuple(_words(visits, words, candidates, edges.round(4), duration)), duration)


def boundaries_of(
    visits: Sequence[Visit], sound: Acoustics, duration: float
) -> tuple[list[Visit], Boundaries]:
    """The states that are kept, and the boundaries between them before they are corrected: what
    training.alignment.train_boundaries learns from."""
    kept, starts = _kept(visits, _starts(visits, sound.scores), duration)
    found = starts[1:]
    times = changes(sound.frames, found, CHANGE_REACH) if len(found) else found
    return kept, Boundaries([_symbol(visit) for visit in kept], times, found, duration)


def _symbol(visit: Visit) -> str:
    """The visit's phone; anything else counts as a pause."""
    return SYMBOLS[visit.state.symbol] if visit.state.symbol < len(SYMBOLS) else PAUSE


def _starts(visits: Sequence[Visit], scores: np.ndarray) -> np.ndarray:
    """The start of each state, seconds, (m,): where the posteriors of two phones cross."""
    indices = np.array([INDEX[_symbol(visit)] for visit in visits])
    firsts = np.array([visit.start for visit in visits[1:]], dtype=int)
    if not len(firsts):
        return np.zeros(1)
    return np.append(0.0, crossed(scores, indices[:-1], indices[1:], firsts))


def _kept(
    visits: Sequence[Visit], starts: np.ndarray, duration: float
) -> tuple[list[Visit], np.ndarray]:
    """Without pauses that are too short to be one."""
    starts = starts.copy()
    ends = np.append(starts[1:], duration)
    kept: list[int] = []
    for place, visit in enumerate(visits):
        length = float(ends[place] - starts[place])
        inside = 0 < place < len(visits) - 1
        if visit.state.kind == SILENCE and length < SHORTEST_PAUSE and len(visits) > 1:
            if inside:
                starts[place + 1] -= length / 2
            elif place == 0:
                starts[1] = 0.0
            continue
        kept.append(place)
    return [visits[place] for place in kept], starts[kept]


def _words(
    visits: Sequence[Visit],
    words: Sequence[str],
    candidates: Sequence[Sequence[tuple[str, ...]]],
    edges: np.ndarray,
    duration: float,
) -> Iterator[Word]:
    edges[-1] = duration
    place = 0
    while place < len(visits):
        state = visits[place].state
        stop = place + 1
        while stop < len(visits) and _same(visits[stop], visits[place]):
            stop += 1
        if state.kind == WORD:
            symbols = candidates[state.word][state.pronunciation]
            times = edges[place : stop + 1].tolist()
            phones = tuple(
                Phone(symbol, times[k], times[k + 1]) for k, symbol in enumerate(symbols)
            )
            yield Word(words[state.word], times[0], times[-1], 1.0, phones)
        else:
            start, end = float(edges[place]), float(edges[stop])
            yield pause(start, end, 1.0, NAMES[state.kind])
        place = stop


def _same(visit: Visit, first: Visit) -> bool:
    """True if both belong to one word, or to one sound between words."""
    return visit.state.kind == first.state.kind and visit.state.word == first.state.word
