"""The page's types of what the server sends (`app/web/records.d.ts`) are those of its records."""

import ast
import dataclasses
import re
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from a3t.plan.request import Cut
from a3t.projects.document import Change, Correction, Draft, RecordedWords, Step
from a3t.projects.store.project_state import SpeakerTrack
from a3t.projects.store.projects import RecentProject
from a3t.projects.store.recordings import FurtherRecording
from a3t.projects.store.words import Token, WordFields
from a3t.projects.take_record import NewWord, PatchSpan, Pronunciation, TakeRecord
from alignment.result import Word
from app.option_forms import ShownOption
from app.studio.project_listening import Progress
from app.studio.recogniser_fetch import FetchState
from app.studio.shown_project import (
    DocumentLimits,
    SavedScript,
    ShownProject,
    ShownScript,
    SoundShape,
)
from app.studio.voice_learning import VoiceOffer

APP = Path(__file__).parents[2] / "app"
PAGE = APP / "web" / "records.d.ts"
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
    SpeakerTrack: {"file", "level", "sha256"},
    Progress: set(),
    RecentProject: set(),
    FetchState: set(),
    VoiceOffer: set(),
    ShownOption: set(),
    SavedScript: set(),
    ShownScript: set(),
    ShownProject: set(),
}
OWN = {Step: {"gone", "come", "name"}, FurtherRecording: {"said"}}  # what it is sent besides
# Where the page's name is another one, and what it names that the server has as plain JSON.
NAMES = {SoundShape: "Sound", ShownOption: "Option"}
JSON = {
    "edits": "Edit[]", "tokens": "SentToken[]", "recordings": "FurtherRecording[]",
    "done": "Step[]", "undone": "Step[]", "takes": "Record<string, TakeRecord[]>",
}  # fmt: skip
PLAIN = {
    int: "number", float: "number", str: "string", bool: "boolean", types.NoneType: "null",
    object: "any",
}  # fmt: skip


def type_script(kind: Any) -> str:
    """Return a Python type as TypeScript has it."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " | ".join(f'"{each}"' for each in args)
    if origin in (Union, types.UnionType):
        return " | ".join(map(type_script, args))
    if origin in (dict, Mapping):
        return f"Record<string, {type_script(args[1])}>"
    if origin is Sequence or (origin is tuple and args[-1] is Ellipsis):
        return f"{type_script(args[0])}[]"
    if origin is tuple:
        return f"[{', '.join(map(type_script, args))}]"
    return PLAIN.get(kind) or NAMES.get(kind) or kind.__name__


def fields_of(name: str) -> dict[str, str]:
    """Return the type of each field of the page's interface, without the names in its tuples."""
    pattern = rf"export interface {name}\b(?: extends (\w+))?[^{{]*\{{(.*?)\}}"
    found = re.search(pattern, PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, name
    base = fields_of(found[1]) if found[1] else {}
    return base | {field.rstrip("?"): kind for field, kind in rows_of(found[2])}


def rows_of(fields: str) -> list[tuple[str, str]]:
    """Return the names and types of fields, without the names in their tuples."""
    parted = [row.strip().split(": ", 1) for row in fields.split(";") if row.strip()]
    return [(name, re.sub(r"\w+\??: ", "", kind)) for name, kind in parted]


@pytest.mark.parametrize("record", HIDDEN, ids=lambda record: record.__name__)
def test_the_page_has_a_record_as_it_is_sent(record: Any) -> None:
    hints = get_type_hints(record)
    sent = {
        field.name: JSON.get(field.name, kind)
        if "any" in (kind := type_script(hints[field.name])) or "Shown" in kind
        else kind.removesuffix(" | null" if field.metadata else "")
        for field in dataclasses.fields(record)
        if field.name not in HIDDEN[record]
    }
    shown = fields_of(NAMES.get(record, record.__name__))
    assert {name: shown[name] for name in shown if name not in OWN.get(record, set())} == sent


def told() -> dict[str, set[frozenset[str]]]:
    """Return the fields of every event that the server tells of, by its kind."""
    events: dict[str, set[frozenset[str]]] = {}
    for path in (APP / "studio").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "tell":
                values = {each.arg: each.value for each in call.keywords}
                kind = ast.literal_eval(values.pop("kind"))
                fields = frozenset(name or "Progress" for name in values)
                events.setdefault(kind, set()).add(fields)
    return {**events, "reload": {frozenset()}}  # which a page that is too late gets, too


def test_the_page_knows_every_event_with_its_fields() -> None:
    union = PAGE.read_text(encoding="utf-8").partition("export type ProjectEvent =")[2]
    known: dict[str, list[tuple[str, str]]] = {}
    for fields, more in re.findall(r"\| \{ (.*?) \}(?: & (\w+))?", union.partition(";\n\n")[0]):
        (_, kinds), *rest = rows_of(fields)
        for kind in kinds.split(" | "):
            known[kind.strip('"')] = [*rest, *([(more, more)] if more else [])]
    events = told()
    assert known.keys() == events.keys()
    for kind, sent in events.items():
        always = {name for name, _ in known[kind] if not name.endswith("?")}
        for fields in sent:
            assert always <= fields <= {name.rstrip("?") for name, _ in known[kind]}, kind


def test_the_page_knows_the_fields_of_a_token() -> None:
    token = Token(3, "one", (Word("one", 0.1, 0.4, 0.9),), pause=True, speaker="Ann")
    page = PAGE.read_text(encoding="utf-8")
    (fields,) = re.findall(r"export type SentToken = \[(.*?)\];", page)
    kinds = [PLAIN[type(value)] for value in token.shown()]
    assert re.findall(r"\w+\??: (\w+)", fields) == kinds
    assert re.findall(r"(\w+)\??:", fields) == [
        name for name in fields_of("Token") if name not in ("heard", "waits")
    ]
