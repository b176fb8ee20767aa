"""Time each word and phone of a recording, by `a3t align IN --text TEXT`.

`a3t align corpus FOLDER` aligns every recording of a folder.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from bisect import bisect_right
from dataclasses import replace

from a3t.commands.align_corpus import align_folder, corpus_parser, transcript_of
from a3t.commands.options import (
    Options,
    add_dictionary_options,
    file_named,
    option,
    user_dictionary,
    user_words,
)
from a3t.console import EXIT_CODES, Parser, run, say
from a3t.errors import InputError
from alignment import ALIGNERS, load_aligner
from alignment.confidence.doubts import Doubt, doubts, with_confidences
from alignment.formats.alignment_files import check_format, write_alignment
from alignment.result import Alignment


def parser() -> argparse.ArgumentParser:
    """Return the parser of `a3t align`."""
    result = Parser(
        prog="a3t align",
        description="Time every word and phone of a recording. (A folder: a3t align "
        "corpus FOLDER.)",
        epilog=EXIT_CODES,
    )
    option(result, "wav IN", "the recording")
    about = "what the recording says, or @FILE: a text, subtitles … (docs/formats.md)"
    option(result, "--text TEXT", about)
    about = (
        ".TextGrid, .json, .lab, .ctm, .srt, .vtt or .txt (Audacity); default: "
        "{stem}.TextGrid beside IN"
    )
    option(result, "--out FILE", about)
    option(result, "--json", "print JSON; write a file only with --out")
    about = "number of processes for a recording of more than a minute"
    option(result, "--jobs N", about, default=os.cpu_count() or 1)
    add_aligner_options(result)
    return result


def add_aligner_options(options: Options) -> None:
    """Add the options that choose an aligner."""
    about = "a3t's own (default), or the Montreal Forced Aligner, if it is installed"
    option(options, "--aligner", about, choices=ALIGNERS, default=ALIGNERS[0])
    add_dictionary_options(options)


def main(arguments: list[str]) -> int:
    """Run `a3t align` and return the exit code."""
    if arguments[:1] == ["corpus"]:
        folders = corpus_parser()
        add_aligner_options(folders)
        options = folders.parse_args(arguments[1:])
        return run(lambda: align_folder(options, user_dictionary(options)))
    options = parser().parse_args(arguments)
    return run(lambda: align(options))


def align(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    from a3t.audio.output.files import check_target
    from a3t.audio.reading.recording import Recording
    from a3t.text.pronunciation.pronouncer import Pronouncer

    if options.jobs < 1:
        raise InputError("--jobs must be at least 1.")
    out = options.out
    if out is None and not options.json:
        out = options.wav.with_suffix(".TextGrid")
        if out.exists():  # perhaps corrected by hand
            raise InputError(f"{out} is there already: replace it by --out {out}, or name another.")
    if out is not None:
        check_format(out)
        check_target(out, options.wav, file_named(options.text), options.words, options.dict)
    own, listed = user_words(options)
    pronouncer = Pronouncer(own, names=listed)
    recording = Recording.open(options.wav)
    aligner = load_aligner(options.aligner, options.jobs)
    found = transcript_of(recording, options.text, pronouncer)
    transcript, recognised = found.transcript, found.origin == "recognised"
    if options.text is None:
        about = "Recognised" if recognised else f"Transcript ({found.origin})"
        say(f"{about}: {transcript.text.strip()}")
    if found.about:
        say(found.about)
    alignment = aligner.align_recording(
        recording, transcript.spoken, pronouncer.choices(transcript.spoken)
    )
    alignment = with_confidences(replace(alignment, recognised=recognised), found.confidences)
    for sentence in [*not_heard(alignment), *map(str, other_doubts(alignment))]:
        say(sentence)
    if out is not None:
        write_alignment(alignment, out, transcript.shown)
        marked = " (marked as recognised: correct it before you rely on it)" if recognised else ""
        say(f"Written: {out}{marked}")
    if options.json:
        print(json.dumps(alignment.to_json(), indent=1, ensure_ascii=False))


def not_heard(alignment: Alignment) -> list[str]:
    """Describe each run of words that are not heard where the text has them."""
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
    """Return the doubts beside the runs that `not_heard` names."""
    from alignment.long.whole import doubtful_runs

    spoken = alignment.spoken
    named = [(spoken[a].start, spoken[b - 1].end) for a, b in doubtful_runs(alignment)]

    def is_named(doubt: Doubt) -> bool:
        run = bisect_right(named, (doubt.start, math.inf)) - 1
        return run >= 0 and doubt.end <= named[run][1]

    return [doubt for doubt in doubts(alignment) if not is_named(doubt)]
