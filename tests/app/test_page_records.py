"""The page's types of what the server sends (`app/web/records.d.ts`) are those of its records."""

import dataclasses
import re
import types
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from a3t.plan.request import Cut
from a3t.projects.document import Change, Correction, Draft, RecordedWords, Step
from a3t.projects.store.projects import RecentProject
from a3t.projects.store.recordings import FurtherRecording
from a3t.projects.store.words import WordFields
from a3t.projects.take_record import NewWord, PatchSpan, Pronunciation, TakeRecord
from app.studio.project import DocumentLimits, SoundShape
from app.studio.project_words import Progress
from app.studio.recogniser_fetch import FetchState

PAGE = Path(__file__).parents[2] / "app" / "web" / "records.d.ts"
# Of each record, what the page isn't sent, or has as a type of its own.
HIDDEN: dict[type, set[str]] = {
    Cut: set(),
    Change: set(),
    RecordedWords: set(),
    Correction: {"name"},
    Draft: set(),
    Step: {"gone", "come", "client"},
    WordFields: set(),
    FurtherRecording: {"text"},
    PatchSpan: set(),
    NewWord: set(),
    Pronunciation: set(),
    TakeRecord: {"format", "mix", "model", "vocoder", "voice", "scores"},
    DocumentLimits: set(),
    SoundShape: set(),
    Progress: set(),
    RecentProject: set(),
    FetchState: set(),
}
OWN = {Step: {"gone", "come", "name"}, FurtherRecording: {"said"}}  # what it is sent besides
NAMES = {SoundShape: "Sound"}  # where the page's name is another one
PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", types.NoneType: "null"}


def type_script(kind: Any) -> str:
    """Return a Python type as TypeScript has it."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " | ".join(f'"{each}"' for each in args)
    if origin in (Union, types.UnionType):
        return " | ".join(map(type_script, args))
    if origin is dict:
        return f"Record<string, {type_script(args[1])}>"
    if origin is tuple and args[-1] is Ellipsis:
        return f"{type_script(args[0])}[]"
    if origin is tuple:
        return f"[{', '.join(map(type_script, args))}]"
    return PLAIN.get(kind) or kind.__name__


def fields_of(name: str) -> dict[str, str]:
    """Return the type of each field of the page's interface, without the names in its tuples."""
    pattern = rf"export interface {name}\b[^{{]*\{{(.*?)\}}"
    found = re.search(pattern, PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, name
    rows = [row.strip() for row in found[1].split(";") if row.strip()]
    parted = [row.split(": ", 1) for row in rows]
    return {field.rstrip("?"): re.sub(r"\w+\??: ", "", kind) for field, kind in parted}


@pytest.mark.parametrize("record", HIDDEN, ids=lambda record: record.__name__)
def test_the_page_has_a_record_as_it_is_sent(record: Any) -> None:
    hints = get_type_hints(record)
    sent = {
        field.name: type_script(hints[field.name]).removesuffix(" | null" if field.metadata else "")
        for field in dataclasses.fields(record)
        if field.name not in HIDDEN[record]
    }
    shown = fields_of(NAMES.get(record, record.__name__))
    assert {name: shown[name] for name in shown if name not in OWN.get(record, set())} == sent
