"""The program itself accepts each command of a document: its options, and the names of its files.

`test_running` runs them, which takes minutes.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from a3t.__main__ import COMMANDS
from a3t.console import Parser
from tests.documents.blocks import DOCUMENTS as ALL_DOCUMENTS
from tests.documents.blocks import ROOT, blocks, inline_code, simple_commands
from tests.documents.prepared import FILES

DOCUMENTS = [path for path in ALL_DOCUMENTS if path.name not in {"log.md", "RESULTS.md"}]
OTHERS = set("make pip git source . export cd curl ffmpeg aplay .ci/run".split())
LAUNCHERS = {"torchrun", "srun"}  # of a recipe, on several machines
ENDINGS = r"\.(wav|txt|srt|vtt|csv|json|mp4|mov|m4a|mp3|TextGrid)"


class AcceptedError(Exception):
    """A program got as far as beginning its work."""


def accepted(*_: Any, **__: Any) -> int:
    raise AcceptedError


def check(words: Sequence[str], patch: pytest.MonkeyPatch, made: set[str]) -> None:
    """Fails if the program that these words call would refuse them; collects the files it makes."""
    program, *rest = words
    program = program.removeprefix(".venv/bin/")
    if program in LAUNCHERS:
        script = next(k for k, word in enumerate(words) if word.endswith("run.sh"))
        check(words[script:], patch, made)
    elif program.endswith(".sh"):
        check_recipe(ROOT / program if "/" in program[2:] else None, rest)
    elif program == "a3t":
        assert rest[0] in COMMANDS
        check_files(rest, made)
        module = import_module(f"a3t.commands.{rest[0].replace('-', '_')}")
        check_main(module, module.main, rest[1:], patch)
    elif program.startswith("python") and rest[0] == "-m":
        if rest[1] not in {"venv", "pytest", "pip"}:
            check_module(rest[1], rest[2:], patch)
    elif program.startswith("python"):
        assert rest[0] == "-c"
    else:
        assert program in OTHERS, program


def check_module(name: str, arguments: Sequence[str], patch: pytest.MonkeyPatch) -> None:
    """As `python -m NAME` would."""
    module = module_of(name)
    for word in arguments:
        if word.startswith(("a3t/", "recipes/", "evaluation/")):
            assert (ROOT / word).exists(), word
    check_main(module, module.main, list(arguments), patch)


def module_of(name: str) -> ModuleType:
    """The module that `python -m NAME` runs."""
    module = import_module(name)
    return import_module(f"{name}.__main__") if hasattr(module, "__path__") else module


def check_main(
    module: ModuleType,
    main: Callable[..., int],
    arguments: list[str],
    patch: pytest.MonkeyPatch,
) -> None:
    """Call a program's main function and stop it where its work would begin."""
    with patch.context() as here:
        if isinstance(getattr(module, "run", None), type(check)) and "a3t" in module.__name__:
            here.setattr(module, "run", accepted)
        else:
            parse = argparse.ArgumentParser.parse_args

            def parse_and_stop(self: argparse.ArgumentParser, *given: Any) -> None:
                parse(self, *given)
                raise AcceptedError

            here.setattr(argparse.ArgumentParser, "parse_args", parse_and_stop)
        call(main, arguments, here)


def call(main: Callable[..., int], arguments: list[str], patch: pytest.MonkeyPatch) -> None:
    """Call a main function, which may take its arguments from `sys.argv`; it must not get far."""
    patch.setattr(sys, "argv", ["program", *arguments])
    with pytest.raises(AcceptedError):
        main(arguments) if signature(main).parameters else main()


def check_recipe(script: Path | None, arguments: Sequence[str]) -> None:
    """A recipe knows its options, which --help at their end makes it list."""
    script = script or ROOT / "recipes" / "mini" / "run.sh"
    assert script.exists()
    subprocess.run(["bash", script, *arguments, "--help"], check=True, capture_output=True)


def check_files(words: Sequence[str], made: set[str]) -> None:
    """Each file that a command reads is one of the prepared ones, or an earlier command made it."""
    for before, word in zip(["", *words], words, strict=False):
        name = word.removeprefix("@")
        if before in {"--out", "--hear", "-o"}:
            made.add(name)
        elif re.fullmatch(rf"[\w.-]+{ENDINGS}", name):
            assert name in made | FILES or ".edited." in name, f"{name} was never made"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_are_accepted(
    document: Path, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: set[str] = set()
    for block in blocks("sh"):
        if block.document == document:
            for command in block.commands():
                with subtests.test(f"{block}: {command}"):
                    made |= set(re.findall(r"(?<!\d)> ([\w.-]+)", command))
                    for words in simple_commands(command):
                        check(words, monkeypatch, made)


def test_inline_commands_are_known(
    subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the text a command may be a part of one: its program and its options exist."""
    known: dict[str, str] = {}
    for document in DOCUMENTS:
        for code in inline_code(document):
            program = re.match(r"a3t ([a-z-]+)|python -m (?!pip|pytest)([\w.]+( [a-z-]+)?)", code)
            if program and program[0] != "python -m evaluation":
                with subtests.test(f"{document}: {code}"):
                    if program[0] not in known:
                        known[program[0]] = options_of(program[0].split(), monkeypatch)
                    for option in re.findall(r"(?<!\S)--[a-z-]+", code):
                        assert option in known[program[0]].split(), option


def options_of(program: Sequence[str], patch: pytest.MonkeyPatch) -> str:
    """The options of all parsers that a program makes until it prints its help."""
    parsers: list[argparse.ArgumentParser] = []
    init = argparse.ArgumentParser.__init__

    def remember(self: argparse.ArgumentParser, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        parsers.append(self)

    if program[0] == "a3t":
        assert program[1] in COMMANDS
        module = import_module(f"a3t.commands.{program[1].replace('-', '_')}")
    else:
        module = module_of(program[2])
    subcommand = program[3:] if program[2:3] == ["evaluation"] else []
    with patch.context() as here:
        here.setattr(argparse.ArgumentParser, "__init__", remember)
        for parser in (argparse.ArgumentParser, Parser):
            here.setattr(parser, "print_help", accepted)
        call(module.main, [*subcommand, "--help"], here)
    return " ".join(name for each in parsers for name in each._option_string_actions)
