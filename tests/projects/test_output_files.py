"""All files of an edit or none: no input replaced, no project lost to a kill, two edits at once."""

import argparse
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from a3t.audio.output.files import sha256_of
from a3t.audio.output.records import record_path, write_json
from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.commands.editing.edit_options import project_edit
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.request import EditRequest
from a3t.projects.export import exports as writing
from a3t.projects.export.exports import ExportError
from a3t.projects.project import History, find_project, record_state
from a3t.projects.project_edit import write
from a3t.rendering.edited import EditedRecording
from tests.conftest import ARCTIC, NEVER
from tests.fuzz.corpus import VALUES

OFTEN = ARCTIC.replace("always", "often")


@pytest.fixture(scope="module")
def results(editor: Editor, arctic: Path) -> list[EditedRecording]:
    """Two edits of one recording."""
    return [editor.edit(arctic, new_text=new, text=ARCTIC, verify=False) for new in (NEVER, OFTEN)]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def killed_at(rename: int, save: Any) -> bool:
    """Run ``save`` in a process that is killed (SIGKILL) right after its n-th rename, 0: before
    the first; whether it came so far."""
    child = os.fork()
    if child == 0:
        count, replace = 0, os.replace

        def counted(source: Any, target: Any) -> None:
            nonlocal count
            if rename == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            replace(source, target)
            count += 1
            if count == rename:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            os.replace = counted
            save()
        finally:
            os._exit(0)  # whatever happens: else it would go on as a second process of the tests
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


# What was there before, exports, candidates, and how many files are renamed.
WRITES = {"a first edit": (False, (), 1, 2), "a later one": (True, ("srt", "csv"), 2, 7)}


@pytest.mark.parametrize(
    ("case", "rename"), [(case, k) for case, how in WRITES.items() for k in range(how[-1] + 1)]
)
def test_a_project_survives_a_kill_at_any_rename(
    case: str, rename: int, results: list[EditedRecording], tmp_path: Path
) -> None:
    replaces, exports, candidates, _ = WRITES[case]
    source, out = Recording.open(results[0].recording.path), tmp_path / "out.wav"
    if replaces:
        write([results[0]], out, exports)
    old = contents(tmp_path)
    made = [results[1], results[0]][:candidates]
    assert killed_at(rename, lambda: write(made, out, exports))
    Recording.open(source.path)  # and all is whole
    whole = contents(tmp_path)
    if out.exists():  # then it is known what it was made of, by either name
        for named in (source, Recording.open(out)):
            project = find_project(named, out)
            assert project is not None and project.source.sha256 == source.sha256
            assert project.history.current["new_text"] in (NEVER, OFTEN)
    else:
        assert not replaces and find_project(source, out) is None
    assert all((tmp_path / name).exists() for name in old)  # nothing is lost
    write(made, out, exports)  # and the next edit goes through
    assert whole in (old, contents(tmp_path))
    for sound in (out, tmp_path / "out.2.wav")[:candidates]:
        record = json.loads(record_path(sound).read_text())
        assert record["output"]["sha256"] == sha256_of(sound) and "next" not in record


def test_candidates_replace_candidates(results: list[EditedRecording], tmp_path: Path) -> None:
    """All files of the second time, with their own records."""
    out = tmp_path / "out.wav"
    for best_first in (results, results[::-1]):
        write(best_first, out)
        for path, result in zip([out, tmp_path / "out.2.wav"], best_first, strict=True):
            record = json.loads(record_path(path).read_text())
            assert record["new_text"] == result.record["new_text"]
            assert record["output"]["sha256"] == sha256_of(path)
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("error", [InputError("No ink."), OSError(28, "No space"), KeyError("x")])
def test_an_export_that_fails_does_not_lose_the_edit(
    error: Exception,
    results: list[EditedRecording],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setitem(writing._WRITERS, "png", fail)
    for kind in ("png", "labels"):
        monkeypatch.setitem(writing._WRITERS, kind, fail)
    with pytest.raises(ExportError) as raised:
        write([results[0]], tmp_path / "o.wav", ("labels", "srt", "png", "vtt"))
    sentence, error_named = str(raised.value), str(error)
    assert f"{tmp_path / 'o.wav'} was written. These exports can't be made: o.labels" in sentence
    assert "o.png" in sentence and sentence.count(error_named) == 2
    assert raised.value.made == [tmp_path / "o.srt", tmp_path / "o.vtt"]
    assert sorted(contents(tmp_path)) == ["o.edit.json", "o.srt", "o.vtt", "o.wav"]


def test_the_command_lists_what_it_made_beside_an_export_that_failed(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(writing._WRITERS, "srt", None)
    given = [str(talk), "--text", ARCTIC, "--new-text", NEVER, "--yes", "--export", "srt,vtt,csv"]
    assert edit.main(given) == 1
    said = capsys.readouterr().err
    for name in ("talk.edited.wav", "talk.edited.vtt", "talk.edited.edits.csv"):
        assert f"Written: {talk.with_name(name)}" in said
    assert "These exports can't be made: talk.edited.srt" in said.splitlines()[-1]
    assert find_project(Recording.open(talk)) is not None


@pytest.mark.parametrize("blocked", ["o.edit.json", "o.2.wav", "o.2.edit.json", "o.srt", "o.png"])
def test_nothing_is_written_if_one_file_cannot_be(
    blocked: str, results: list[EditedRecording], tmp_path: Path
) -> None:
    (tmp_path / blocked).mkdir()
    (tmp_path / "o.wav").write_bytes(b"old")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="is a folder"):
        write(results, tmp_path / "o.wav", ("srt", "png"))
    assert contents(tmp_path) == before and len(os.listdir(tmp_path)) == 2


def command(talk: Path, *more: object) -> argparse.Namespace:
    arguments = ["--wav", talk, "--new-text", NEVER, *more]
    return edit.parser().parse_args([str(argument) for argument in arguments])


@pytest.mark.parametrize("kind", ["textgrid", "srt", "vtt"])
def test_an_export_replaces_no_input(kind: str, talk: Path) -> None:
    endings = {"textgrid": ".TextGrid", "srt": ".srt", "vtt": ".vtt"}
    given = talk.with_suffix(endings[kind])
    given.write_text("somebody's work")
    out = talk.with_suffix(".flac")  # of the same stem
    for more in ([], ["--alignment", given, "--text", ARCTIC]):
        with pytest.raises(InputError, match="is an input of this edit"):
            project_edit(command(talk, "--out", out, "--export", kind, *more))
    project_edit(command(talk, "--out", out, "--text", ARCTIC))  # nothing of it is replaced


@pytest.mark.parametrize("foreign", ["{}", '{"video": 1}', "[1]", "half", "[" * 5000, '"edits"'])
def test_a_foreign_edit_json_is_not_replaced(
    foreign: str, talk: Path, results: list[EditedRecording]
) -> None:
    record = talk.with_name("o.edit.json")
    record.write_text(foreign)
    sentence = "a3t did not create it|is damaged"
    with pytest.raises(InputError, match=sentence):
        project_edit(command(talk, "--text", ARCTIC, "--out", talk.with_name("o.wav")))
    with pytest.raises(InputError, match=sentence):
        results[0].save(talk.with_name("o.wav"))
    assert record.read_text() == foreign and not talk.with_name("o.wav").exists()


def test_of_two_concurrent_edits_one_wins_and_the_other_fails(
    results: list[EditedRecording], tmp_path: Path
) -> None:
    out = tmp_path / "o.wav"
    seen = record_state(out)  # both begin
    write([results[0]], out, seen=(seen,))
    before = contents(tmp_path)
    with pytest.raises(InputError, match="was changed by another edit"):
        write([results[1]], out, seen=(seen,))
    assert contents(tmp_path) == before
    write([results[1]], out, seen=(record_state(out),))
    assert contents(tmp_path) != before


# ---- what others may have put beside a recording ------------------------------------------------

PLACES = [
    ("source",), ("source", "path"), ("source", "sha256"), ("text",), ("new_text",), ("edits",),
    ("edits", 0), ("edits", 0, "op"), ("edits", 0, "old_words"), ("asked",), ("asked", "speed"),
    ("asked", "margin"), ("asked", "lengths"), ("asked", "match"), ("asked", "pronunciations"),
    ("alignment",), ("alignment", "duration"), ("alignment", "words"),
    ("alignment", "words", 0, "start"), ("alignment", "words", 0, "phones"),
    ("alignment", "words", 1, "phones", 0, "end"), ("alignment", "words", 1, "phones", 0, "symbol"),
    ("aligned_words",), ("model",), ("model", "name"), ("vocoder",), ("seed",), ("output",),
    ("output", "sha256"), ("versions",), ("version",), ("continues",), ("next",),
]  # fmt: skip


@pytest.fixture(scope="module")
def record(results: list[EditedRecording]) -> str:
    more = {"output": {"sha256": "0"}, "versions": [{}], "version": 0, "continues": None}
    return json.dumps(results[0].record | more)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_a_broken_edit_json_is_refused(place: tuple[Any, ...], record: str, talk: Path) -> None:
    """Or it is another recording's, or one whose versions can all be made again."""
    recording = Recording.open(talk)
    for value in VALUES:
        told = json.loads(record)
        told["output"]["sha256"] = recording.sha256
        inner = told
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
        record_path(talk).write_text(json.dumps(told))
        try:
            project = find_project(recording)
        except InputError as error:
            assert str(error).startswith(f"{record_path(talk)} is damaged (“")
            continue
        if project is None:
            continue
        for version in project.history.versions:
            EditRequest.from_json(version)
        project.history.describe()
        assert project.history.chain() and isinstance(project.history, History)
        assert isinstance(project.text, str)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "1" * 5000, "\0", "", "nul"])
def test_an_invalid_edit_json_is_refused(text: str, talk: Path) -> None:
    record_path(talk).write_text(text)
    with pytest.raises(InputError, match="is damaged"):
        find_project(Recording.open(talk))


def test_another_programs_edit_json_is_passed_over(talk: Path) -> None:
    record_path(talk).write_text('{"video": 1}')
    assert find_project(Recording.open(talk)) is None


# ---- bytes that are no UTF-8 --------------------------------------------------------------------


def test_a_name_of_any_bytes(
    results: list[EditedRecording], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / os.fsdecode(b"caf\xe9.wav")
    write([results[0]], out, ("csv", "edl", "srt"))
    assert len(os.listdir(tmp_path)) == 5
    write_json(tmp_path / "x.json", {"path": str(out)})
    assert json.loads((tmp_path / "x.json").read_bytes())["path"] == str(out)


def test_a_text_of_other_bytes_is_refused(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = os.fsdecode(b"a caf\xe9")
    for more in (["--new-text", said], ["--new-text", "a", "--text", said]):
        assert edit.main(["--wav", str(talk), *more]) == 1
        assert "not in UTF-8" in capsys.readouterr().err
