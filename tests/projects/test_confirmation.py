"""Recognised transcripts are shown with confidences, and confirmed by the user on a terminal."""

import io
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.commands.editing.edit_doubts import (
    confirm_doubts,
    confirm_transcript,
    confirmed_plan,
    refuse_doubts,
    with_confidences,
)
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.request import EditRequest
from a3t.projects.project_edit import ProjectEdit
from a3t.source.records import AlignedRecording
from a3t.spans import Span
from a3t.text.transcript import Transcript
from alignment import Alignment, Phone, Word, pause
from alignment.confidence.doubts import Doubt
from tests.conftest import ARCTIC

WE_MET = Transcript.from_text("we met")


@dataclass
class Planned:
    """The parts of a plan that are compared."""

    recording: Recording
    text: Transcript = WE_MET
    doubts: tuple[Doubt, ...] = ()
    origin: str = "recognised"
    passages: tuple[Span, ...] = ()

    @property
    def source(self) -> AlignedRecording:
        return AlignedRecording(self.recording, self.text, HEARD, origin=self.origin)

    @property
    def alignment(self) -> Alignment:
        return HEARD

    @property
    def request(self) -> EditRequest:
        return EditRequest(new_text="we part")

    def describe(self) -> str:
        return "replace “met” by “part”"


def word(text: str, start: float, score: float) -> Word:
    return Word(text, start, start + 0.5, score, (Phone("S", start, start + 0.5),))


HEARD = Alignment((word("we", 0.0, 0.97), word("met", 0.5, 0.421), pause(1.0, 2.0)), 2.0)


def planned(folder: Path, **more: Any) -> Planned:
    return Planned(Recording(folder / "talk.wav", 16_000, 1, 32_000, "PCM_16", "WAV"), **more)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def answered(
    answer: str, monkeypatch: pytest.MonkeyPatch, folder: Path, ask: bool = True, **more: Any
) -> str:
    """The output on a terminal where somebody answers."""
    screen = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr", screen)
    confirm_transcript(planned(folder, **more), ask)  # type: ignore[arg-type]
    return screen.getvalue()


def test_a_word_that_is_not_sure_says_so() -> None:
    assert with_confidences(HEARD) == "we met‹42%›"


@pytest.mark.parametrize("answer", ["\n", "y\n", "Yes\n"])
def test_the_user_is_asked_on_a_terminal(
    answer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    screen = answered(answer, monkeypatch, tmp_path)
    assert "Recognised: we met‹42%›" in screen
    assert "replace “met”" in screen
    assert "[Y/n" in screen


def test_no_means_no(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a3t transcribe talk\.wav --out talk\.txt .*--text"):
        answered("n\n", monkeypatch, tmp_path)


def test_what_is_not_certain_needs_a_yes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The text was found already, so it is given; that it may be misheard is asked all the same."""
    for answer, declined in (("\n", True), ("y\n", False)):
        monkeypatch.setattr("sys.stdin", Terminal(answer))
        monkeypatch.setattr("sys.stderr", screen := Terminal())
        with pytest.raises(InputError) if declined else nullcontext():
            confirm_transcript(planned(tmp_path, origin="given"), True, unsure=True)  # type: ignore[arg-type]
        assert "[y/N" in screen.getvalue()


@pytest.mark.parametrize(
    ("typed", "text"),
    [("meet", "we meet"), ("", "we met"), ("-", "we"), ("part now", "we part now")],
)
def test_a_doubtful_word_is_corrected_in_place(
    typed: str, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(f"c\n{typed}\n"))
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    assert confirm_transcript(planned(tmp_path), True) == text  # type: ignore[arg-type]
    assert "… we [met]" in screen.getvalue() and "[we]" not in screen.getvalue()


SAID = ARCTIC.strip(".")


def test_what_is_said_already_is_refused_and_nothing_is_written(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = Path(shutil.copy(arctic, tmp_path / "talk.wav"))
    assert edit.main(["--wav", str(talk), "--new-text", SAID]) == 1
    message = capsys.readouterr().err
    assert "already seems" in message and ", or “" in message and message.count("\n") == 1
    assert [*tmp_path.iterdir()] == [talk]


def test_where_nothing_differs_the_weakest_place_is_asked_about(
    arctic: Path, editor: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Path(shutil.copy(arctic, tmp_path / "talk.wav"))
    job = ProjectEdit(Recording.open(talk), EditRequest(new_text=SAID), tmp_path / "out.wav")
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    with pytest.raises(InputError, match="Nothing was made: a3t transcribe"):
        confirmed_plan(editor, job, ask=True)
    monkeypatch.setattr("sys.stdin", Terminal("y\ny\n"))
    _, plan = confirmed_plan(editor, job, ask=True)
    assert len(plan.edits) == 1


def test_nothing_is_asked_with_yes_without_a_terminal_or_with_a_sidecar(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "[Y/n" not in answered("n\n", monkeypatch, tmp_path, ask=False)
    assert "[Y/n" not in answered("n\n", monkeypatch, tmp_path, origin="talk.txt")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    confirm_transcript(planned(tmp_path), ask=True)  # type: ignore[arg-type]


def test_of_a_long_text_beside_the_ends_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Transcript.from_text("first " + "and " * 5000 + "last")
    plan = planned(tmp_path, text=text, origin="talk.txt")
    confirm_transcript(plan, ask=False)  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert "first and" in said and "and last (5,002 words)" in said and len(said) < 700


DOUBTS = (Doubt("met", 0.5, 1.0, 0.21), Doubt("", 1.0, 1.4, 0.1))


def at_a_terminal(
    command: Callable[[Planned], None], answer: str, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> str:
    """A command's output on a terminal where somebody answers."""
    screen = Terminal()
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr", screen)
    plan = planned(folder)
    plan.doubts = DOUBTS
    command(plan)
    return screen.getvalue()


def confirm(plan: Planned) -> None:
    confirm_doubts([str(each) for each in plan.doubts], ask=True)


def test_doubts_are_shown_and_confirmed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    screen = at_a_terminal(confirm, "y\n", monkeypatch, tmp_path)
    assert all(str(doubt) in screen for doubt in DOUBTS)
    for answer in ("\n", "n\n", ""):
        with pytest.raises(InputError, match=r"Nothing was made.*--text.*--yes"):
            at_a_terminal(confirm, answer, monkeypatch, tmp_path)


def test_without_a_terminal_or_with_yes_doubts_are_only_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(plan: Planned) -> None:
        confirm_doubts([str(each) for each in plan.doubts], ask=False)

    assert "[y/N]" not in at_a_terminal(said, "", monkeypatch, tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    plan = planned(tmp_path)
    plan.doubts = DOUBTS
    confirm(plan)
    assert str(DOUBTS[0]) in capsys.readouterr().err


def test_strict_refuses_doubtful_edits(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    refuse_doubts([str(each) for each in plan.doubts])
    plan.doubts = DOUBTS
    with pytest.raises(InputError) as caught:
        refuse_doubts([str(each) for each in plan.doubts])
    message = str(caught.value)
    assert "met" in message and "1.00 to 1.40 s" in message and "--alignment" in message
    assert message.endswith(".") and "\n" not in message
