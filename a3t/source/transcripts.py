"""The sources of a recording's text: the caller, a file beside it, or speech recognition."""

from __future__ import annotations

import math
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.change_detection import SpeechComparison, SpeechComparisons
from a3t.source.differences import said_text, with_open_article, without_left_words
from a3t.source.recognised_transcript import hardly_heard, recognised
from a3t.source.records import LONG, FoundTranscript, GivenCue, Times
from a3t.source.remembered_transcripts import hearings_of
from a3t.spans import Span
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript, said_in
from alignment import Alignment
from alignment.formats import read_alignment
from alignment.formats.alignment_files import has_phones
from alignment.formats.transcripts.cues import Cue, TranscriptFile, with_ends
from alignment.formats.transcripts.kinds import read_transcript
from alignment.recognition import whisper_model

SIDECARS = (
    ".txt", ".lab", ".TextGrid", ".srt", ".vtt", ".json", ".docx", ".sbv", ".ass", ".ssa", ".ctm",
    ".tsv", ".csv", ".lrc", ".odt", ".rtf", ".ttml", ".dfxp", ".sub", ".stl",
)  # fmt: skip
# Documents that may hold a transcript, and that nothing here reads.
UNREAD = (
    ".pdf", ".doc", ".pages", ".html", ".htm", ".md", ".xml",
    ".idx", ".scc", ".eaf", ".text",
)  # fmt: skip
# Of a name that lengthens the recording's: talk.en.vtt, talk.wav.json.
_BETWEEN = re.compile(r"(?:en(?:[-_][A-Za-z]{1,8})?|english)", re.IGNORECASE)
MIN_CUE_WORDS = 2  # on average; cues of fewer are the times of words
PLACED = 0.8  # of a transcript's words must stand in its cues
SKIPPED = 400  # letters of the cues that the transcript may lack in one place


def sidecar(recording: Path) -> Path | None:
    """Return the file beside a recording that holds its transcript, if there is one.

    That is talk.txt, talk.srt …, else one whose name differs in its capitals or has the language in
    it (talk.en.vtt).
    """
    named = (recording.with_suffix(suffix) for suffix in SIDECARS)
    return next(filter(_counts, named), None) or next(
        (path for path in _others(recording) if _ending(path) in SIDECARS and _counts(path)), None
    )


def not_read(recording: Path) -> str:
    """Name the files beside a recording that look like a transcript and aren't read.

    A sentence; "" if there are none.
    """
    beside = {recording.with_suffix(suffix) for suffix in UNREAD + SIDECARS}
    present = sorted(path.name for path in beside if path.is_file() and path.stat().st_size)
    if not present:
        return ""
    verb = "is" if len(present) == 1 else "are"
    return (
        f"{', '.join(present)} beside the recording {verb} no transcript that a3t can read: "
        "save it as text, or give what the recording says."
    )


def _counts(path: Path) -> bool:
    """Return whether a file has anything in it; a shell makes talk.txt before it is written.

    A .json, .tsv, .csv or .ctm could come from any program, and a .sub or .stl hold pictures or
    bytes: only a transcript counts.
    """
    if not path.is_file() or not path.stat().st_size:
        return False
    if path.suffix.lower() not in (".json", ".tsv", ".csv", ".ctm", ".sub", ".stl"):
        return True
    if has_phones(path):
        return True
    try:
        read_transcript(path)
    except InputError:
        return False
    return True


def _ending(path: Path) -> str:
    known = {suffix.lower(): suffix for suffix in SIDECARS}
    return known.get(path.suffix.lower(), "")


def _others(recording: Path) -> list[Path]:
    """Return the files named as the recording and then a language, or its ending."""
    found = []
    try:
        names = sorted(os.listdir(recording.parent))
    except OSError:
        return []
    for name in names:
        if not name.startswith(f"{recording.stem}.") or name == recording.name:
            continue
        middle = Path(name).stem[len(recording.stem) :].lstrip(".")
        if not middle or middle == recording.suffix[1:] or _BETWEEN.fullmatch(middle):
            found.append(recording.parent / name)
    return found


def find_transcript(
    recording: Recording,
    given: Transcript | None,
    new_text: Transcript | None,
    pronouncer: Pronouncer,
    recogniser: str = "auto",
    alignment: Path | None = None,
    comparisons: SpeechComparisons | None = None,
) -> FoundTranscript:
    """Find the text in an ``alignment``'s file, or given, else the sidecar's, else by hearing.

    Speech recognition has the new text as a prior. A sidecar with words and phones also provides
    the alignment, one with other times the times. A text that a3t recognised, and nobody corrected,
    counts as recognised in a file as well. ``recogniser``: see `alignment.recognition`.
    ``comparisons``: those of earlier calls. Raises InputError, with a one-sentence message.
    """
    if alignment is not None:
        return _in_file(alignment, given)
    path = sidecar(recording.path)
    if given is not None:
        return _timed_beside(recording, path, FoundTranscript(given, "given"))
    written: Transcript | None = None
    if path is not None:
        beside = found_beside(path)
        written = _written(recording, beside, new_text)
        if written is None or beside.alignment is not None:
            return beside
    model = whisper_model(recogniser)
    kept = comparisons or SpeechComparisons()
    if new_text is None or not new_text.words:
        heard = recognised(recording, pronouncer, model, kept.remembers)
        sure = heard.known_confidences
    else:
        speech = kept.of(recording, pronouncer, model)
        heard = compared(speech, new_text, written)
        sure = speech.heard_freely.known_confidences
    warning = hardly_heard(sure, by_whisper=model is not None)
    return replace(heard, about=not_read(recording.path), warning=warning)


def _written(
    recording: Recording, beside: FoundTranscript, new_text: Transcript | None
) -> Transcript | None:
    """Return what a3t wrote, if the file beside a recording is that, or is the new text itself."""
    if new_text is None or not new_text.words:
        return None
    if beside.origin == "recognised" and beside.transcript.spoken != new_text.spoken:
        return beside.transcript
    if beside.transcript.spoken == new_text.spoken and (known := hearings_of(recording)):
        return known[0].transcript
    return None


def compared(
    speech: SpeechComparison, new_text: Transcript, written: Transcript | None = None
) -> FoundTranscript:
    """Return what a recording says by its comparison with a new text.

    Where the new text has words that a3t has `written` itself, nothing differs.
    """
    comparison = speech.comparison(new_text, freely=written is not None)
    if written is None:
        comparison = with_open_article(comparison)
    else:
        comparison = without_left_words(comparison, written)
    heard, new = comparison.heard, comparison.new
    same_words = not comparison.places and heard.spoken == new.spoken
    if same_words and heard.is_punctuated and _questions(heard) != _questions(new):
        return FoundTranscript(heard, confidences=comparison.confidences)
    return replace(said_text(comparison), comparison=comparison)


def _questions(text: Transcript) -> list[bool]:
    return [word.mark == "?" for word in text.words]


def _timed_beside(
    recording: Recording, path: Path | None, given: FoundTranscript
) -> FoundTranscript:
    """Return a transcript with the cues in the file beside the recording, if it has the same words.

    And with its times, if the recording is long. Raises InputError if the file of a long one can't
    be read.
    """
    if path is None or has_phones(path):
        return given
    try:
        beside = found_beside(path)
    except InputError:
        if recording.seconds > LONG:
            raise
        return given
    if beside.transcript.spoken != given.transcript.spoken:
        return given
    times = beside.times if recording.seconds > LONG else None
    return replace(given, times=times, cues=beside.cues)


def _in_file(path: Path, given: Transcript | None) -> FoundTranscript:
    """Read the transcript of an alignment's file, or of one with times.

    A text that is ``given`` must have the same words and replaces its own.
    """
    if path.is_file() and not has_phones(path):
        found = found_beside(path)
        if found.times is None:
            raise InputError(f"{path} has no times of its words: give it as the text.")
    else:
        found = found_in(read_alignment(path), "alignment")
    if given is None:
        return found
    if given.spoken != found.transcript.spoken:
        raise InputError("The words of the alignment and the text differ: give only one of them.")
    return FoundTranscript(given, "given", found.alignment, found.times, cues=found.cues)


def found_beside(path: Path) -> FoundTranscript:
    """Read the transcript in a file, with its alignment or its times if it has any."""
    if has_phones(path):
        return found_in(read_alignment(path), path.name)
    file = read_transcript(path)
    transcript = Transcript.from_text(said_in(file))
    origin = "recognised" if file.recognised else path.name
    about = f"{path.name} holds what a3t recognised, as nobody has corrected it."
    return FoundTranscript(
        transcript,
        origin,
        times=times_in(file, transcript),
        about=about if file.recognised else file.about,
        cues=cues_in(file, transcript),
    )


def found_in(alignment: Alignment, origin: str) -> FoundTranscript:
    """Return the transcript of an alignment's words."""
    words = " ".join(word.text for word in alignment.spoken)
    origin = "recognised" if alignment.recognised else origin
    return FoundTranscript(Transcript.from_text(words), origin, alignment)


def text_of(path: Path) -> str:
    """Read the text of a file of any kind of transcript or alignment, with its punctuation."""
    return text_and_kind(path)[0]


def text_and_kind(path: Path, headings: bool = False) -> tuple[str, str]:
    """Read the text as `text_of` does, and a sentence on what the file was read as, or "".

    ``headings``: those of a document as well, which a reader says and a transcript lacks.
    """
    if has_phones(path):
        return " ".join(word.text for word in read_alignment(path).spoken), ""
    file = read_transcript(path, headings)
    return said_in(file), file.about


def times_in(file: TranscriptFile, transcript: Transcript) -> Times | None:
    """Return the time of each word of the transcript read from ``file``; None without times.

    A cue's letters are assumed to be spoken at an even rate. Words that stand in no cue, as where a
    program didn't hear them, get the time between their neighbours.
    """
    cues = [cue for cue in file.timed if _letters(cue.text)]
    if not cues:
        return None
    edges, tokens = _letters_before(cues), _tokens(transcript)
    following = [*(cue.start for cue in cues[1:]), math.inf]
    ends = [  # a cue that overlaps the next one ends where that begins
        max(cue.start, min(cue.end, limit)) for cue, limit in zip(cues, following, strict=True)
    ]

    def time(letter: int, within: int) -> float:
        """Return the seconds before a letter, in the cue that holds letter ``within``."""
        k = bisect_right(edges, within) - 1
        share = (letter - edges[k]) / (edges[k + 1] - edges[k])
        return cues[k].start + share * (ends[k] - cues[k].start)

    places = _places(list(tokens.values()), _said(cues))
    if sum(place is not None for place in places) < PLACED * len(places):
        return None
    known = [
        None if place is None else (time(place[0], place[0]), time(place[1], place[1] - 1))
        for place in places
    ]
    spans = dict(zip(tokens, _filled(known, cues[-1].end), strict=True))
    return [spans[word.token] for word in transcript.words]


def cues_in(file: TranscriptFile, transcript: Transcript) -> tuple[GivenCue, ...]:
    """Return the cues of ``file`` with the words that each has of the transcript read from it.

    None if the times contradict each other, or are those of single words.
    """
    timed = with_ends(file.timed)
    if not all(math.isfinite(cue.end) for cue in timed):
        return ()
    cues, tokens = [cue for cue in timed if _letters(cue.text)], _tokens(transcript)
    if not cues or len(tokens) < MIN_CUE_WORDS * len(cues):
        return ()
    edges, before = _letters_before(cues), 0
    cue_of: dict[int, int] = {}
    for token, place in zip(tokens, _places(list(tokens.values()), _said(cues)), strict=True):
        before = bisect_right(edges, place[1] - 1) - 1 if place else before
        cue_of[token] = before
    numbers = [cue_of[word.token] for word in transcript.words]
    found, number = [], -1
    for cue in timed:
        number += bool(_letters(cue.text))
        first = (
            bisect_left(numbers, number) if _letters(cue.text) else bisect_right(numbers, number)
        )
        words = first, bisect_right(numbers, number)
        found.append(GivenCue(words, cue.start, cue.end, "" if cue.speaker else cue.text))
    return tuple(found)


def _said(cues: Sequence[Cue]) -> str:
    return "".join(_letters(cue.text) for cue in cues)


def _letters_before(cues: Sequence[Cue]) -> list[int]:
    """Return how many letters stand before each of the cues, and in all."""
    return list(accumulate((len(_letters(cue.text)) for cue in cues), initial=0))


def _tokens(transcript: Transcript) -> dict[int, str]:
    """Return the letters of each of a text's tokens."""
    return {word.token: _letters(word.without_name) for word in transcript.words}


def _places(tokens: Sequence[str], said: str) -> list[Span | None]:
    """Return the letters [first, last) of each token in what is said, in order, or None."""
    places: list[Span | None] = []
    place = 0
    for k, token in enumerate(tokens):
        found = place if said.startswith(token, place) else -1
        if found < 0:  # with the next ones, since a short word is soon found elsewhere
            phrase = "".join(tokens[k : k + 3])
            found = said.find(phrase, place, place + len(phrase) + SKIPPED)
        places.append((found, found + len(token)) if found >= 0 and token else None)
        place = max(place, found + len(token))
    return places


def _filled(known: Sequence[tuple[float, float] | None], end: float) -> Times:
    """Fill missing times between their neighbours'."""
    result: list[tuple[float, float]] = []
    after: list[float] = []
    clock = end
    for each in reversed(known):
        after.append(clock)
        clock = each[0] if each else clock
    for each, following in zip(known, reversed(after), strict=True):
        before = result[-1][1] if result else 0.0
        result.append(each or (before, max(before, following)))
    return result


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
