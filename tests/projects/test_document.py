"""The project's document: its steps, merging, history, and the files of earlier versions."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.errors import InputError
from a3t.plan.request import Cut
from a3t.projects import document as module
from a3t.projects.document import (
    Change,
    Correction,
    Document,
    DocumentError,
    MissingWordsError,
    Step,
    draft_of,
    steps_of,
)

GOLDEN = Path(__file__).with_name("golden")
PAUSE = Cut("pause", "cut", 1.0, 1.5)


def changed(document: Document, *changes: Change) -> Document:
    return document.taken(Step(come=changes, label="x"))


def with_other(document: Document, place: int, **fields: Any) -> Document:
    """The change at a place with other fields, where there is one."""
    if not document.changes:
        return document
    change = document.changes[place]
    return document.taken(Step((change,), (replace(change, **fields),), label="x"))


NEVER = Change(0, (1,), "never")
OPERATIONS: list[Callable[[Document], Document]] = [
    lambda d: changed(d, NEVER),
    lambda d: changed(d, Change(0, (1, 2), "ever and ever")),
    lambda d: changed(d, Change(3, (4, 5), "")),
    lambda d: changed(d, Change(7, (), "indeed")),
    lambda d: changed(d, Change(8, (9, 10), ""), Change(2, (), "very much")),
    lambda d: changed(d, Change(11, (), "", cut=PAUSE)),
    lambda d: with_other(d, 0, accepted=True),
    lambda d: with_other(d, -1, take=3),
]


@given(st.lists(st.sampled_from(OPERATIONS), max_size=8))
def test_what_was_done_is_taken_back_and_comes_again(
    operations: list[Callable[[Document], Document]],
) -> None:
    documents = [Document()]
    for operation in operations:
        after = operation(documents[-1])
        if after.done != documents[-1].done:
            assert set(after.undo().changes) == set(documents[-1].changes)
            assert set(after.undo().redo().changes) == set(after.changes)
        documents.append(after)
    last = documents[-1]
    assert Document.from_json(json.loads(json.dumps(last.to_json()))) == last
    while last.done:
        last = last.undo()
    with pytest.raises(InputError, match="nothing to undo"):
        last.undo()


def test_of_two_changes_of_one_place_the_later_one_stays() -> None:
    document = changed(changed(Document(), NEVER), Change(0, (1, 2), "ever"))
    assert [change.text for change in document.changes] == ["ever"]
    gentle = Step(come=(Change(0, (1,), "seldom"),), gentle=True)
    assert document.taken(gentle) == document


def test_a_clients_step_counts_once_and_steps_of_others_stay() -> None:
    steps = [Step(come=(Change(0, (k,), f"word {k}"),), n=k, label="x") for k in (1, 2)]
    document = changed(Document().merged(steps, "a").merged(steps, "a"), Change(9, (), "more"))
    assert len(document.changes) == 3 and len(document.done) == 3
    assert document.clients == {"a": 2}
    assert document.merged(steps, "b").changes == document.changes  # the same changes again


def test_a_take_that_is_heard_once_it_is_made_is_not_in_the_history() -> None:
    document = changed(Document(), NEVER)
    heard = document.taken(Step((NEVER,), (replace(NEVER, take=1),)))
    assert heard.changes[0].take == 1 and heard.done == document.done


def test_the_history_and_the_changes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_STEPS", 10)
    monkeypatch.setattr(module, "MAX_CHANGES", 20)
    document = Document()
    for k in range(15):
        document = changed(document, Change(k, (), "x"))
    assert len(document.done) == 10
    many = Step(come=tuple(Change(k, (), "x") for k in range(20)), label="x")
    assert len(Document().taken(many).changes) == 20
    with pytest.raises(DocumentError):
        changed(Document().taken(many), Change(20, (), "x"))


def test_corrections_wait_until_they_are_done() -> None:
    document = Document().taken(
        Step(correct=(Correction(0, (1,), 2, "two", was="too"),), label="x")
    )
    (waiting,) = document.corrections
    assert waiting.text == "two" and not document.changes
    assert not document.without(waiting).corrections and document.without(waiting).done
    assert not document.without(waiting, is_refused=True).done  # there is nothing to take back
    assert document.undo().corrections[1].text == "too"


def test_words_that_are_gone_are_told() -> None:
    change = Change(0, (1, 2), "x")
    assert change.place_in({0: 0, 1: 1, 2: 2}, 3) == (1, 3)
    for ids in ({0: 0, 1: 1}, {0: 0, 1: 2, 2: 1}, {1: 1, 2: 2}):
        with pytest.raises(MissingWordsError):
            change.place_in(ids, 3)
    other = Change(0, (1, 2), "x", cut=PAUSE)
    assert other.key != change.key  # it has takes of its own


@pytest.mark.parametrize("number", [1, 2, 3])
def test_documents_of_earlier_formats_are_read(number: int) -> None:
    """The files are as a3t once wrote them."""
    read = Document.from_json(json.loads((GOLDEN / f"script-{number}.json").read_text()))
    first = Change(0, (1,), "never", take=2, accepted=True)
    cut = Change(4, (), "", cut=Cut("pause", "cut", 1.5, 2.0))
    assert (read.revision, read.changes) == (7, (first, cut))
    assert read.corrections == (Correction(5, None, 7, "two", "f3b1 3"),)
    assert (read.clients, read.settings) == ({"f3b1": 4}, {"speed": 1.2})
    assert read.draft == draft_of({"first": 8, "last": 8, "text": "degre", "mode": "edit"})
    written = json.loads(json.dumps(read.to_json()))
    today = json.loads((GOLDEN / "script-3.json").read_text())
    assert {**today, "done": written["done"], "undone": written["undone"]} == written
    if number == 2:  # whose steps had no names
        assert [step.name for step in read.done] == ["earlier 1", "earlier 2"]
        assert read.undo().changes == (replace(first, accepted=False), cut)
    if number == 3:
        assert written == today


@pytest.mark.parametrize(
    "data",
    [
        None, 7, [], "x", {"edits": 7}, {"edits": [7]}, {"edits": [{"after": "x"}]},
        {"format": 4}, {"format": "1"}, {"format": 2, "changes": {}}, {"pages": {"a": "x"}},
        {"format": 2, "changes": [{"after": 0, "tokens": [], "text": ""}]},
        {"format": 2, "changes": [{"after": 2**40, "tokens": [], "text": "x"}]},
        {"edits": [{"after": 0, "tokens": [1.5], "text": "x"}]}, {"format": [1]},
    ],
)  # fmt: skip
def test_what_is_no_document_is_refused(data: Any) -> None:
    with pytest.raises(ValueError):
        Document.from_json(data)


@pytest.mark.parametrize(
    "data", [None, {}, [7], [{}], [{"n": "x"}], [{"come": [{}]}], [{"n": 1}] * 2001]
)
def test_what_are_no_steps_is_refused(data: Any) -> None:
    with pytest.raises(DocumentError):
        steps_of(data)


@pytest.mark.parametrize("come", [(), (Change(0, (1,), "gamma", at=3.0),)])
def test_a_rival_that_nobody_saw_comes_back_when_its_change_goes(come: tuple[Change, ...]) -> None:
    alpha, beta = (Change(0, (1,), text, at=at) for text, at in (("alpha", 1.0), ("beta", 2.0)))
    won = Step(come=(alpha,)).applied(Step(come=(beta,)).applied(()))
    assert [change.rivals for change in won] == [(alpha,)]
    unaware, aware = Step((beta,), come), Step(won, come)
    assert [alpha] == [each for c in unaware.applied(won) for each in (c, *c.rivals)][-1:]
    assert not any(alpha in (c, *c.rivals) for c in aware.applied(won))
