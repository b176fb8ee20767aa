"""Properties of all commands: no ignored options, quiet ends, missing packages, editors' files."""

import argparse
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from a3t.__main__ import COMMANDS, main
from a3t.commands import edit, transcribe, tts
from a3t.commands.app import credentials, token_of
from a3t.console import STEPS
from alignment.atomic import TERMINATED
from app.studio.project_listening import transcript_in
from tests.conftest import ARCTIC, NEVER

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("--wav x --undo --new-text y", "--new-text would have no effect with --undo"),
        ("--wav x --undo --redo", "--redo would have no effect with --undo"),
        ("--replay x --speed 2 --from y", "--from, --speed would have no effect with --replay"),
        ("--wav x --new-text y --jobs -1", "--jobs would have no effect"),
        ("--wav x --new-text y --out-dir z", "--out-dir would have no effect"),
        ("--manifest x --out-dir z --plan", "--plan would have no effect with --manifest"),
        ("--undo", "--undo needs the recording"),
        ("x --wav y --new-text z", "IN is given twice"),
        ("x --new-text y --export png --export=srt", "--export is given twice"),
        ("x --new-text z --nonsense", "unrecognized arguments: --nonsense"),
        ("x --new-txt z", "no option --new-txt: did you mean --new-text?"),
        ("", "name the recording, and give --new-text"),
    ],
)
def test_no_option_is_ignored(
    command: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        edit.main(command.split())
    error = capsys.readouterr().err
    assert stopped.value.code == 2 and reason in error
    assert error.startswith("a3t edit: ") and len(error.splitlines()) == 1


@pytest.mark.parametrize("command", ["x.wav --new-text y", "--new-text y x.wav", "--wav x.wav"])
def test_the_recording_is_named_anywhere(command: str) -> None:
    assert edit.parser().parse_intermixed_args(command.split()).wav == Path("x.wav")
    own = command.replace("--new-text", "--text").replace("--wav", "--text y --prompt-wav")
    options = tts.parser().parse_intermixed_args([*own.split(), "--out", "o.wav"])
    assert [*options.prompts, *options.prompt_wav] == [Path("x.wav")]


@pytest.mark.parametrize(
    "command",
    [
        "edit --new-text y --", "tts --text y --out o.wav --", "clean --",
        "check --text y --", "transcribe --", "align --", "loudness --", "inspect --",
        "voice make --i-have-consent --out y --",
    ],
)  # fmt: skip
def test_a_files_name_may_begin_with_a_dash(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "-x.wav"]) == 1
    assert "-x.wav does not exist" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_a_program_has_its_name_and_explains_every_option(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsers: list[argparse.ArgumentParser] = []
    monkeypatch.setattr(argparse.ArgumentParser, "print_help", lambda self: parsers.append(self))
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    assert parsers[0].format_usage().startswith(f"usage: a3t {name} ")
    unexplained = [action.dest for action in parsers[0]._actions if not action.help]
    assert unexplained in ([], ["command"])  # whose programs are


def test_the_programs_stand_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert main([]) == 0 and capsys.readouterr().out == shown
    assert len(shown.splitlines()) <= 24 and max(map(len, shown.splitlines())) <= 80
    assert all(f"  a3t {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize(
    ("command", "buffered"), [("a3t edit --help", True), ("a3t say-as Hello.", False)]
)
def test_a_reader_that_ends_first_is_no_error(command: str, buffered: bool) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [sys.executable, "-m", *command.split()],
            stdout=closed,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": "" if buffered else "1"},
            cwd=ROOT,
        )
    assert done.stderr == b"" and done.returncode in (0, 1)


def test_packages_are_looked_for_before_anything_is_recognised(
    arctic: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("a3t.source.diarisation.find_spec", lambda name: None)
    monkeypatch.setattr("a3t.projects.export.export_kinds._is_installed", lambda name: False)
    monkeypatch.setattr("a3t.source.transcripts.recognised", None)
    for asked, needed in (
        ("--speakers", "needs Resemblyzer and scikit-learn: pip install 'a3t[speakers]'."),
        ("--out=talk.docx", "needs python-docx: pip install 'a3t[exports]'."),
    ):
        assert transcribe.main([str(arctic), asked]) == 1
        assert needed in capsys.readouterr().err


def test_a_transcript_s_folder_is_looked_for_before_anything_is_recognised(
    arctic: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("a3t.source.transcripts.recognised", None)
    assert transcribe.main([str(arctic), "--out", "nowhere/talk.txt"]) == 1
    assert "create it or choose another place" in capsys.readouterr().err


def test_a_port_that_there_is_not_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "99999"]) == 1
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1 and "Port 99999 on 127.0.0.1 can't be used" in error


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    """Some editors begin each file with one."""

    def file(text: str) -> Path:
        path = tmp_path / "saved.json"
        path.write_text(text, encoding="utf-8-sig")
        return path

    assert token_of(f"@{file('long-enough')}") == "long-enough"
    assert credentials(f"@{file('anna:secret')}") == ("anna", "secret")
    assert transcript_in(file(json.dumps({"text": "a", "new_text": "b"}))) == "a"
    hello = subprocess.run(
        [sys.executable, "-m", "a3t", "say-as"], input="\ufeffHello.".encode(), cwd=ROOT, stdout=-1
    )
    assert hello.stdout.startswith(b"hello\n")


def test_sigterm_ends_an_edit_with_one_sentence(arctic: Path, tmp_path: Path) -> None:
    """In the middle, before its next step, on a terminal; a result that is there stays."""
    talk, out = tmp_path / "talk.wav", tmp_path / "talk.edited.wav"
    for path in (talk, out):
        path.write_bytes(arctic.read_bytes())
    command = ["edit", str(talk), "--text", ARCTIC, "--new-text", NEVER, "--yes"]
    screen, terminal = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "a3t", *command], stdin=subprocess.DEVNULL, stderr=terminal
    )
    os.close(terminal)
    shown = ""
    try:
        while part := os.read(screen, 1000).decode():
            if STEPS["fill"] in part and STEPS["fill"] not in shown:
                child.send_signal(signal.SIGTERM)
            shown += part
    except OSError:  # the end of a terminal whose other side is closed
        pass
    finally:
        os.close(screen)
    assert child.wait() == TERMINATED and STEPS["splice"] not in shown
    *_, last = shown.split("\033[K")
    assert last.strip() == "a3t: Ended from outside: nothing was written."
    assert sorted(tmp_path.iterdir()) == [out, talk]
    assert out.read_bytes() == talk.read_bytes() == arctic.read_bytes()
