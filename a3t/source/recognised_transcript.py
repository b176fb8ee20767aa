"""Recognition of a recording without a transcript, whole or part by part.

Whisper invents words in silence and in music, so its words are kept only where there is sound for
them. It leaves fillers out, which the aligner names later, and its times are not used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, AlignmentError
from alignment.aligner import Readable
from alignment.aligners.network_aligner import NetworkAligner
from alignment.confidence.doubts import DOUBTFUL
from alignment.confidence.scores import require_speech
from alignment.network.phone_network import FRAME_SECONDS, INDEX, features, posteriors
from alignment.recognition import recognised_text
from alignment.recognition.recogniser import NOTHING
from alignment.recognition.whisper import load_whisper, transcribe
from alignment.result import PAUSE
from alignment.waveform import MAX_SECONDS, model_waveform

PARTS = (14.0, 26.0)  # seconds of the shortest and the longest part: Whisper hears 30 at once
QUIET = 0.02  # seconds of one value of the envelope in whose minima parts end

# Doubtful words were invented if, without them, their place has SILENCE and less than SOUND for
# each of their phones, seconds. Chosen on clips that nothing is reported of
# (evaluation.hearing.invented_words).
SILENCE, SOUND = 0.3, 0.02


@dataclass(frozen=True)
class RecognisedTranscript:
    """A transcript that was heard; `confidences` and `rival` as in alignment.recognition."""

    transcript: Transcript
    confidences: tuple[float, ...] = ()
    rival: str = ""


def parts_of(sound: Readable, first: tuple[float, float] = PARTS) -> Iterator[tuple[int, int]]:
    """Samples [start, stop) of each part, cut where it is quietest; `first`: the shortest and the
    longest that the first may be, seconds."""
    start, (shortest, longest) = 0, first
    while start < sound.samples:
        low, high = (start + round(s * sound.sample_rate) for s in (shortest, longest))
        stop = sound.samples
        if stop - start > (high - start) * 1.15:
            hop = max(1, round(QUIET * sound.sample_rate))
            window = sound.mono(low, high)
            count = len(window) // hop
            levels = np.square(window[: count * hop]).reshape(count, hop).mean(axis=1)
            smooth = np.convolve(levels, np.ones(9), mode="same")
            stop = low + (int(smooth[4:-4].argmin()) + 4) * hop
        yield start, stop
        start, (shortest, longest) = stop, PARTS


def recognised(
    recording: Recording, prior: Transcript | None, pronouncer: Pronouncer, model: Path | None
) -> RecognisedTranscript:
    """The words of a recording of any length, heard by a Whisper model or by the phone network,
    which hears up to MAX_SECONDS at once and then is given the `prior`, a text that is nearly said.

    Raises AlignmentError when the model can't be used or no word is heard.
    """
    if model is None and recording.seconds <= MAX_SECONDS:
        samples = recording.mono(sample_rate=SAMPLE_RATE)
        return recognised_part(samples, SAMPLE_RATE, pronouncer, None, prior)
    if model is not None:
        load_whisper(model)
    found: list[RecognisedTranscript] = []
    for start, stop in parts_of(recording):
        samples = recording.mono(start, stop)
        with suppress(AlignmentError, InputError):  # nothing is said there
            found.append(recognised_part(samples, recording.sample_rate, pronouncer, model))
    if not found:
        raise AlignmentError(NOTHING)
    text = " ".join(part.transcript.text for part in found)
    transcript = Transcript.from_text(text, max_words=None)
    return _sure(transcript, [sure for part in found for sure in part.confidences])


def _sure(
    transcript: Transcript, confidences: Iterable[float], rival: str = ""
) -> RecognisedTranscript:
    """With the confidences, if there is one for each word as it is read."""
    sure = tuple(confidences)
    same = len(sure) == len(transcript.spoken)
    return RecognisedTranscript(transcript, sure if same else (), rival)


def recognised_part(
    samples: np.ndarray,
    sample_rate: int,
    pronouncer: Pronouncer,
    model: Path | None,
    prior: Transcript | None = None,
) -> RecognisedTranscript:
    """The words of `samples` (mono, float, (n,)), half a minute at most for a Whisper `model`.

    Raises AlignmentError when no word is heard, InputError when what is heard has none to read.
    """
    if model is not None:
        transcript = Transcript.from_text(transcribe(samples, sample_rate, model), max_words=None)
        with suppress(AlignmentError):  # so many words have no room: Whisper repeats itself
            return RecognisedTranscript(
                without_invented(transcript, samples, sample_rate, pronouncer)
            )
    words = list(prior.spoken) if prior else []
    found = recognised_text(samples, sample_rate, words or None, pronouncer.choices(words))
    transcript = Transcript.from_text(found.text, max_words=None)
    return _sure(transcript, found.confidences, found.rival)


def without_invented(
    transcript: Transcript, samples: np.ndarray, sample_rate: int, pronouncer: Pronouncer
) -> Transcript:
    """The transcript without the words that nobody says, whole written words.

    Raises AlignmentError when none is left, or there is no room for them.
    """
    scores = posteriors(features(model_waveform(samples, sample_rate)))
    require_speech(scores)
    sounds = scores.argmax(axis=1) != INDEX[PAUSE]
    choices = pronouncer.choices(transcript.spoken)

    def align(words: tuple[str, ...]) -> Alignment:
        return NetworkAligner().align(samples, sample_rate, words, choices, check=False)

    while True:
        aligned = align(transcript.spoken)
        doubted = {k for k, word in enumerate(aligned.spoken) if word.score < DOUBTFUL}
        tokens = {transcript.words[k].token for k in doubted}
        doubtful = [word.token in tokens for word in transcript.words]
        if all(doubtful):
            return transcript
        rest = [k for k, doubt in enumerate(doubtful) if not doubt]
        times = align(tuple(transcript.spoken[k] for k in rest)).spoken
        place, last, kept = 0, 0.0, []
        for doubt, run in groupby(range(len(doubtful)), doubtful.__getitem__):
            numbers = list(run)
            if not doubt:
                place += len(numbers)
                last = times[place - 1].end
                kept += numbers
                continue
            stop = times[place].start if place < len(times) else aligned.duration
            heard = sounds[round(last / FRAME_SECONDS) : round(stop / FRAME_SECONDS)]
            sound = float(heard.sum()) * FRAME_SECONDS
            phones = sum(len(aligned.spoken[k].phones) for k in numbers)
            if stop - last - sound < SILENCE or sound >= SOUND * phones:
                kept += numbers
        if len(kept) == len(doubtful):
            return transcript
        transcript = Transcript.of_tokens([transcript.words[k] for k in kept])
