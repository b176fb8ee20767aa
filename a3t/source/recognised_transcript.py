"""Recognition of a recording without a transcript, whole or part by part.

Whisper invents words in silence and in music, so its words are kept only where there is sound for
them. It leaves fillers out, which the aligner names later, and its times are not used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import numpy as np

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.places import phone_distance
from a3t.source.records import FoundTranscript
from a3t.source.remembered_transcripts import HeardPart, Hearing, hearings_of, remember
from a3t.source.usual_words import rare_words
from a3t.spans import Span
from a3t.text.phones import strip_stress
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, AlignmentError
from alignment.aligner import Readable
from alignment.aligners.network_aligner import NetworkAligner
from alignment.confidence.scores import require_speech
from alignment.formats.dictionary import MAX_NAMES
from alignment.network.phone_network import FRAME_S, INDEX, features, posteriors
from alignment.recognition import recognise
from alignment.recognition.network_recogniser import NO_WORDS
from alignment.recognition.whisper import Whisper, load_whisper
from alignment.result import DOUBTFUL_BELOW, PAUSE
from alignment.waveform import model_waveform

MOST_OTHER = 0.4  # of a name's phones may differ in what is heard
PARTS = (14.0, 26.0)  # seconds of the shortest and the longest part: Whisper hears 30 at once
QUIET = 0.02  # seconds of one value of the envelope in whose minima parts end

# Doubtful words were invented if, without them, their place has SILENCE and less than SOUND for
# each of their phones, seconds, chosen on clips that nothing is reported of (docs/log.md); unless
# they have OWN for each, more than an invented word takes from its neighbour.
SILENCE, SOUND, OWN = 0.3, 0.02, 0.06


# Log odds of a word of Whisper's from those of its least probable piece, fitted to what it heard in
# recordings of half the voices that were made at home (evaluation.hearing.planting).
OFFSET, SLOPE = 0.98, 0.83


# The mean confidence of MIN_WORDS words or more below which speech is hardly understood. Whisper
# tiny.en: .47 to .68 of espeak-ng's German, French and Spanish (5), .71 and more of English (8);
# the built-in recogniser .55 to .62 and .61 and more.
MIN_WORDS, HARDLY_HEARD, HARDLY_HEARD_BY_WHISPER = 10, 0.63, 0.7


def hardly_heard(confidences: Sequence[float], by_whisper: bool) -> str:
    """Return a sentence for speech that is hardly understood; "" where it is, or is short."""
    least = HARDLY_HEARD_BY_WHISPER if by_whisper else HARDLY_HEARD
    if len(confidences) < MIN_WORDS or sum(confidences) >= least * len(confidences):
        return ""
    better = "" if by_whisper else ", or fetch the better recogniser (a3t fetch-recogniser)"
    return (
        "Hardly a word is understood, and a3t knows English only: if the recording is in English, "
        f"give its text{better}."
    )


def quietest_between(sound: Readable, low: int, high: int) -> int:
    """Return the sample between two where 0.18 s of a sound are quietest."""
    hop = max(1, round(QUIET * sound.sample_rate))
    window = sound.mono(low, high)
    count = len(window) // hop
    levels = np.square(window[: count * hop]).reshape(count, hop).mean(axis=1)
    return low + (int(np.convolve(levels, np.ones(9), mode="valid").argmin()) + 4) * hop


def parts_of(sound: Readable, first: tuple[float, float] = PARTS) -> Iterator[Span]:
    """Yield samples [start, stop) of each part, cut where it is quietest.

    ``first``: the shortest and the longest that the first may be, seconds.
    """
    start, (shortest, longest) = 0, first
    while start < sound.samples:
        low, high = (start + round(s * sound.sample_rate) for s in (shortest, longest))
        stop = sound.samples
        if stop - start > (high - start) * 1.15:
            stop = quietest_between(sound, low, high)
        yield start, stop
        start, (shortest, longest) = stop, PARTS


def recognised(
    sound: Readable, pronouncer: Pronouncer, model: Path | None, remembers: bool = False
) -> FoundTranscript:
    """Return the words of a recording of any length; arguments and errors as for `heard_parts`."""
    parts = heard_parts(sound, pronouncer, model, remembers)
    sure = tuple(each for part in parts for each in part.confidences)
    return FoundTranscript(Transcript.joined(part.transcript for part in parts), confidences=sure)


def heard_parts(
    sound: Readable, pronouncer: Pronouncer, model: Path | None, remembers: bool = False
) -> tuple[HeardPart, ...]:
    """Return the parts of a recording in which words are heard.

    A Whisper model hears them, or without one the phone network. With `remembers` the user's cache
    is asked first, and told afterwards.

    Raises AlignmentError when the model can't be used or no word is heard.
    """
    names = tuple(names_of(pronouncer))
    recogniser = "network"
    if model is not None:
        recogniser = f"{model.name} {(model / 'model.bin').stat().st_size}"
    known = hearings_of(sound) if remembers and isinstance(sound, Recording) else ()
    for hearing in known:
        if (hearing.recogniser, hearing.names) == (recogniser, names):
            return hearing.parts
    if model is not None:
        load_whisper(model)
    parts: list[HeardPart] = []
    for start, stop in parts_of(sound):
        samples = sound.mono(start, stop)
        try:
            heard = recognised_part(samples, sound.sample_rate, pronouncer, model)
        except InputError:  # nothing is said there
            continue
        if model is not None and not parts:
            load_whisper(model).require_english(samples, sound.sample_rate)
        parts.append(HeardPart(start, stop, heard.transcript, heard.known_confidences))
    if not parts:
        raise AlignmentError(NO_WORDS)
    if remembers and isinstance(sound, Recording):
        remember(sound, Hearing(recogniser, names, tuple(parts)))
    return tuple(parts)


def recognised_part(
    samples: np.ndarray, sample_rate: int, pronouncer: Pronouncer, model: Path | None
) -> FoundTranscript:
    """Recognise ``samples`` (mono, float, (n,)), half a minute at most for a Whisper ``model``.

    Raises InputError when no word is heard, or the heard text has no words.
    """
    if model is not None:
        names = [name.title() for name in names_of(pronouncer)]
        heard = heard_by_whisper(load_whisper(model), samples, sample_rate, names)
        with suppress(AlignmentError):  # so many words have no room: Whisper repeats itself
            return without_invented(heard, samples, sample_rate, pronouncer)
    found = recognise(samples, sample_rate, (), {}).words
    named = with_names([word.text for word in found], pronouncer)
    if named != [word.text for word in found]:  # the sound decides between the two
        found = recognise(samples, sample_rate, named, pronouncer.choices(named)).words
    text = Transcript.of_spoken([word.text for word in found])
    return FoundTranscript(text, confidences=tuple(word.confidence for word in found))


def names_of(pronouncer: Pronouncer) -> list[str]:
    """Return the user's words that a recogniser may not know; none of a whole dictionary's."""
    rare = rare_words(pronouncer.names)
    return rare if len(rare) <= MAX_NAMES else []


def with_names(heard: Sequence[str], pronouncer: Pronouncer) -> list[str]:
    """Put the user's own names in the place of one to three words that sound nearly like them."""
    names = names_of(pronouncer)
    choices = pronouncer.choices([*heard, *names])
    phones = {word: tuple(map(strip_stress, ways[0])) for word, ways in choices.items() if ways}
    result, k = [*heard], 0
    while k < len(result):
        own = {n: sum((phones.get(w, ()) for w in result[k : k + n]), ()) for n in (1, 2, 3)}
        near = [
            (phone_distance(phones[name], said) / len(phones[name]), n, name)
            for name in names
            for n, said in own.items()
            if abs(len(said) - len(phones[name])) <= MOST_OTHER * len(phones[name])
            and len({*said} & {*phones[name]}) >= (1 - 2 * MOST_OTHER) * len({*phones[name]})
        ]
        share, n, name = min(near, default=(1.0, 0, ""))
        if share <= MOST_OTHER:
            result[k : k + n] = [name]
        k += 1
    return result


def heard_by_whisper(
    whisper: Whisper, samples: np.ndarray, sample_rate: int, names: Sequence[str] = ()
) -> FoundTranscript:
    """Return all that Whisper writes, invented words too; ``names`` may be said.

    Errors as for `recognised_part`.
    """
    text = whisper.hear(samples, sample_rate, names)
    transcript = Transcript.from_text(text)
    probabilities: list[float] = []  # of a written word, that of its least probable piece
    for piece, probability in whisper.pieces(whisper.encode(samples, sample_rate), text):
        if piece.startswith(" ") or not probabilities:
            probabilities.append(1.0)
        probabilities[-1] = min(probabilities[-1], probability)
    parts, place, sure = text.split(), 0, {}
    for token, written in {word.token: word.written for word in transcript.words}.items():
        count = len(written.split())
        with suppress(ValueError):  # it is written otherwise
            first = parts.index(written.split()[0], place)
            place = first + count
            sure[token] = _confidence(min(probabilities[first:place], default=1.0))
    confidences = tuple(sure.get(word.token, 1.0) for word in transcript.words)
    return FoundTranscript(transcript, confidences=confidences)


def _confidence(probability: float) -> float:
    """Return the probability of a word from that of its least probable piece."""
    probability = min(max(probability, 1e-6), 1 - 1e-6)
    odds = OFFSET + SLOPE * math.log(probability / (1 - probability))
    return round(1 / (1 + math.exp(-odds)), 4)


def without_invented(
    heard: FoundTranscript, samples: np.ndarray, sample_rate: int, pronouncer: Pronouncer
) -> FoundTranscript:
    """Drop recognised words that nobody says; whole written words.

    Raises AlignmentError when none is left, or there is no room for them.
    """
    scores = posteriors(features(model_waveform(samples, sample_rate)))
    require_speech(scores)
    sounds = scores.argmax(axis=1) != INDEX[PAUSE]
    choices = pronouncer.choices(heard.transcript.spoken)

    def align(words: tuple[str, ...]) -> Alignment:
        return NetworkAligner().align(samples, sample_rate, words, choices, check=False)

    def sound_in(start: float, stop: float) -> float:
        inside = sounds[round(start / FRAME_S) : round(stop / FRAME_S)]
        return float(inside.sum()) * FRAME_S

    # All words are judged by one alignment: the sound of a misheard word that were dropped would
    # pass to the word before it, which would then be doubted in its turn.
    transcript = heard.transcript
    aligned = align(transcript.spoken)
    doubted = {k for k, word in enumerate(aligned.spoken) if word.score < DOUBTFUL_BELOW}
    tokens = {transcript.words[k].token for k in doubted}
    doubtful = [word.token in tokens for word in transcript.words]
    if all(doubtful):
        return heard
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
        between, own = sound_in(last, stop), [aligned.spoken[k] for k in numbers]
        phones = sum(len(word.phones) for word in own)
        is_silent = stop - last - between >= SILENCE and between < SOUND * phones
        if not is_silent or sum(sound_in(each.start, each.end) for each in own) >= OWN * phones:
            kept += numbers
    if len(kept) == len(doubtful):
        return heard
    text = Transcript.of_tokens([transcript.words[k] for k in kept])
    return FoundTranscript(text, confidences=tuple(heard.known_confidences[k] for k in kept))
