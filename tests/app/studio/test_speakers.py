"""Speakers told apart by their sound, named, and taken back."""

from typing import Any

import pytest

from a3t.projects.store.folder import ProjectFolder
from a3t.projects.store.words import Marks, Token, with_speakers
from a3t.source import diarisation
from a3t.text.transcript import Transcript
from alignment import Word
from app.studio import word_corrections
from app.studio.sent import Sent
from app.studio.studio import Studio
from app.studio.work import listening
from tests.app.studio.conftest import Project, change
from tests.conftest import ARCTIC


@pytest.fixture
def project(project: Project) -> Project:
    project.listened()
    return project


def names(state: dict[str, Any]) -> list[str]:
    return [token[6] for token in state["tokens"]]


def ids(state: dict[str, Any], name: str) -> list[int]:
    return [token[0] for token in state["tokens"] if token[6] == name]


def test_names_in_a_transcript_file_stay_at_the_beginning_of_their_lines(studio: Studio) -> None:
    file = studio.place_for_upload("talk.txt")
    file.write_text("ANNA:  Hello\tthere.\n\nBOB: Hi.\n", encoding="utf-8")
    upload = studio.keep_upload("visitor", file, "talk.txt")
    text = studio.text_from("visitor", Sent({"upload": upload}))
    assert text == "ANNA: Hello there.\nBOB: Hi."
    assert [word.speaker for word in Transcript.from_text(text).words] == ["ANNA", "ANNA", "BOB"]


def test_what_is_missing_is_said_before_the_work(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diarisation, "find_spec", lambda name: None)
    assert "a3t[speakers]" in project.post("speakers", {}, 400)["detail"]


def test_they_are_told_apart_named_and_taken_back(
    project: Project, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []

    def by_sound(recording: Any, aligned: Any, text: Any, count: int | None) -> list[int]:
        counts.append(count)
        return [0] * 4 + [1] * (len(text.words) - 4)

    monkeypatch.setattr(word_corrections, "require_packages", lambda: None)
    monkeypatch.setattr(listening, "speakers_by_sound", by_sound)
    project.post("speakers", {"count": 2})
    state = project.until(lambda state: any(names(state)))
    assert counts == [2]
    assert names(state) == ["Speaker 1"] * 4 + ["Speaker 2"] * (len(state["tokens"]) - 4)
    assert [token[1] for token in state["tokens"]] == ARCTIC.split()
    (path,) = studio.projects.root.glob(f"*/{state['id']}")
    texts = [token.text for token in ProjectFolder(path).heard(0).tokens]
    assert texts[:5] == ["Speaker 1: And", "you", "always", "want", "Speaker 2: to"]
    beside = [token[0] for token in state["tokens"]][3:5]
    project.correct({"after": beside[0], "tokens": [beside[1]], "text": "two"})
    state = project.until(lambda state: state["tokens"][4][1] == "two")
    project.until(lambda _: ProjectFolder(path).heard(0).tokens[4].text == "Speaker 2: two")

    first = [ids(state, "Speaker 1")[0], ids(state, "Speaker 1")[-1]]
    assert project.set_words(speakers=[["Zoë", [first]]])["refused"] == [1]
    project.set_words(speakers=[["ZOË", [first]]])
    assert names(project.state) == [name.replace("Speaker 1", "ZOË") for name in names(state)]
    project.save(change(project.state, "superlative", "greatest"))  # in one of two named turns
    assert not project.made()["failures"]

    told = next(step for step in project.state["done"] if step["client"] == "a3t")
    assert told["now"]["speakers"][0] == ["Speaker 1", [[0, 3]]]
    project.set_words(speakers=[["", [[0, 10**5]]]])
    after = ProjectFolder(path).heard(0).tokens
    assert not any(token.speaker for token in after) and after[0].text == "And"
    assert not project.made()["failures"]


def test_a_name_stays_with_its_turn_whether_marks_are_shown_or_not() -> None:
    plain = Marks("hello", False)
    token = Token(0, "Hello.", (Word("hello", 0.0, 0.4),), True, unmarked=plain)
    (named,) = with_speakers([token], {0: "ANNA"})
    for name in ("ANNA", "BOB"):
        (own,) = with_speakers([named], {0: name})
        shown = own.with_marks(False)
        assert (own.text, shown.text) == (f"{name}: Hello.", f"{name}: hello")
        (again,) = with_speakers([shown.with_marks(True)], {0: ""})
        assert again.text == "Hello." and not again.speaker
