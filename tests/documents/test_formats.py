"""docs/formats.md: what its table says is read, is."""

import re
from pathlib import Path

import pytest

from a3t.text.transcript import Transcript, parsed
from tests.alignment.formats.transcript_samples import FILES, LINES, SAID

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
LONGEST_PAGE = 66  # lines
TABLE = PAGE.read_text(encoding="utf-8").partition("|---|---|\n")[2].partition("\n\n")[0]
ROWS = dict(line.strip("| ").split(" | ", 1) for line in TABLE.splitlines())
# Of the kinds that they are read as.
OTHER_NAMES = {"SSA": "ASS", "Audacity": "a table of times", "ELAN": "a table of times"}
EXAMPLE = re.compile(r"`([^`]+)`")


def said(text: str) -> tuple[str, ...]:
    read = parsed(text)
    assert read is not None
    return read.spoken


def test_the_page_is_one_page() -> None:
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= LONGEST_PAGE
    assert len(ROWS) == 9


@pytest.mark.parametrize("example", EXAMPLE.findall(ROWS["text"]))
def test_text(example: str) -> None:
    if example.endswith(":") or "Speaker" in example:
        text = f"{example} We met on Monday,\n{example} at noon.\n{example} It rained."
    else:
        text = f"ANNA: {LINES[0]}\n{example}\nBOB: {LINES[1]}"
    assert said(text) == Transcript.from_text(SAID).spoken


@pytest.mark.parametrize("example", EXAMPLE.findall(ROWS["text with times"]))
def test_text_with_times(example: str) -> None:
    if "text" in example:
        cues = [example.replace("text", line) for line in LINES]
    else:
        name = "\nAnna" if example[0].isdigit() else ""
        cues = [f"{example}{name}\n{line}\n" for line in LINES]
    assert said("\n".join(cues)) == Transcript.from_text(SAID).spoken


@pytest.mark.parametrize(
    "name",
    [
        *ROWS["JSON"].partition(", podcasts")[0].split(", "),
        *re.findall(r"\w+", "SubRip, WebVTT, SBV, ASS, SSA, TTML, MicroDVD"),
        *re.findall(r"CTM|STM|Audacity|HTK|ELAN", ROWS["tables"]),
        "TextGrid",
    ],
)
def test_each_program_and_kind_has_a_sample(name: str) -> None:
    """Which tests/alignment/formats reads."""
    assert name in TABLE
    jsons = [file for file in FILES if file.endswith(".json")]
    kinds = {kind for kind, _ in FILES.values()}
    known = OTHER_NAMES.get(name, name)
    assert any(known in kind for kind in (*kinds, *jsons))
