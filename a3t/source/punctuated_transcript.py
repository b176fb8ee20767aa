"""Transcripts without punctuation: marks and capitals for them, by their words and their pauses."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

from a3t.audio.reading.recording import Recording
from a3t.source.alignments import AlignmentStore
from a3t.source.records import LONG, FoundTranscript
from a3t.spans import Span, SpanMap
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, AlignmentError

MIN_WORDS = 4  # words; fewer are hardly a sentence


def pauses_after_words(
    text: Transcript, alignment: Alignment, ranges: Sequence[Span]
) -> list[float | None]:
    """Seconds of silence after each spoken word of the text; None where it isn't aligned.

    After the last word of an aligned passage nothing is known.
    """
    result: list[float | None] = [None] * len(text.words)
    spoken = iter(alignment.spoken)
    times = [(word.start, word.end) for first, last in ranges
             for _, word in zip(range(first, last), spoken, strict=False)]  # fmt: skip
    places = [k for first, last in ranges for k in range(first, last)]
    for (k, after), (here, following) in zip(pairwise(places), pairwise(times), strict=False):
        if after == k + 1:
            result[k] = max(following[0] - here[1], 0.0)
    return result


def punctuated(
    text: Transcript,
    aligned: tuple[Alignment, Sequence[Span]] | None,
    revised: tuple[Transcript, SpanMap] | None = None,
    wanted: bool = True,
) -> Transcript:
    """The transcript with punctuation and capitals if it has none and they are ``wanted``, else the
    transcript itself.

    ``aligned``: the alignment of the ranges of its words. ``revised``: a new text and how its words
    correspond. Whether a sentence that stays is a question is then taken from there: what somebody
    wrote is surer than what is guessed.
    """
    if not wanted or text.is_punctuated or len(text.words) < MIN_WORDS:
        return text
    from a3t.text.punctuation.restoring import with_punctuation

    pauses = pauses_after_words(text, *aligned) if aligned else ()
    found = with_punctuation(text, pauses)
    return _with_questions_of(*revised, found) if revised else found


def _with_questions_of(new_text: Transcript, words: SpanMap, text: Transcript) -> Transcript:
    """The text with ? in the place of . where words that stay have it in the new text, and the
    other way round."""
    written, end, place = list(text.text), 0, -1
    starts: dict[int, int] = {}
    for word in text.words:
        if word.token != place:
            place, start = word.token, text.text.find(word.written, end)
            if start < 0:
                return text
            starts[place], end = start, start + len(word.written)
    for here, there in words.kept_places():
        old, new = text.words[here], new_text.words[there]
        if {old.mark, new.mark} == {".", "?"}:
            last = starts[old.token] + len(old.written) - 1
            if written[last] in ".?":
                written[last] = new.mark
    return text.written_as("".join(written))


def punctuated_by_sound(
    recording: Recording, found: FoundTranscript, alignments: AlignmentStore, wanted: bool = True
) -> Transcript:
    """The transcript, punctuated by words and pauses, or by words alone where a long recording
    would have to be aligned for it, or where its words can't be; as it is unless ``wanted``."""
    text, aligned = found.transcript, None
    if not wanted or text.is_punctuated or len(text.words) < MIN_WORDS:
        return text
    if found.alignment is not None or recording.seconds <= LONG:
        with suppress(AlignmentError):
            aligned = alignments.around(recording, found, None, Pronouncer())
    return punctuated(text, aligned)
