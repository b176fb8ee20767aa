"""The parts that command lines share: one-sentence errors, exit codes, progress.

Training runs where neither the aligner nor the editor is installed, and ends by `run` as well: what
only an edit's options need is imported where they are read.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from a3t.errors import InputError, tidy_up_first

if TYPE_CHECKING:
    from a3t.audio.matching.match_options import MatchedTraits
    from a3t.plan.request import EditRequest

DONE, BAD_INPUT, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

STEPS = {
    "read": "reading",
    "transcribe": "finding the transcript",
    "align": "aligning",
    "speakers": "telling the speakers apart",
    "plan": "planning",
    "fill": "filling the spectrogram",
    "vocode": "vocoding",
    "emphasise": "emphasising",
    "splice": "splicing",
    "check": "listening to the new words",
}


# What options are added to: a parser, or a group of one.
Options = argparse.ArgumentParser | argparse._ArgumentGroup


class Parser(argparse.ArgumentParser):
    """Wrong usage is told in one line, without the usage of every option."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


class Once(argparse.Action):
    """An argument that can be given in two ways, but not in both."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        for value in values if isinstance(values, list) else [values]:
            if getattr(namespace, self.dest, None) is not None:
                parser.error(f"{self.metavar} is given twice")
            setattr(namespace, self.dest, value)


def run(command: Callable[[], None]) -> int:
    """Run a command; the exit code. Bad input becomes one sentence, never a traceback."""
    # Threads that wait for each other leave the cores to others: on a busy machine spinning ones
    # learnt a voice in six times the processor's time. Read when torch is loaded, which is later.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        tidy_up_first()
        for stream in (sys.stdout, sys.stderr):  # a file's name may be bytes that are no UTF-8
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        command()
    except InputError as error:
        complain(str(error))
        return BAD_INPUT
    except ValueError as error:
        if not _is_alignment_error(error):
            raise
        complain(str(error))
        return BAD_INPUT
    except KeyboardInterrupt as interrupt:
        complain(str(interrupt) or "Interrupted: nothing was written.")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone
        return BAD_INPUT
    except MemoryError:
        complain("Not enough memory: use a shorter recording.")
        return BAD_INPUT
    except OSError as error:
        complain(f"{error.filename or 'A file'} can't be used: {error.strerror or error}.")
        return BAD_INPUT
    return DONE


@contextmanager
def importing() -> Iterator[None]:
    """Around large imports: all that they make is kept, and if Python looked through it for what
    isn't, time and again, importing torch would take a sixth longer."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _is_alignment_error(error: ValueError) -> bool:
    module = sys.modules.get("alignment.errors")  # where nothing was aligned, it isn't there
    return module is not None and isinstance(error, module.AlignmentError)


def complain(sentence: str) -> None:
    """Print an error on standard error, on one line."""
    _clear()
    print(f"a3t: {' '.join(sentence.split())}", file=sys.stderr)


def show_progress(step: str) -> None:
    """Name a step on the terminal, overwriting the step before; print nothing to a pipe."""
    if sys.stderr.isatty():
        _clear()
        print(f"{STEPS.get(step, step)} …", end="", file=sys.stderr, flush=True)


class Progress:
    """Shows steps, by `show_progress`. Of learning a voice it says, once, that it begins, and off a
    terminal each quarter of it. plan: said before that."""

    def __init__(self, plan: str = "") -> None:
        self.plan = plan
        self._begun: tuple[int, float] | None = None
        self._quarter = 0

    def __call__(self, step: str) -> None:
        name, *numbers = step.split()
        if numbers:
            self.learnt(*map(int, numbers))
        else:
            show_progress(name)

    def learnt(self, step: int, steps: int) -> None:
        """Show that ``step`` of ``steps`` of learning a voice are done."""
        now, quarter = time.monotonic(), 4 * step // steps
        if self._begun is None:
            self._begun, self._quarter = (step, now), quarter
            say(self.plan) if self.plan else None
            say("Learning the speaker's voice first, which takes a minute or more.")
        done, reached = step - self._begun[0], f"learning the voice: step {step} of {steps}"
        if done:
            reached += f", {(now - self._begun[1]) / done * (steps - step):.0f} s left"
        if sys.stderr.isatty():
            show_progress(reached)
        elif quarter > self._quarter:
            self._quarter = quarter
            say(reached)


def _clear() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)


def say(text: str) -> None:
    """Print a message for the user on standard error; standard output is for requested data."""
    _clear()
    print(text, file=sys.stderr)


def text_argument(value: str) -> str:
    """A text, or the contents of the file after an @."""
    if not value.startswith("@"):
        return value
    from a3t.source.transcripts import read_text

    return read_text(Path(value[1:]))


WORD_EXPORTS = tuple("textgrid labels srt vtt word-srt word-vtt".split())
EXPORTS = (*WORD_EXPORTS, *"csv edl otio xml fcpxml rpp md docx png".split())


def export_kinds(value: str) -> tuple[str, ...]:
    """Parse the value of --export, a comma-separated list."""
    kinds = tuple(dict.fromkeys(kind.strip().lower() for kind in value.split(",") if kind.strip()))
    unknown = [kind for kind in kinds if kind not in EXPORTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"“{unknown[0]}” is not one of {', '.join(EXPORTS)}")
    return kinds


def add_export_argument(options: Options) -> None:
    """--export of whatever makes an edit."""
    options.add_argument(
        "--export", type=export_kinds, default=(), metavar="KINDS",
        help=f"also write these files about the result, beside OUT: {', '.join(EXPORTS)}",
    )  # fmt: skip


def add_recogniser_argument(options: Options) -> None:
    """--recogniser of whatever may have to find out what a recording says."""
    from alignment.recognition import RECOGNISERS

    options.add_argument(
        "--recogniser", choices=RECOGNISERS, default="auto",
        help="speech recogniser, used if there is no transcript (auto: what A3T_RECOGNISER names, "
        "else whisper if a model was fetched, else the aligner's network)",
    )  # fmt: skip


def matching(value: str) -> MatchedTraits:
    """Parse the value of --match, a comma-separated list or "none"."""
    from a3t.audio.matching.match_options import MatchedTraits

    if value.strip().lower() == "none":
        return MatchedTraits.of(())
    try:
        return MatchedTraits.of(kind.strip().lower() for kind in value.split(",") if kind.strip())
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def when_to_adapt(value: str) -> str | float:
    """Parse the value of --adapt."""
    from a3t.plan.edit_limits import check_adapt

    try:
        return check_adapt(value)  # type: ignore[return-value]
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_adapt_argument(options: Options, default: str) -> None:
    """--adapt of a request (`a3t.plan.request`); ``A3T_ADAPT`` has another default."""
    default = os.environ.get("A3T_ADAPT", default)
    options.add_argument(
        "--adapt", nargs="?", type=when_to_adapt, const="always", default=default, metavar="WHEN",
        help="first learn the recording's voice, once: always (if nothing follows), auto (if it "
        f"has enough speech), never, or in so many seconds (default: {default})",
    )  # fmt: skip


def add_voice_arguments(options: Options, adapt: str) -> None:
    """The options of `a3t edit` and `a3t tts` about how new words sound; ``adapt`` by default."""
    from alignment.formats.dictionary import add_dictionary_arguments

    options.add_argument(
        "--speed", type=float, default=1.0, metavar="X",
        help="rate of the new words relative to the speaker's own (default: 1)",
    )  # fmt: skip
    add_dictionary_arguments(options)
    options.add_argument(
        "--voice", metavar="NAME", help="the speaker's voice, as made by `a3t voice make`"
    )
    add_adapt_argument(options, adapt)


def add_expert_arguments(options: Options) -> None:
    """The options of `a3t edit` and `a3t tts` about the models."""
    options.add_argument(
        "--seed", type=int, default=0, metavar="N",
        help="of the noise, and of the melody: 0 is the likeliest, others draw one (default: 0)",
    )  # fmt: skip
    for name, default in (("model", "small"), ("vocoder", "builtin")):
        options.add_argument(
            f"--{name}", default=default, metavar="NAME_OR_PATH",
            help=f"a shipped {name}, or a folder with another (default: {default})",
        )  # fmt: skip
    options.add_argument(
        "--device",
        default="cpu",
        metavar="D",
        help="what the models run on: cpu, cuda … (default: cpu)",
    )


def edit_request(options: argparse.Namespace) -> EditRequest:
    """The request that the options of `a3t edit` make; InputError if a value is out of range."""
    from a3t.plan.plan_file import read_plan
    from a3t.plan.request import EditRequest, pronunciations_of
    from a3t.plan.reuse.other_recordings import OtherRecording
    from a3t.text.pronunciation.as_it_sounds import as_it_sounds
    from alignment.formats.dictionary import user_dictionary

    if options.plan_file and options.new_text is not None:
        raise InputError("A plan file has its own new text: omit the one given beside it.")
    times = [f"--{name}" for name in ("fit", "duration", "plan_file") if getattr(options, name)]
    if options.speed != 1 and times:
        raise InputError(
            f"--speed sets the pace of the new words and {times[0].replace('_', '-')} their time: "
            "omit one of them."
        )
    fields = read_plan(options.plan_file) if options.plan_file else {}
    if "new_text" not in fields:
        fields["new_text"] = text_argument(options.new_text)
    if options.text is not None:
        fields["text"] = text_argument(options.text)
    return EditRequest(
        **fields,
        alignment=options.alignment,
        recogniser=options.recogniser,
        punctuate=not options.no_punctuation,
        speed=options.speed,
        fit=options.fit,
        duration=options.duration,
        pronunciations=pronunciations_of(user_dictionary(options, as_it_sounds)),
        margin=options.margin / 1000,
        match=options.match,
        moves=not options.no_moves,
        others=tuple(OtherRecording(path) for path in options.others),
        candidates=options.candidates,
        seed=options.seed,
        adapt=options.adapt if options.voice is None else "never",
    )
