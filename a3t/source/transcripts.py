"""The sources of a recording's text: the caller, a file beside it, or speech recognition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError, UnchangedError
from a3t.source.passages import LONG, Passages, Times, has_times, times_in
from a3t.source.recognised_transcript import recognised
from a3t.spans import Span
from a3t.text.comparison.edit_script import minimal_script
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.formats import read_alignment
from alignment.formats.subtitles import LARGEST_FILE, TRANSCRIPTS, read_transcript
from alignment.formats.tables import is_label_file
from alignment.formats.text_file import read_text
from alignment.recognition import whisper_model

SIDECARS = (".txt", ".lab", ".TextGrid", ".srt", ".vtt", ".json")


@dataclass(frozen=True)
class FoundTranscript:
    """A transcript, with whatever timing was found along with it.

    origin: "given", "recognised", "alignment", or the sidecar's name. alignment: of all its words.
    times: approximate ones for each word. passages: the aligned passages of a long recording.
    confidences: how probable each word is, if it was recognised and that is known. rival: what else
    may be said, if the new text was recognised.
    """

    transcript: Transcript
    origin: str
    alignment: Alignment | None = None
    times: Times | None = None
    passages: Passages | None = None
    confidences: tuple[float, ...] = ()
    rival: str = ""


def find_transcript(
    recording: Recording,
    given: str | None,
    new_text: Transcript | None,
    pronouncer: Pronouncer,
    recogniser: str = "auto",
) -> FoundTranscript:
    """The given text, else the sidecar's, else speech recognition with the new text as a prior.

    A sidecar .TextGrid, a .txt or .lab that holds labels with times, or a .json written by
    `python -m alignment` also provides the alignment. ``recogniser``: see `alignment.recognition`.
    Raises InputError, with a one-sentence message.
    """
    path = sidecar(recording.path)
    if given is not None:
        transcript = Transcript.from_text(given)
        return FoundTranscript(
            transcript, "given", times=_times_beside(recording, path, transcript)
        )
    if path is not None:
        if is_alignment(path):
            return found_in(read_alignment(path), path.name)
        return found_with_times(path)
    found = recognised(recording, new_text, pronouncer, whisper_model(recogniser))
    return FoundTranscript(
        found.transcript, "recognised", confidences=found.confidences, rival=found.rival
    )


def require_change(found: FoundTranscript, new_text: Transcript, edits: Sequence[object]) -> None:
    """Raises UnchangedError, naming the weakest place, if the text was recognised and there are no
    edits: nothing shows then that it isn't the new text that was misheard."""
    if edits or found.origin != "recognised":
        return
    sentence = "Nothing was made: the recording already seems to say the new text"
    rival = Transcript.from_text(found.rival) if found.rival else None
    changes = minimal_script(rival.spoken, new_text.spoken) if rival else []
    if rival and changes:
        first = changes[0]
        old, new = " ".join(rival.spoken[slice(*first.old)]), new_text.said(*first.new)
        before = new_text.said(0, first.new[0]).split()[-1:]
        place = f"after “{before[0]}”" if before else "at its beginning"
        match first.op:
            case "replace":
                sentence += f", or “{old}” in place of “{new}”"
            case "insert":
                sentence += f", or all but “{new}” {place}"
            case _:
                sentence += f", or “{old}” besides, {place}"
    raise UnchangedError(f"{sentence}: give what it says now (--text).", found.rival)


def _times_beside(recording: Recording, path: Path | None, transcript: Transcript) -> Times | None:
    """The words' times from the file beside a long recording, if it has exactly these words."""
    if recording.seconds <= LONG or path is None or is_alignment(path) or not has_times(path):
        return None
    found = found_with_times(path)
    return found.times if found.transcript.spoken == transcript.spoken else None


def aligned_transcript(
    alignment: Path | Alignment, text: str | None, aligned_words: tuple[Span, ...] = ()
) -> FoundTranscript:
    """The transcript of an alignment or of a file with one, or of subtitles.

    A ``text`` must have the same words and replaces the transcript's. ``aligned_words`` are the
    ranges of the text's words that the alignment holds; if it doesn't hold all of them, the text is
    required. Raises InputError.
    """
    given = Transcript.from_text(text) if text is not None else None
    if aligned_words and isinstance(alignment, Alignment):
        if given is None:
            raise InputError("The alignment covers only part of the text: give the text as well.")
        return FoundTranscript(given, "given", passages=Passages(alignment, aligned_words))
    if isinstance(alignment, Alignment):
        found = found_in(alignment, "alignment")
    elif Path(alignment).suffix.lower() in (".srt", ".vtt"):
        found = found_with_times(Path(alignment))
    else:
        found = found_in(read_alignment(alignment), "alignment")
    if given is None:
        return found
    if given.spoken != found.transcript.spoken:
        raise InputError("The words of the alignment and the text differ: give only one of them.")
    return FoundTranscript(given, "given", found.alignment, found.times)


def found_with_times(path: Path) -> FoundTranscript:
    """The transcript in a text file or subtitles, with its times if it has any."""
    transcript = Transcript.from_text(text_of(path))
    times = times_in(path, transcript) if has_times(path) else None
    return FoundTranscript(transcript, path.name, times=times)


def sidecar(recording: Path) -> Path | None:
    """The file beside a recording that holds its transcript, if there is one."""
    for suffix in SIDECARS:
        path = recording.with_suffix(suffix)
        if path.is_file() and not path.stat().st_size:
            continue  # a shell makes it first: a3t transcribe talk.wav > talk.txt
        # A .json could come from any program: only one with words in it counts.
        if path.is_file() and (suffix != ".json" or _keys(path) & {*_ALIGNED, *_TRANSCRIBED}):
            return path
    return None


_ALIGNED = ("words",)
_TRANSCRIBED = ("text", "segments", "transcription")


def is_alignment(path: Path) -> bool:
    """True if a sidecar holds exact times, which are then used unchanged."""
    if path.suffix == ".json":
        keys = _keys(path)
        return keys >= set(_ALIGNED) and not keys & set(_TRANSCRIBED)
    return path.suffix == ".TextGrid" or (path.suffix in (".txt", ".lab") and is_label_file(path))


def _keys(path: Path) -> frozenset[str]:
    """The keys of a JSON file's object; none for anything else."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            return frozenset()
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    return frozenset(data) if isinstance(data, dict) else frozenset()


def found_in(alignment: Alignment, origin: str) -> FoundTranscript:
    """The transcript of an alignment's words."""
    words = " ".join(word.text for word in alignment.spoken)
    return FoundTranscript(Transcript.from_text(words), origin, alignment)


def text_of(path: Path) -> str:
    """The text of a text file, .srt, .vtt or Whisper .json, with its punctuation."""
    return read_transcript(path) if path.suffix.lower() in TRANSCRIPTS else read_text(path)
