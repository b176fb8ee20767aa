"""Reads documents: the fenced blocks, the commands in them, the inline code."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "recipes/**/*.md", "a3t/**/*.md", "alignment/**/*.md")
    for path in ROOT.glob(pattern)
)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its document, the line it begins at, its language and its text."""

    document: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"

    def commands(self) -> list[str]:
        """The commands of a block of `sh`, with continued lines joined; in a block that shows
        output too, the lines after a `$`."""
        lines = self.text.splitlines()
        if any(line.startswith("$ ") for line in lines):
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        found, pending = [], ""
        for line in lines:
            pending += line
            if not line.endswith(("\\", "|")) and complete(pending):
                found.append(pending)
                pending = ""
            else:
                pending += "\n"
        assert not pending, f"{self}: an open quote or a backslash at the end"
        return [command for command in found if command.strip() and command[0] != "#"]


def complete(text: str) -> bool:
    """False while a quote is open."""
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return False
    return True


def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def blocks(*languages: str) -> list[Block]:
    """All fenced blocks of these languages."""
    return [
        Block(document, text_of(document)[: match.start()].count("\n") + 1, *match.groups())
        for document in DOCUMENTS
        for match in FENCED.finditer(text_of(document))
        if match[1] in languages
    ]


def inline_code(document: Path) -> list[str]:
    """The inline code of a document, which may run over a line's end."""
    return [
        " ".join(code.split())
        for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", FENCED.sub("", text_of(document)))
    ]


def simple_commands(command: str) -> Iterator[list[str]]:
    """The words of each program call in a command: pipes and lists are split, redirections,
    comments and the variables set before a program are left out, and so are calls within $()."""
    command = re.sub(r"\$\(.*\)", "", command, flags=re.DOTALL)
    lexer = shlex.shlex(command.replace("\\\n", " "), posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words: list[str] = []
    skip = False
    for word in lexer:
        if set(word) <= set("|&;"):
            if words:
                yield words
            words = []
        elif set(word) <= set("<>"):
            skip = True
        elif skip:
            skip = False
        elif words or not re.match(r"\w+=", word):
            words.append(word)
    if words:
        yield words
