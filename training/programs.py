"""Command lines: a program is its options and what it does with them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from a3t.console import BAD_INPUT, Parser, complain, run

OURS = ("a3t", "alignment", "app", "evaluation", "training")


@dataclass(frozen=True)
class Option:
    """An option, or what stands on a command line without a name, as argparse has it."""

    names: tuple[str, ...]
    settings: dict[str, Any]


def option(*names: str, **settings: Any) -> Option:
    """Describe an option as `argparse` does."""
    return Option(names, settings)


def counts(**defaults: int) -> tuple[Option, ...]:
    """Describe whole-numbered options with their defaults, such as ``clips=60, seed=8``."""
    return tuple(
        option(f"--{name}", type=int, default=number, metavar="N", help=f"default: {number}")
        for name, number in defaults.items()
    )


class Program:
    """The program of the module in which ``work`` stands, which describes itself.

    Called with its arguments it returns the exit code: 0 when done or stopped, 1 if the input can't
    be used, which is then said in one sentence, 2 for wrong usage.
    """

    def __init__(
        self,
        work: Callable[[argparse.Namespace], object],
        *options: Option,
        name: str = "",
        about: str | None = None,
    ) -> None:
        self.work, self.options, self.name = work, options, name
        self.about = about or sys.modules[work.__module__].__doc__

    def parse(self, arguments: Sequence[str] | None = None) -> argparse.Namespace:
        """Parse the options that a command line gives; wrong usage ends the program."""
        parser = Parser(
            prog=f"python -m {self._module}",
            description=self.about,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for each in self.options:
            parser.add_argument(*each.names, **each.settings)
        return parser.parse_args(arguments)

    def __call__(self, arguments: Sequence[str] | None = None) -> int:
        """Run the program, and return its exit code."""
        options = self.parse(arguments)

        def work() -> None:
            self.work(options)

        try:
            return run(work)
        except ModuleNotFoundError as error:
            return name_missing_package(self._module, error)

    @property
    def _module(self) -> str:
        spec = sys.modules[self.work.__module__].__spec__
        return self.name or (spec.name if spec else "")


def name_missing_package(module: str, error: ModuleNotFoundError) -> int:
    """Say which extra brings the package that a program lacks, and return the exit code."""
    if str(error.name).partition(".")[0] in OURS:
        raise error
    extra = "text" if module.startswith("training.text.") else "train"
    if module.startswith("evaluation"):
        extra = "app,eval,train"
    complain(f"python -m {module} needs {error.name}: pip install 'a3t[{extra}]'.")
    return BAD_INPUT
