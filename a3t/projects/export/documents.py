"""The transcript of an edited recording as a document, each paragraph with its time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LONGEST_BREAK = 2.0  # seconds of silence after which a paragraph begins
LONGEST = 120  # words of a paragraph; the next sentence begins another


@dataclass(frozen=True, slots=True)
class ShownWord:
    """A word to show, its start and end in seconds, whether it is synthetic, and who says it, if
    that is named."""

    text: str
    start: float
    end: float
    made: bool
    speaker: str = ""


def paragraphs(words: list[ShownWord]) -> Iterator[list[ShownWord]]:
    """The words in paragraphs: one begins where another speaks, after a long silence, or with a
    sentence after LONGEST."""
    own: list[ShownWord] = []
    for word in words:
        if own:
            ended = own[-1].text.rstrip("\"'”’)").endswith((".", "!", "?"))
            silent = word.start - own[-1].end > LONGEST_BREAK
            if silent or word.speaker != own[-1].speaker or (len(own) >= LONGEST and ended):
                yield own
                own = []
        own.append(word)
    if own:
        yield own


def clock(seconds: float) -> str:
    """h:mm:ss"""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def markdown(title: str, words: list[ShownWord]) -> str:
    """Markdown, with the words that were made in bold."""
    lines = [f"# {_escaped(title)}", ""]
    for own in paragraphs(words):
        lines += [f"**[{clock(own[0].start)}]** {' '.join(_marked(own))}", ""]
    return "\n".join(lines)


def _marked(words: list[ShownWord]) -> Iterator[str]:
    for word in words:
        text = _escaped(word.text)
        yield f"**{text}**" if word.made else text


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in text)


def write_docx(title: str, words: list[ShownWord], path: Path) -> None:
    """A Word document, with the words that were made in bold."""
    import docx

    document = docx.Document()
    document.add_heading(_printable(title), level=1)
    for own in paragraphs(words):
        paragraph = document.add_paragraph()
        paragraph.add_run(f"[{clock(own[0].start)}] ").italic = True
        for word in own:
            paragraph.add_run(f"{_printable(word.text)} ").bold = word.made
    document.save(str(path))


def _printable(text: str) -> str:
    """Without the control characters that XML can't hold."""
    return "".join(letter for letter in text if letter.isprintable())
