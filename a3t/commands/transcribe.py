"""Transcribe a recording, by `a3t transcribe IN`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from a3t.commands.options import (
    add_dictionary_options,
    add_recogniser_option,
    option,
    transcript_argument,
    user_words,
)
from a3t.console import EXIT_CODES, Parser, run, say, show_progress
from a3t.errors import InputError
from a3t.text.transcript import Transcript, turns_of, with_names
from alignment.formats.text_file import RECOGNISED_MARK

if TYPE_CHECKING:
    from alignment import Alignment

TRANSCRIPT_ENDINGS = (".txt", ".srt", ".vtt", ".docx")
MARK = f"[{RECOGNISED_MARK}: correct the text, then delete this line]"


def parser() -> argparse.ArgumentParser:
    """Return the parser of `a3t transcribe`."""
    result = Parser(
        prog="a3t transcribe",
        description="Print what a recording says: the text in the file beside it, otherwise from "
        "speech recognition. Restore the punctuation of a text that has none.",
        epilog=f"A TEXT may be @FILE. {EXIT_CODES}",
    )
    option(result, "wav IN", "the recording", nargs="?")
    about = (
        "print words while you speak: from the microphone (pip install 'a3t[microphone]') "
        "or, if IN is -, from standard input (a WAV, or raw 16-bit mono samples)"
    )
    option(result, "--live", about)
    option(result, "--rate HZ", "sampling rate of raw samples (default: 16000)", default=16_000)
    option(result, "--track N", "the audio track, if the file has several")
    option(result, "--text TEXT", "its words, if known")
    option(result, "--expected TEXT", "roughly what it says, as a hint")
    add_recogniser_option(result)
    add_dictionary_options(result)
    option(result, "--no-punctuation", "don't restore punctuation")
    about = (
        "name the speaker of each turn: from the transcript, else Speaker 1, 2 … by their sound "
        "(N: how many)"
    )
    option(result, "--speakers N", about, nargs="?", const=0)
    option(result, "--speaker NAME", "print only this speaker's lines, with their times")
    about = "save it as .txt, .srt, .vtt or .docx; an edit of talk.wav reads the talk.txt beside it"
    option(result, "--out FILE", about)
    return result


def main(arguments: list[str]) -> int:
    """Run `a3t transcribe` and return the exit code."""
    options = parser().parse_args(arguments)
    if options.live:
        if options.wav not in (None, Path("-")):
            parser().error("--live reads the microphone, or standard input as -")
        others = ("text", "expected", "speakers", "speaker", "out")
        if any(getattr(options, name) is not None for name in others):
            parser().error("--live only prints words: omit all options but --rate")
        return run(lambda: transcribe_live(options))
    if options.wav is None:
        parser().error("name a recording, or use --live")
    if options.out and options.speaker is not None:
        parser().error("--out saves what all speakers say: omit --speaker")
    return run(lambda: transcribe(options))


def transcribe(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    from a3t.audio.reading.recording import Recording
    from a3t.commands.editing.edit_doubts import offer_recogniser
    from a3t.projects.export import export_kinds
    from a3t.source.alignments import AlignmentStore, default_folder, punctuated_by_sound
    from a3t.source.change_detection import SpeechComparisons
    from a3t.source.diarisation import numbered, require_packages, speakers_by_sound
    from a3t.source.transcripts import find_transcript, sidecar
    from a3t.text.pronunciation.pronouncer import Pronouncer
    from alignment.aligners.network_aligner import NetworkAligner

    if options.out:
        check_free(options.out)
        if options.out.suffix.lower() == ".docx":
            export_kinds.require_packages(["docx"])
    given, prior = map(transcript_argument, (options.text, options.expected or None))
    show_progress("read")
    recording = Recording.open(options.wav, options.track)
    if about := recording.about_track:
        say(about)
    offer_recogniser(recording.path, given, None, options.recogniser)
    named = options.speakers is not None or options.speaker is not None
    if named and given is None and sidecar(recording.path) is None:
        require_packages()  # before the work: what is recognised names nobody
    show_progress("transcribe")
    own, listed = user_words(options)
    pronouncer = Pronouncer(own, names=listed)
    remembered = SpeechComparisons(remembers=True)
    found = find_transcript(
        recording, given, prior, pronouncer, options.recogniser, None, remembered
    )
    store = AlignmentStore(NetworkAligner(), default_folder())
    transcript = punctuated_by_sound(recording, found, store, not options.no_punctuation)
    for remark in filter(None, (found.about, found.warning)):
        say(remark)
    recognised = found.origin == "recognised"
    say("Recognised:" if recognised else f"Transcript ({found.origin}):")
    names = [word.speaker for word in transcript.words]
    aligned = None
    if named or (options.out and options.out.suffix.lower() != ".txt"):
        if named and not any(names):
            require_packages()
        show_progress("align")
        aligned = store.whole(recording, found, pronouncer)
    if named and aligned and not any(names):
        show_progress("speakers")
        names = numbered(
            speakers_by_sound(recording, aligned, transcript, options.speakers or None)
        )
    if options.speaker is None or aligned is None:
        text = with_names(transcript, names) if named else transcript.text.strip()
        print(text)
        if options.out:
            aligned = replace(aligned, recognised=recognised) if aligned else None
            words = named_words(transcript, names)
            save(text, words, aligned, options.out, MARK if recognised else "")
            say(f"Written: {options.out}")
        return
    lines = [turn for turn in turns_of(transcript, names) if same(turn.speaker, options.speaker)]
    if not lines:
        known = ", ".join(f"“{name}”" for name in dict.fromkeys(names))
        raise InputError(f"No speaker is called “{options.speaker}”: the speakers are {known}.")
    for turn in lines:
        first, last = aligned.spoken[turn.first], aligned.spoken[turn.last - 1]
        print(f"{first.start:9.2f} – {last.end:.2f} s  {transcript.said(turn.first, turn.last)}")


def transcribe_live(options: argparse.Namespace) -> None:
    """Print words as they are said, until the sound ends or Ctrl-C is pressed."""
    from a3t.source.live_transcript import LiveLines, Microphone, piped
    from alignment.recognition.live import LATE_S, LiveRecogniser

    by_microphone = options.wav is None
    with (
        Microphone()
        if by_microphone
        else nullcontext(piped(sys.stdin.buffer, options.rate)) as sound
    ):
        recogniser = LiveRecogniser(sound.sample_rate)
        lines = LiveLines(sys.stdout, get_terminal_size().columns if sys.stdout.isatty() else 0)
        if by_microphone:
            say("Speak; Ctrl-C ends it.")
        with interrupted_once(sound.stop):
            is_late = False
            for block in sound.blocks:
                behind = sound.behind()
                if behind >= LATE_S and not is_late:
                    say(f"The words are {behind:.0f} s late: less care is taken until they aren't.")
                is_late = behind >= LATE_S
                lines.show(recogniser.hear(block, behind))
            lines.show(recogniser.end())


@contextmanager
def interrupted_once(stop: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C call `stop`; the next one interrupts as it does elsewhere."""
    before = signal.getsignal(signal.SIGINT)

    def stop_once(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        stop()

    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, stop_once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def check_free(out: Path) -> None:
    """Raise InputError if a transcript can't be saved as ``out``, or would replace a file."""
    from a3t.audio.output.files import check_target

    if out.suffix.lower() not in TRANSCRIPT_ENDINGS:
        raise InputError(f"{out} has no known ending: save it as {', '.join(TRANSCRIPT_ENDINGS)}.")
    if out.exists():
        raise InputError(f"{out} exists already, and may have been corrected: choose another name.")
    check_target(out)


def named_words(text: Transcript, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return what is shown for each spoken word, and who says it.

    A turn begins with its speaker's name; "" is shown for a word that an earlier one shows with it.
    """
    shown = text.shown
    for turn in turns_of(text, names):
        word = text.words[turn.first]
        if turn.speaker and shown[turn.first] and not word.names_speaker:
            shown[turn.first] = f"{turn.speaker}: {shown[turn.first]}"
    return list(zip(shown, names, strict=True))


def save(
    text: str,
    words: Sequence[tuple[str, str]],
    aligned: Alignment | None,
    out: Path,
    mark: str = "",
) -> None:
    """Write the text, or its words by `named_words` where subtitles or a document have their times.

    mark: a line that comes first, where it isn't the subtitles' own.
    """
    from a3t.audio.output.files import atomic_path
    from a3t.projects.export.exports import ShownWord, write_docx
    from alignment.formats.subtitles import write_subtitles

    ending = out.suffix.lower()
    with atomic_path(out) as path:
        if aligned is None or ending == ".txt":
            path.write_text("".join(f"{line}\n" for line in (mark, text) if line), encoding="utf-8")
        elif ending == ".docx":
            timed = zip(aligned.spoken, words, strict=True)
            said = [ShownWord(s, w.start, w.end, False, name) for w, (s, name) in timed if s]
            if mark:  # a paragraph of its own
                said.insert(0, ShownWord(mark, 0.0, 0.0, False, RECOGNISED_MARK))
            write_docx(out.stem, said, path)
        else:
            staged = path.with_suffix(ending)
            write_subtitles(aligned, staged, [shown for shown, _ in words])
            staged.replace(path)


def same(name: str, other: str) -> bool:
    """Return whether two names are one, however they are written."""
    return name.casefold().split() == other.casefold().split()
