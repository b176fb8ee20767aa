"""Time each word and phone of a recording: python -m alignment IN --text TEXT

Also: python -m alignment corpus FOLDER aligns every recording of a folder.
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which take their time
    from a3t.errors import end_at_once

    end_at_once()

import argparse
import json
import math
import os
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from alignment import ALIGNERS, load_aligner
from alignment.confidence.doubts import Doubt, doubts
from alignment.errors import AlignmentError
from alignment.formats.by_ending import check_format, read_alignment, write_alignment
from alignment.formats.dictionary import Dictionary, add_dictionary_arguments, user_dictionary
from alignment.result import Alignment

if TYPE_CHECKING:
    from a3t.audio.reading.recording import Recording
    from a3t.text.transcript import Transcript

DONE, BAD_INPUT, INTERRUPTED = 0, 1, 130

SAME_LENGTH = 0.1  # seconds by which an alignment's end may differ from the recording's


def parser() -> argparse.ArgumentParser:
    from a3t.console import Parser

    result = Parser(
        prog="a3t align",
        description="Find every word and phone of a recording. (A folder: a3t align "
        "corpus FOLDER.)",
        epilog="Exit codes: 0 done, 1 the input can't be used, 2 wrong usage.",
    )
    result.add_argument("wav", type=Path, metavar="IN")
    text = result.add_mutually_exclusive_group()
    text.add_argument(
        "--text",
        metavar="TEXT",
        help="what the recording says, or @FILE: a text file, .srt, .vtt or Whisper's .json",
    )
    text.add_argument(
        "--alignment",
        type=Path,
        metavar="FILE",
        help="convert this alignment instead of making one",
    )
    result.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help=".TextGrid, .json, .lab, .ctm, .srt, .vtt or .txt (Audacity); default: "
        "{stem}.TextGrid beside IN",
    )
    result.add_argument(
        "--json", action="store_true", help="print JSON; write a file only with --out"
    )
    result.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes that share a recording of more than a minute",
    )
    add_aligner_arguments(result)
    return result


def add_aligner_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--aligner", choices=ALIGNERS, default=ALIGNERS[0])
    add_dictionary_arguments(parser)


def as_it_sounds(said: str) -> Sequence[str]:
    """The phones of a word that --pronounce writes as it sounds."""
    from a3t.text.pronunciation import as_it_sounds as respelt

    return respelt.as_it_sounds(said)


def main(arguments: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments[:1] == ["corpus"]:
        from a3t.console import Parser
        from alignment import corpus

        of_folders = Parser(
            prog="a3t align corpus", description="Align every recording of a folder."
        )
        corpus.add_arguments(of_folders)
        add_aligner_arguments(of_folders)
        options = of_folders.parse_args(arguments[1:])
        return run(
            lambda: corpus.align_folder(options, Reader(user_dictionary(options, as_it_sounds)))
        )
    options = parser().parse_args(arguments)
    return run(lambda: align(options))


def run(command: Callable[[], int | None]) -> int:
    """Run a command; the exit code. Bad input becomes one sentence, never a traceback."""
    from a3t.errors import tidy_up_first

    try:
        tidy_up_first()
        return command() or DONE
    except KeyboardInterrupt:
        return complain("Interrupted: nothing was written.", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has gone
        return BAD_INPUT
    except MemoryError:
        return complain("Not enough memory: use a shorter recording.")
    except OSError as error:
        return complain(f"{error.filename or 'A file'} can't be used: {error.strerror or error}.")
    except ValueError as error:
        from a3t.errors import InputError

        if not isinstance(error, AlignmentError | InputError):
            raise
        return complain(str(error))


def complain(sentence: str, code: int = BAD_INPUT) -> int:
    print(f"alignment: {' '.join(sentence.split())}", file=sys.stderr)
    return code


class Reader:
    """Reads recordings and texts, and looks words up, in the user's dictionary first."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary

    def recording(self, path: Path) -> Recording:
        from a3t.audio.reading.recording import Recording

        return Recording.open(path)

    def transcript(self, recording: Recording, text: str | None) -> Transcript:
        """The text as given, of a file, beside the recording, or recognised."""
        from a3t.source.transcripts import find_transcript, text_of
        from a3t.text.pronunciation.pronouncer import Pronouncer

        if text is not None and text.startswith("@"):
            text = text_of(Path(text[1:]))
        return find_transcript(recording, text, None, Pronouncer()).transcript

    def pronunciations(self, words: Sequence[str]) -> dict[str, Sequence[Sequence[str]]]:
        from a3t.text.pronunciation.pronouncer import Pronouncer

        pronouncer = Pronouncer()
        return {word: self.dictionary.get(word) or pronouncer.candidates(word) for word in words}


def align(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError or AlignmentError."""
    out = options.out
    if out is None and not options.json:
        out = options.wav.with_suffix(".TextGrid")
    if out is not None:
        check_format(out)
        if out.resolve() == options.wav.resolve():
            raise AlignmentError(f"{out} is the recording itself: give the output another name.")
    reader = Reader(user_dictionary(options, as_it_sounds))
    recording = reader.recording(options.wav)
    written: list[str] | None = None
    if options.alignment is not None:
        alignment = read_alignment(options.alignment)
        require_length(alignment, recording.seconds, options.alignment)
    else:
        aligner = load_aligner(options.aligner, options.jobs)
        transcript = reader.transcript(recording, options.text)
        if options.text is None:
            print(f"Transcript: {transcript.text.strip()}", file=sys.stderr)
        alignment = aligner.align_recording(
            recording, transcript.spoken, reader.pronunciations(transcript.spoken)
        )
        written = shown(transcript)
        for sentence in not_heard(alignment):
            print(sentence, file=sys.stderr)
        for doubt in other_doubts(alignment):
            print(doubt, file=sys.stderr)
    if out is not None:
        write_alignment(alignment, out, written)
        print(f"Written: {out}", file=sys.stderr)
    if options.json:
        print(json.dumps(alignment.to_json(), indent=1, ensure_ascii=False))


def shown(transcript: Transcript) -> list[str]:
    """The written form of each spoken word; "" after the first of those that share a token."""
    tokens = [word.token for word in transcript.words]
    return [
        word.written if k == 0 or tokens[k - 1] != word.token else ""
        for k, word in enumerate(transcript.words)
    ]


def not_heard(alignment: Alignment) -> list[str]:
    """A sentence for each run of words that are not heard where the text has them."""
    from alignment.long.whole import doubtful_runs

    sentences = []
    for first, end in doubtful_runs(alignment):
        words = alignment.spoken[first:end]
        texts = [word.text for word in words]
        named = " ".join(texts if len(texts) <= 8 else [*texts[:4], "…", *texts[-4:]])
        sentences.append(
            f"Not heard as written, {words[0].start:.1f} to {words[-1].end:.1f} s: "
            f'"{named}" ({len(words)} words).'
        )
    return sentences


def other_doubts(alignment: Alignment) -> list[Doubt]:
    """The doubts beside the runs that `not_heard` names."""
    from alignment.long.whole import doubtful_runs

    spoken = alignment.spoken
    named = [(spoken[a].start, spoken[b - 1].end) for a, b in doubtful_runs(alignment)]

    def is_named(doubt: Doubt) -> bool:
        run = bisect_right(named, (doubt.start, math.inf)) - 1
        return run >= 0 and doubt.end <= named[run][1]

    return [doubt for doubt in doubts(alignment) if not is_named(doubt)]


def require_length(alignment: Alignment, seconds: float, path: Path) -> None:
    """Raises AlignmentError when the alignment can't be this recording's."""
    if alignment.duration > seconds + SAME_LENGTH:
        raise AlignmentError(
            f"{path.name} lasts {alignment.duration:.2f} s and the recording {seconds:.2f} s: "
            "give the alignment of this recording."
        )


if __name__ == "__main__":
    # Imported by its full name, so that worker processes can unpickle what they are given.
    from alignment.__main__ import main as run_main

    sys.exit(run_main())
