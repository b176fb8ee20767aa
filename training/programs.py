"""Command lines: a program is its options and what it does with them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from a3t.console import Parser, run


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
        spec = sys.modules[self.work.__module__].__spec__
        parser = Parser(
            prog=f"python -m {self.name or (spec.name if spec else '')}",
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

        return run(work)
