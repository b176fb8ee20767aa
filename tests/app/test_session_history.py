"""Accepted edits are edits of the original, not copies of copies."""

from __future__ import annotations

import json

import numpy as np
import pytest
import soundfile

from a3t.errors import InputError
from a3t.projects.history import History
from a3t.projects.replay import read_record
from app.progress import Watch
from app.service import Service
from app.sessions import Session
from app.view import stage
from tests.app.test_sessions import ARCTIC, NEVER, names, session, wish

__all__ = ["session"]  # the fixture


def test_edit_accept_edit_again_undo_redo(service: Service, session: Session) -> None:
    first = session.current
    service.make(session, wish(ARCTIC, NEVER), Watch())
    assert session.current.audio == first.audio  # nothing is accepted yet
    assert names(session) == [
        "talk.edited.wav",
        "talk.edited.edit.json",
        "talk.edited.TextGrid",
        "talk.edited.srt",
    ]
    session.accept("always → never")
    once = session.current
    assert (once.text, session.takes) == (NEVER, ())

    service.make(session, wish(NEVER, NEVER.replace("And ", "")), Watch())
    session.accept("And → –")
    twice = session.current
    assert names(session)[0] == "talk.edited.wav"
    # An edit of the original, not of the version before, whose sound it keeps.
    before, after = (soundfile.read(v.audio, dtype="int16")[0] for v in (first, twice))
    record = json.loads(twice.files[1].read_text(encoding="utf-8"))
    assert record["source"]["path"] == "talk.wav" and record["text"] == ARCTIC
    deleted, made = record["edits"]
    assert (deleted["op"], made["op"]) == ("delete", "replace")
    for edit in (made, deleted):
        before = np.delete(before, np.s_[slice(*edit["source"])])
        after = np.delete(after, np.s_[slice(*edit["output"])])
    assert np.array_equal(before, after)
    assert once.result is not None and twice.result is not None
    assert twice.result.patches[1] is once.result.patches[0]
    versions = History.of(read_record(twice.files[1])).versions
    assert [version["new_text"] for version in versions] == [NEVER, NEVER[4:]]
    for path in twice.files:  # nothing tells where the server keeps its files
        assert str(service.folder).encode() not in path.read_bytes()

    session.step(-1)
    assert session.current is once
    session.step(-1)
    session.step(-1)
    assert session.current.audio == first.audio
    session.step(1)
    assert session.current is once
    service.make(session, wish(NEVER, ARCTIC), Watch())
    (back,) = stage(session)["sides"][1]["marks"]
    assert (back["op"], back["words"]) == ("replace", "always")  # as it was recorded
    session.accept("never → always")
    assert (
        soundfile.read(session.current.audio)[0].tobytes()
        == soundfile.read(first.audio)[0].tobytes()
    )
    assert len(session.versions) == 3 and twice not in session.versions
    session.step(1)
    assert session.current.text == ARCTIC


def test_marks_for_pauses_stay_in_the_text(service: Service, session: Session) -> None:
    marked = ARCTIC.replace("always", "never [pause 0.4]")
    service.make(session, wish(ARCTIC, marked), Watch())
    session.accept("")
    assert session.current.text == marked
    service.make(session, wish(marked, marked.replace("degree", "form")), Watch())
    (mark,) = stage(session)["sides"][1]["marks"]  # the pause is there already
    assert mark["words"] == "form."
    assert session.take is not None and len(session.take.result.plan.edits) == 2


def test_a_version_that_was_made_is_not_corrected(service: Service, session: Session) -> None:
    service.make(session, wish(ARCTIC, NEVER), Watch())
    session.accept("")
    for text in (ARCTIC, "Something else."):
        with pytest.raises(InputError, match="press Undo"):
            service.plan(session, wish(text, f"{NEVER} Yes."), Watch())
        with pytest.raises(InputError, match="press Undo"):
            service.find_words(session, text, Watch())
    assert service.find_words(session, "", Watch()) == NEVER


def test_a_word_is_moved_in_the_original(service: Service, session: Session) -> None:
    service.make(session, wish(ARCTIC, NEVER), Watch())
    session.accept("")
    current, original = session.current.alignment, session.original.alignment
    assert current is not None and original is not None
    with pytest.raises(InputError, match="was synthesised"):
        service.move_word(session, 2, 0.5, 0.9)
    want, recorded = current.spoken[3], original.spoken[3]
    service.move_word(session, 3, want.start, want.end - 0.05)
    moved = session.original.alignment
    assert moved is not None and session.position == 1
    assert moved.spoken[3].end == pytest.approx(recorded.end - 0.05, abs=0.001)


def test_history_has_an_end(
    service: Service, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.sessions.MOST_VERSIONS", 2)
    service.make(session, wish(ARCTIC, NEVER), Watch())
    session.accept("")
    service.make(session, wish(NEVER, f"{NEVER} Yes."), Watch())
    with pytest.raises(InputError, match="no room for more versions"):
        session.accept("")
