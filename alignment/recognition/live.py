"""Live words: the network recogniser on sound that still arrives.

The network hears small pieces, each with the sound before it and a little of the sound after it;
the search continues with each. `phone_network.features` knows the whole recording's loudest frame
and mean spectrum before it begins; here both are those of the sound so far, and what is older than
MEMORY_S counts less and less. The likeliest words are shown at once, and may change; a word is
final some time after its end, or when a pause follows it. evaluation.hearing.live_words compares
them with those of the recogniser that hears the whole recording.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from alignment.network.phone_network import (
    BANDS,
    FRAME_S,
    HOP_SAMPLES,
    POWER_FLOOR,
    STRIDE,
    band_power,
    sequence_scores,
    with_tract,
)
from alignment.recognition.beam_search import BeamSearch
from alignment.recognition.network_recogniser import (
    TRACTS,
    RecognisedWord,
    general_model,
    words_of,
)
from alignment.recognition.rescoring import Rescoring, load_word_network
from alignment.waveform import MODEL_RATE, require_usable

MEMORY_S = 60.0
MIN_PEAK = 0.005  # of full scale: the least that noise is measured against
NOISE_FLOOR = 10 ** (-70 / 20)  # of the peak: digital silence has no logarithm
EDGE_FRAMES = 3  # frames of the bands that a window needs beside its own
# Frames of the bands between places where a window may begin, so that strides agree.
PHASE_FRAMES = 8
REACH_S = 0.92  # seconds that the network looks to either side
LATE_S = 2.0  # of sound that waits, from which on words are no longer rescored


class RunningBands:
    """Log power in each band, (K, BANDS), as heard; rows before ``first`` are gone."""

    def __init__(self, sample_rate: int) -> None:
        """Begin with silence; raise AlignmentError for a rate that is too low."""
        require_usable(np.zeros(1), sample_rate)
        self.first = 0
        self.rows = np.zeros((0, BANDS), np.float32)
        self._resampler = None
        if sample_rate != MODEL_RATE:
            import soxr

            self._resampler = soxr.ResampleStream(sample_rate, MODEL_RATE, 1, dtype="float32")
        # The first frame is centred at 0.
        self._samples = np.zeros(EDGE_FRAMES * HOP_SAMPLES, np.float32)
        self._peak, self._loudest = MIN_PEAK, 0.0
        self._sum, self._count = np.zeros(BANDS), 0.0
        self._noise = np.random.default_rng(0)

    @property
    def stop(self) -> int:
        """The number of rows heard."""
        return self.first + len(self.rows)

    def hear(self, samples: np.ndarray, last: bool = False) -> None:
        """Hear more samples, mono, float, (n,); the `last` ones complete the rows."""
        samples = np.nan_to_num(samples.astype(np.float32), posinf=0.0, neginf=0.0).clip(-1, 1)
        if self._resampler is not None:
            samples = self._resampler.resample_chunk(samples, last=last)
        self._peak = max(self._peak, float(np.abs(samples).max(initial=0.0)))
        noise = self._noise.standard_normal(len(samples), dtype=np.float32)
        samples = samples + noise * np.float32(NOISE_FLOOR * self._peak)
        ending = np.zeros(EDGE_FRAMES * HOP_SAMPLES if last else 0, np.float32)
        self._samples = np.concatenate([self._samples, samples, ending])
        count = len(self._samples) // HOP_SAMPLES - 2 * EDGE_FRAMES + 1
        if count <= 0:
            return
        used = self._samples[: (count + 2 * EDGE_FRAMES - 1) * HOP_SAMPLES]
        power = band_power(used * np.float32(32768))[EDGE_FRAMES : EDGE_FRAMES + count]
        self._samples = self._samples[count * HOP_SAMPLES :]
        self._loudest = max(self._loudest, float(power.max()))
        rows = np.log(power + POWER_FLOOR * self._loudest + 1e-12)
        self.rows = np.concatenate([self.rows, rows])
        self._sum += rows.sum(axis=0, dtype=np.float64)
        self._count += count
        fade = min(1.0, MEMORY_S / (self._count * FRAME_S / STRIDE))
        self._sum, self._count = self._sum * fade, self._count * fade

    def window(self, first: int, stop: int) -> np.ndarray:
        """Return the network's input, rows [first, stop), normalised by the sound so far."""
        mean = (self._sum / max(self._count, 1.0)).astype(np.float32)
        return (self.rows[first - self.first : stop - self.first] - mean) / np.float32(3.0)

    def forget(self, first: int) -> None:
        """Forget the rows before `first`."""
        if first > self.first:
            self.rows, self.first = self.rows[first - self.first :], first


class RunningScores:
    """The `sequence_scores` of sound that still arrives, piece by piece: the mean over ``tracts``.

    A piece lasts ``chunk`` seconds and sees ``ahead`` more, both multiples of 0.04.
    """

    def __init__(
        self,
        sample_rate: int,
        chunk: float,
        ahead: float,
        tracts: tuple[float, ...],
    ) -> None:
        """Begin with silence; raise AlignmentError for a rate that is too low."""
        self.bands = RunningBands(sample_rate)
        self.done = 0  # frames of 10 ms
        self._chunk, self._ahead = (round(each / FRAME_S) for each in (chunk, ahead))
        self._tracts = tracts

    def hear(self, samples: np.ndarray, last: bool = False) -> np.ndarray:
        """Return the scores (T, 40) of the pieces that these samples, mono (n,), complete."""
        self.bands.hear(samples, last)
        end = -(-self.bands.stop // STRIDE) if last else self.bands.stop // STRIDE
        chunks = (end - self._ahead - self.done) // self._chunk
        stop = end if last else self.done + chunks * self._chunk
        if stop <= self.done:
            return np.zeros((0, 40), np.float32)
        reach = round(REACH_S / FRAME_S)
        first = max(self.done - reach, 0) * STRIDE // PHASE_FRAMES * PHASE_FRAMES
        last_row = self.bands.stop if last else (stop + self._ahead) * STRIDE
        window = self.bands.window(first, last_row)
        piece = slice(self.done - first // STRIDE, stop - first // STRIDE)
        scores = [sequence_scores(with_tract(window, t))[piece] for t in self._tracts]
        self.done = stop
        self.bands.forget((stop - reach) * STRIDE // PHASE_FRAMES * PHASE_FRAMES)
        return np.asarray(np.mean(scores, axis=0))


@dataclass(frozen=True, slots=True)
class Pace:
    """Delays before words are shown, in seconds.

    Sound is heard in pieces of `chunk`, a multiple of 0.04, when `ahead` more has come. A word is
    final `settled` after its end, or `paused` if nothing was said since; where nobody has spoken
    for `resting`, the search starts again.
    """

    chunk: float = 0.2
    ahead: float = 0.58
    settled: float = 0.8
    paused: float = 0.4
    resting: float = 1.0


@dataclass(frozen=True, slots=True)
class LiveWords:
    """The words that more sound has shown, lower case.

    final: those that have become final. provisional: all after them, which may still change. pause:
    whether a pause follows the final ones.
    """

    final: tuple[RecognisedWord, ...] = ()
    provisional: tuple[RecognisedWord, ...] = ()
    pause: bool = False


class LiveRecogniser:
    """A recogniser of samples as they come, mono, float, (n,), at 8 kHz or more.

    Its memory does not grow. The words do not depend on how many samples come at once. Raises
    AlignmentError for another rate.
    """

    def __init__(self, sample_rate: int, pace: Pace | None = None) -> None:
        self.pace, self.sample_rate = pace or Pace(), sample_rate
        self._scores = RunningScores(sample_rate, self.pace.chunk, self.pace.ahead, TRACTS)
        general, _, tree, ahead = general_model()
        self._words = general.words
        self._beam = BeamSearch(tree, ahead, general, keeps_lattice=True)
        self._rescoring = Rescoring(load_word_network(), general)
        self._since = 0.0  # the end of the last word, or where the search began anew, seconds
        self._piece = round(self.pace.chunk * sample_rate)
        self._waiting = np.zeros(0, np.float32)
        self._provisional: tuple[RecognisedWord, ...] = ()
        self._is_late = False

    def hear(self, samples: np.ndarray, behind: float = 0.0) -> LiveWords:
        """Return the words as they are heard after these samples.

        ``behind``: seconds of sound that wait to be heard. From `LATE_S` on, words aren't rescored
        until it has caught up.
        """
        self._is_late = behind >= LATE_S
        self._waiting = np.append(self._waiting, samples.astype(np.float32))
        shown = LiveWords(provisional=self._provisional)
        while len(self._waiting) >= self._piece:
            piece, self._waiting = np.split(self._waiting, [self._piece])
            scores = self._scores.hear(piece)
            if len(scores):
                now = self._follow(scores, ended=False)
                shown = LiveWords((*shown.final, *now.final), now.provisional, now.pause)
        return shown

    def end(self) -> LiveWords:
        """Return the last words: nothing more is said."""
        return self._follow(self._scores.hear(self._waiting, last=True), ended=True)

    def _follow(self, scores: np.ndarray, ended: bool) -> LiveWords:
        beam, pace = self._beam, self.pace
        beam.hear(scores)
        path = beam.path(None if self._is_late else self._rescoring, ended=ended)
        words = beam.found(path)
        now = beam.steps * beam.step_seconds
        quiet = now - (words[-1].end if words else self._since) if beam.is_between else 0.0
        count = len(words)
        if not ended and quiet < pace.paused:
            count = sum(each.end <= now - pace.settled for each in words)
        if count and not ended:
            beam.settle(path[count - 1])
            self._rescoring = self._rescoring.after([each.word for each in words[:count]])
            self._since = words[count - 1].end
        elif quiet >= pace.resting:
            beam.rest()
            self._since = now
        final, self._provisional = (
            tuple(words_of(each, self._words)) for each in (words[:count], words[count:])
        )
        return LiveWords(final, self._provisional, ended or quiet >= pace.paused)
