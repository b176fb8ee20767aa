"""Written forms and how a narrator reads them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from a3t.text.normaliser.normalise import normalise
from evaluation.text_readings import letters, said

READINGS = Path(__file__).with_name("readings.txt")
NARRATED = Path(__file__).with_name("narrated.txt")
PODCASTS = Path(__file__).with_name("podcasts.txt")
KINDS = Path(__file__).with_name("kinds.txt")


def readings(path: Path) -> list[list[str]]:
    """[written, spoken, …] of each line of a table that has a bar; the other lines are headings."""
    return rows_of(path.read_text(encoding="utf-8"))


def rows_of(text: str) -> list[list[str]]:
    lines = text.splitlines()[1:]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines if " | " in line]


def words(text: str) -> list[str]:
    return [word for token in normalise(text) for word in token.words]


def faults(table: Iterable[Sequence[str]]) -> str:
    """A line for each text that isn't said in any of the ways that its row allows."""
    wrong = []
    for written, *ways in table:
        said = " ".join(words(written))
        if said not in ways:
            wrong.append(f"{written} | {said} | not {ways[0]}")
    return "\n".join(wrong)


def test_the_table_has_no_line_twice() -> None:
    written = [row[0] for row in readings(READINGS)]
    assert len(written) >= 150 and len(set(written)) == len(written)


def test_what_is_said() -> None:
    assert not faults(readings(READINGS))


def test_what_podcasts_say() -> None:
    """All that was mended, and most of the part by which no rule was written."""
    mended, set_aside = PODCASTS.read_text(encoding="utf-8").split("# set aside")
    for part, share in ((mended.split("# by which")[0], 1.0), (mended, 0.99), (set_aside, 0.95)):
        rows = [
            [x.replace(" ", "") if k else x for k, x in enumerate(row)] for row in rows_of(part)
        ]
        wrong = [row for row in rows if "".join(words(row[0])) not in row[1:]]
        assert len(wrong) <= (1 - share) * len(rows), wrong


def test_kinds_of_figures_and_signs() -> None:
    """All of the half that the rules were written by, and most of the half set aside."""
    fitted, set_aside = KINDS.read_text(encoding="utf-8").split("# set aside")
    for part, share in ((fitted, 1.0), (set_aside, 0.92)):
        rows = rows_of(part)
        wrong = [row[0] for row in rows if said(row[0]) not in map(letters, row[1:])]
        assert len(wrong) <= (1 - share) * len(rows), wrong


def test_what_narrators_say() -> None:
    """The list that was written before its rules; how the words are parted doesn't count."""
    table = readings(NARRATED)
    together = [[row[0], *(way.replace(" ", "") for way in row[1:])] for row in table]
    said = {row[0]: "".join(words(row[0])) for row in table}
    wrong = [f"{row[0]} | {said[row[0]]}" for row in together if said[row[0]] not in row[1:]]
    assert len(table) >= 400 and not "\n".join(wrong)


def test_spoken_words_stay_as_they_are() -> None:
    assert not faults((row[1], row[1]) for row in readings(READINGS))
