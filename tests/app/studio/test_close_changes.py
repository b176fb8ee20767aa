"""Changes with too little kept speech between them are made as one, and stay two."""

from typing import Any

from a3t.projects.close_changes import made_as_one
from a3t.projects.document import Change, RecordedWords
from tests.app.studio.conftest import Project, change


def rows(*times: tuple[float, float]) -> list[list[Any]]:
    return [[k, f"w{k}", start, end, 1.0, 0, ""] for k, (start, end) in enumerate(times)]


def test_only_close_changes_are_made_as_one() -> None:
    """Adjacent ones, those beside an insertion, and those with a short word between; none across
    a cut, and none whose words are gone."""
    said = rows((0, 0.4), (0.5, 0.6), (0.7, 1), (1, 1.5), (2, 2.4), (2.5, 3), (3, 4))
    first, third = Change(-1, (0,), "a"), Change(1, (2,), "c")
    inserted, far = Change(4, (), "x"), Change(4, (5,), "")
    gone = Change(9, (10,), "g")
    made = made_as_one([third, far, gone, inserted, first], said)
    one = Change(-1, (0, 1, 2), "a w1 c", recorded=(RecordedWords(1, (1,)),))
    other = Change(4, (5,), "x", recorded=())
    assert made == {first.key: one, third.key: one, inserted.key: other, far.key: other}


def test_two_close_changes_stay_two_and_what_was_accepted_comes_back(project: Project) -> None:
    state = project.listened()
    always, see = change(state, "always", "never"), change(state, "to", "too")
    project.save(always)
    state = project.made()
    (kept,) = state["edits"]
    project.step(gone=[kept], come=[kept | {"accepted": True, "take": 0}])
    project.step(come=[change(state, "want", "hope"), see])
    state = project.made()
    assert [each["text"] for each in state["edits"]] == ["never", "hope", "too"]
    (made,) = {each["made"] for each in state["edits"]}
    assert state["takes"][made][0]["spans"] and state["failures"] == {}
    first = state["edits"][0]
    assert first["accepted"] and first["key"] != made  # of a take that isn't heard any more
    project.post("takes", {"key": made})
    project.made(2)
    files = project.files()
    assert any(name.endswith("edit.json") for name in files)
    project.step(gone=state["edits"][1:], come=[])
    (kept,) = project.state["edits"]
    assert kept["made"] == kept["key"] and kept["accepted"] and kept["take"] == 0


def test_a_change_whose_words_are_gone_fails_by_its_name(project: Project) -> None:
    state = project.listened()
    gone = change(state, "always", "never") | {"tokens": [9999]}
    project.save(gone)
    (kept,) = project.state["edits"]
    assert "make the change again" in project.made()["failures"][kept["made"]]
    told = project.post("export", {}, 400)["detail"]
    assert told.startswith("The change “never” can't be made") and "again" in told
    project.save(change(state, "always", "never"))
    project.made()
    project.files()
