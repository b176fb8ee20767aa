"""The parts that command lines share: one-sentence errors, exit codes, progress, questions.

Training runs where neither the aligner nor the editor is installed, and ends by `run` as well.
"""

from __future__ import annotations

import argparse
import gc
import io
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import NoReturn

from a3t.errors import InputError, tidy_up_first
from alignment.atomic import TERMINATED, recover, termination_raises

DONE, BAD_INPUT, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130
EXIT_CODES = "Exit codes: 0 success, 1 unusable input, 2 wrong usage."

LISTS = ("KINDS", "LIST", "NUMBERS")  # as --help calls values with commas between them

STEPS = {
    "read": "reading",
    "transcribe": "finding the transcript",
    "align": "aligning",
    "speakers": "telling the speakers apart",
    "plan": "planning",
    "fill": "filling the spectrogram",
    "vocode": "vocoding",
    "emphasise": "emphasising",
    "speak": "asking the server to speak",
    "splice": "splicing",
    "check": "listening to the new words",
}


class Parser(argparse.ArgumentParser):
    """A parser that reports wrong usage in one line, without the usage of every option."""

    def parse_intermixed_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse options and files in any order; after “--” there are files alone."""
        given = sys.argv[1:] if args is None else list(args)
        if "--" in given:  # the base class takes what follows for options nevertheless
            place = given.index("--")
            files = [f"./{file}" if file.startswith("-") else file for file in given[place + 1 :]]
            given = [*given[:place], *files]
        return super().parse_intermixed_args(given, namespace)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse options; refuse a second list of one, which would replace the first in silence."""
        given = sys.argv[1:] if args is None else list(args)
        names = Counter(each.partition("=")[0] for each in given[: (*given, "--").index("--")])
        for option in self._actions:
            if option.metavar in LISTS and sum(names[each] for each in option.option_strings) > 1:
                self.error(f"{option.option_strings[0]} is given twice: join its values by commas")
        return super().parse_known_args(given, namespace)

    def error(self, message: str) -> NoReturn:
        """End the program with the message, and the nearest option to one that is unknown."""
        known = [name for name in self._option_string_actions if name.startswith("--")]
        for word in message.partition("unrecognized arguments: ")[2].split():
            near = get_close_matches(word.partition("=")[0], known, 1, 0.75)
            if word.startswith("--") and near:
                message = f"there is no option {word}: did you mean {near[0]}?"
                break
        self.exit(WRONG_USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def run(command: Callable[[], None]) -> int:
    """Run a command and return the exit code; bad input becomes one sentence, never a traceback."""
    try:
        tidy_up_first()
        for stream in (sys.stdout, sys.stderr):  # a file's name may be bytes that are no UTF-8
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        recover()  # or an edit that was killed would be read half done
        with termination_raises():
            command()
    except InputError as error:
        complain(str(error))
        return BAD_INPUT
    except KeyboardInterrupt as interrupt:
        complain(str(interrupt) or "Interrupted: nothing was written.")
        return INTERRUPTED
    except SystemExit as end:
        if end.code != TERMINATED:
            raise
        complain("Ended from outside: nothing was written.")
        return TERMINATED
    except BrokenPipeError:  # the reader of our output has gone
        return BAD_INPUT
    except MemoryError:
        complain("Not enough memory: use a shorter recording.")
        return BAD_INPUT
    except FileExistsError as error:  # only making a folder says so
        complain(f"{error.filename} is a file, not a folder: choose another name.")
        return BAD_INPUT
    except NotADirectoryError as error:
        complain(f"{error.filename} can't be used: a part of its path is a file, not a folder.")
        return BAD_INPUT
    except OSError as error:
        complain(f"{error.filename or 'A file'} can't be used: {error.strerror or error}.")
        return BAD_INPUT
    return DONE


@contextmanager
def importing() -> Iterator[None]:
    """Import large modules without garbage collection.

    All that they make is kept; if Python searched it for garbage, importing torch would take a
    sixth longer.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


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
    """Progress on the terminal by `show_progress`; elsewhere each quarter of learning a voice."""

    def __init__(self) -> None:
        self._begun: tuple[int, float] | None = None
        self._quarter = 0

    def __call__(self, step: str) -> None:
        """Show a step."""
        show_progress(step)

    def learnt(self, step: int, steps: int) -> None:
        """Show that ``step`` of ``steps`` of learning a voice are done."""
        now, quarter = time.monotonic(), 4 * step // steps
        if self._begun is None:
            self._begun, self._quarter = (step, now), quarter
            say("Learning the voice, which takes a minute or more.")
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


def on_a_terminal() -> bool:
    """Return whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def answer(question: str) -> str | None:
    """Ask a question and return the typed answer in lower case; None at the end of the input."""
    print(question, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip().lower() if line else None


def agrees(question: str) -> bool:
    """Ask a question and return whether the answer is yes."""
    return answer(f"{question} [y/N] ") in ("y", "yes")
