"""The table of options: what stands in it is in the shell, /v1, the page and the documents."""

import subprocess
import sys
from pathlib import Path

import pytest

from a3t.errors import InputError
from a3t.plan.cleaning import Cleaning
from a3t.plan.options import (
    HTTP,
    PAGE,
    SHELL,
    EditOptions,
    Option,
    option_of,
    options_of,
    read_options,
)

ROOT = Path(__file__).parents[2]

# A row is added before anything is made from the table; its name and its sentence are then in every
# door, and its value in the request that each makes.
ADDED = """
from dataclasses import dataclass
from a3t.plan import options

@dataclass(frozen=True, kw_only=True)
class More(options.EditOptions):
    warmth: float = options.row(
        2.0, "how warm the new words are", doors=options.EVERYWHERE, least=1.0, most=9.0)

options.EditOptions = More

from fastapi import FastAPI
from a3t.commands.editing.edit_options import edit_request, parser
from app import option_forms
from app.server import endpoints
from app.studio import routes
from app.studio.work.take_orders import settings_of

assert "--warmth X" in parser().format_help()
text = " ".join(parser().format_help().split())
assert "how warm the new words are (1 to 9; default: 2)" in text
assert edit_request(parser().parse_args(["x", "--new-text", "a", "--warmth", "3"])).warmth == 3

app = FastAPI()
app.include_router(endpoints.router)
schemas = app.openapi()["components"]["schemas"]
(form,) = (each for name, each in schemas.items() if name.startswith("Body_edit_"))
assert form["properties"]["warmth"]["default"] == 2.0
assert form["properties"]["warmth"]["description"] == "how warm the new words are (1 to 9)"

assert "warmth" in [each.name for each in option_forms.shown_options(options.EditOptions)]
assert "warmth" in [each["name"] for each in routes.most("a visitor")["options"]]
assert settings_of({"warmth": 4})[0].warmth == 4.0
for wrong in ({"warmth": 10}, {"warmth": "warm"}):
    try:
        settings_of(wrong)
    except options.InputError as error:
        assert "warmth" in str(error)
    else:
        raise AssertionError(wrong)
"""


def test_a_new_row_is_in_every_door() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ADDED], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def table(record: type) -> str:
    """The options of a record as a table in Markdown."""
    lines = ["| option | default | range | where | |", "|---|---|---|---|---|"]
    lines += [
        f"| `{row.flag}` | {row.usual} | {row.range} | {', '.join(row.doors)} | {row.help} |"
        for row in options_of(record)
        if row.doors
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("record", [EditOptions, Cleaning])
def test_the_documents_have_the_table(record: type) -> None:
    text = (ROOT / "docs" / "editing.md").read_text(encoding="utf-8")
    assert table(record) in text, f"docs/editing.md lacks this table:\n{table(record)}"


def test_each_door_refuses_with_one_sentence() -> None:
    for door in (SHELL, HTTP, PAGE):
        with pytest.raises(
            InputError, match=r"^600 ms is out of range for “margin”: use 0 to 500 ms\.$"
        ):
            read_options(EditOptions, door, {"margin": 600})


def values(row: Option) -> list[object]:
    """Values within a row's bounds, as a person gives them."""
    if row.least is not None and row.most is not None:
        return [row.kind(row.least), row.kind(row.most)]
    return [*row.choices] or [True, False]


@pytest.mark.parametrize(
    "row", options_of(Cleaning) + options_of(EditOptions), ids=lambda r: r.name
)
def test_values_within_the_bounds_are_read_and_others_refused(row: Option) -> None:
    for value in values(row):
        row.check(row.read(value))
    assert row.read(None) == row.stored(row.default)
    for wrong in ({}, b"1", object(), "no such value"):
        with pytest.raises(InputError):
            row.read(wrong)
    if row.most is not None:
        with pytest.raises(InputError, match="out of range"):
            row.read(row.kind(2 * row.most))


def test_a_value_is_clipped_in_its_own_unit() -> None:
    assert option_of(EditOptions, "margin").clipped(9.0) == 0.5
