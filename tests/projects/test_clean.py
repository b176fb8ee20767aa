"""Recordings cleaned by the command, and what becomes of their samples."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.output.patches import Patch
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.commands.clean import main
from a3t.editor import Editor
from a3t.plan.cleaning import Cleaning
from a3t.rendering.verification import hidden_words_heard
from tests.conftest import ARCTIC, assert_untouched
from tests.hesitations import PAUSE, RATE, hesitant_talk


@pytest.fixture(scope="module")
def talk(arctic: Path, editor: Editor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording with a word said twice and a long pause, neither of which the text beside it
    has."""
    path = hesitant_talk(editor, arctic, tmp_path_factory.mktemp("clean") / "talk.wav")
    path.with_suffix(".txt").write_text(ARCTIC, encoding="utf-8")
    return path


@pytest.fixture
def here(talk: Path, tmp_path: Path) -> Path:
    for path in (talk, talk.with_suffix(".txt")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path / talk.name


def record(path: Path) -> dict:
    return json.loads(path.with_name(f"{path.stem}.edit.json").read_text(encoding="utf-8"))


def test_a_plan_lists_what_is_found_and_writes_nothing(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(here.parent.iterdir())
    assert main([str(here), "--plan", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sorted(here.parent.iterdir()) == before
    assert [each["kind"] for each in found][-1] == "pause" and len(found) == 2
    assert found[-1]["end"] - found[-1]["start"] == pytest.approx(PAUSE, abs=0.05)


def test_an_export_replaces_no_text_that_is_given(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = here.with_name("talk.edited.srt")
    given.write_text(f"1\n00:00:00,000 --> 00:00:04,000\n{ARCTIC}\n")
    before = given.read_text()
    assert main([str(here), "--text", f"@{given}", "--export", "srt"]) == 1
    assert "is an input of this edit" in capsys.readouterr().err
    assert given.read_text() == before and not here.with_name("talk.edited.wav").exists()


def test_what_is_cut_goes_and_all_else_stays(here: Path) -> None:
    assert main([str(here)]) == 0
    out = here.with_name("talk.edited.wav")
    old, new = Recording.open(here).read(), Recording.open(out).read()
    assert len(old) - len(new) > 1.3 * RATE
    edits = record(out)["edits"]
    assert_untouched(edits, old, new)
    assert [edit["op"] for edit in edits] == ["delete", "delete"]
    assert record(out)["new_text"] == ARCTIC


def test_what_is_muted_keeps_every_time(here: Path, editor: Editor) -> None:
    found = editor.findings(here, Cleaning(action="mute", kinds=("repeat", "noise", "filler")))
    result = editor.edit(here, found.request(found.found))
    assert result.map.samples.output_length == result.recording.samples
    ((first, last),) = [patch.source for patch in result.patches]
    old = Recording.open(here).mono()[first:last]
    new = result.patches[0].samples.mean(axis=1)
    assert np.abs(new).mean() < np.abs(old).mean() / 5


def test_cleaning_is_a_version_like_any_other(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One at a time, taken back, and kept when words are edited afterwards."""
    from a3t.commands.edit import main as edit

    out = here.with_name("talk.edited.wav")
    assert main([str(here), "--only", "pauses"]) == 0
    first = out.read_bytes()
    assert main([str(out)]) == 0  # what is left of the findings
    second = Recording.open(out).samples
    assert second < Recording.open(here).samples - 1.3 * RATE
    capsys.readouterr()
    assert main([str(out), "--plan"]) == 0
    assert "Nothing was found" in capsys.readouterr().out
    shorter = ARCTIC.replace("always ", "")
    assert edit(["--wav", str(out), "--new-text", shorter]) == 0
    assert Recording.open(out).samples < second
    assert record(out)["edits"][0]["old_words"] == "always"
    assert len(record(out)["edits"]) == 3
    for _ in range(2):
        assert edit(["--wav", str(out), "--undo"]) == 0
    assert out.read_bytes() == first


def test_many_recordings_and_one_that_is_none(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.wav"
    bad.write_bytes(b"RIFF")
    folder = tmp_path / "clean"
    assert main([str(here), str(bad), "--out-dir", str(folder), "--find", "pauses"]) == 1
    assert (folder / "talk.edited.wav").is_file()
    told = capsys.readouterr().err
    assert "1 of 2 recordings could not be cleaned" in told and "Traceback" not in told
    assert main([str(here), "--find", "sneezes"]) == 1
    assert "“sneeze” is not one of" in capsys.readouterr().err
    into = tmp_path / "parts" / "clean"
    assert (
        main([str(here), "--only", "9", "--out-dir", str(into)]) == 1 and not into.parent.exists()
    )
    assert "Nothing found is called" in capsys.readouterr().err


@pytest.mark.parametrize("other", ["later/talk.wav", "talk.flac"])
def test_two_recordings_never_share_an_output(
    other: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each result would replace the one before it."""
    again, into = here.parent / other, here.parent / "clean"
    again.parent.mkdir(exist_ok=True)
    again.write_bytes(here.read_bytes())
    assert main([str(here), str(again), "--out-dir", str(into)]) == 1
    assert "would both be written to" in capsys.readouterr().err and not into.exists()
    assert main([str(here), str(here), "--out-dir", str(into)]) == 0  # the same one twice


def test_numbers_of_what_was_not_found(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [str(arctic), "--text", ARCTIC, "--out", str(tmp_path / "never.wav")]
    assert main([*command, "--only", "3"]) == 1
    assert "Nothing found is called “3”: give kinds (" in capsys.readouterr().err
    assert main([*command, "--find", ","]) == 1
    assert "No kind is named" in capsys.readouterr().err


def test_named_words_are_hidden_and_nothing_moves(
    arctic: Path, tmp_path: Path, editor: Editor, capsys: pytest.CaptureFixture[str]
) -> None:
    """Muted or bleeped: the file is as long, all else is as it was, the aligner hears nothing."""
    talk = tmp_path / "talk.wav"
    talk.write_bytes(arctic.read_bytes())
    talk.with_suffix(".txt").write_text(ARCTIC)
    assert main([str(talk), "--mute", "always,nobody"]) == 1  # a misspelt name isn't hidden
    assert "has no “nobody”, so nothing hides it" in capsys.readouterr().err
    assert not (tmp_path / "talk.edited.wav").exists()
    assert main([str(talk), "--mute", "always,the superlative"]) == 0
    assert "may still be heard" not in capsys.readouterr().err
    old = Recording.open(talk).read()
    new = Recording.open(tmp_path / "talk.edited.wav").read()
    edits = record(tmp_path / "talk.edited.wav")["edits"]
    assert len(new) == len(old) and len(edits) == 2
    assert_untouched(edits, old, new)
    assert "always" not in record(tmp_path / "talk.edited.wav")["new_text"]
    assert main([str(talk), "--bleep", "degree", "--out", str(tmp_path / "b.wav")]) == 0
    (edit,) = record(tmp_path / "b.wav")["edits"]
    tone = Recording.open(tmp_path / "b.wav").mono(*edit["output"])[800:-800]
    spectrum = np.abs(np.fft.rfft(tone * np.hanning(len(tone))))
    assert np.argmax(spectrum) * RATE / len(tone) == pytest.approx(1000, abs=5)


@pytest.mark.parametrize("option", ["--mute", "--bleep"])
def test_what_is_hidden_may_be_long(option: str, arctic: Path, tmp_path: Path) -> None:
    """Of a phrase with more than a minute of silence in it, all is hidden and nothing moves."""
    talk, seconds = tmp_path / "talk.wav", 70
    samples, _ = soundfile.read(arctic, dtype="int16")
    middle = len(samples) // 2
    quiet = np.tile(samples[100:1500], 1000)[: seconds * RATE]
    soundfile.write(talk, np.concatenate([samples[:middle], quiet, samples[middle:]]), RATE)
    talk.with_suffix(".txt").write_text(ARCTIC)
    assert main([str(talk), option, "always want to see it in the superlative"]) == 0
    (edit,) = record(tmp_path / "talk.edited.wav")["edits"]
    old = Recording.open(talk).read()
    new = Recording.open(tmp_path / "talk.edited.wav").read()
    assert len(new) == len(old) and edit["output"][1] - edit["output"][0] > seconds * RATE
    assert_untouched([edit], old, new)


def test_of_several_recordings_one_has_to_say_a_word_that_is_hidden(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talks = [tmp_path / name for name in ("a.wav", "b.wav")]
    for talk in talks:
        talk.write_bytes(arctic.read_bytes())
        talk.with_suffix(".txt").write_text(ARCTIC)
    assert main([*map(str, talks), "--mute", "always,nobody"]) == 1
    assert "No transcript has “nobody”" in capsys.readouterr().err


def test_a_word_that_is_still_there_is_heard(arctic: Path, editor: Editor) -> None:
    """The proof can fail: patches of nothing leave the words."""
    found = editor.findings(arctic, Cleaning(kinds=(), hidden=("always",)), text=ARCTIC)
    result = editor.edit(found.source, found.request(found.found))
    assert not list(hidden_words_heard(result))
    unhidden = [
        Patch(patch.source, to_float(found.recording.read(*patch.source)))
        for patch in result.patches
    ]
    (word,) = hidden_words_heard(replace(result, patches=tuple(unhidden)))
    assert word.word == "always"
