"""Recognised transcripts are shown with confidences; differences from them are chosen."""

import io
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.commands.editing.difference_list import command_for
from a3t.commands.editing.edit_doubts import (
    chosen_plan,
    confirm_doubts,
    refuse_doubts,
    show_transcript,
    with_confidences,
)
from a3t.errors import InputError
from a3t.plan.request import EditRequest
from a3t.source.differences import Changes, Difference, UnsureError, choose
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
    differences: tuple[Difference, ...] = ()

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


def test_a_word_that_is_not_sure_says_so() -> None:
    assert with_confidences(HEARD) == "we met‹42%›"


DIFFERENCES = (
    Difference(1, (100, 200), "met", "part", "change", True, 0.9, "we"),
    Difference(2, (300, 400), "", "now", "open", False, 0.4, "part"),
)


class Unsure:
    """An edit that isn't certain until somebody has chosen; it keeps the choice."""

    recording = Recording(Path("talk.wav"), 16_000, 1, 32_000, "PCM_16", "WAV")
    changes: Changes = None

    def plan(self, editor: object) -> str:
        choose(DIFFERENCES, self.changes)
        return "a plan"

    def choosing(self, changes: Changes) -> "Unsure":
        self.changes = changes
        return self


@pytest.mark.parametrize(
    ("typed", "changes"),
    [("\n", "ticked"), ("1 2\n", (1, 2)), ("all\n", "all"), ("what\np 9\n2\n", (2,))],
)
def test_the_differences_are_listed_and_chosen_on_a_terminal(
    typed: str, changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    monkeypatch.setattr("sys.stderr", screen := Terminal())
    job: Any = Unsure()
    assert chosen_plan(job, job, ask=True) == (job, "a plan") and job.changes == changes
    shown = screen.getvalue()
    assert "[x] 1.     0.01 s  “met” → “part” after “we”\n" in shown
    assert "[ ] 2.     0.02 s  add “now” after “part”  (maybe misheard)\n" in shown


def test_nobody_is_asked_off_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    job: Any = Unsure()
    with pytest.raises(UnsureError):
        chosen_plan(job, job, ask=True)


def test_the_command_makes_what_is_ticked() -> None:
    command = command_for(DIFFERENCES, ["talk.wav", "--new-text", "we part now"])
    assert command == "a3t edit talk.wav --new-text 'we part now' --changes 1"


def test_what_is_said_already_is_refused_and_nothing_is_written(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = Path(shutil.copy(arctic, tmp_path / "talk.wav"))
    assert edit.main(["--wav", str(talk), "--new-text", ARCTIC.strip(".")]) == 1
    assert "Nothing was made" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == [talk]


def test_of_a_long_text_beside_the_ends_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Transcript.from_text("first " + "and " * 5000 + "last")
    plan = planned(tmp_path, text=text, origin="talk.txt")
    show_transcript(plan)  # type: ignore[arg-type]
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
