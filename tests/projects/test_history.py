"""Versions of one output: edits of the original, kept, undone and redone, byte for byte."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
import soundfile

from a3t.commands import edit
from a3t.projects.project import History
from tests.conftest import ARCTIC, NEVER

BOTH = NEVER.replace("degree", "form")


def run(*arguments: object) -> None:
    assert edit.main([str(argument) for argument in arguments]) == 0


def told(out: Path) -> dict[str, object]:
    return json.loads(out.with_suffix(".edit.json").read_text())  # type: ignore[no-any-return]


def test_versions(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, original = talk.with_name("talk.edited.wav"), talk.read_bytes()
    run("--wav", talk, "--text", ARCTIC, "--new-text", NEVER)
    versions = [out.read_bytes()]
    # The edited file is named, and what is edited is the original; "never" stays as it sounded.
    run("--wav", out, "--new-text", BOTH, "--speed", "1.3")
    versions.append(out.read_bytes())
    record = told(out)
    assert record["source"]["path"] == str(talk) and len(record["edits"]) == 2
    first = json.loads(json.dumps(record["edits"][0]))
    span = slice(*first["output"])
    before, after = (soundfile.read(_as(talk, data))[0] for data in versions)
    assert (before[span] == after[span]).all()
    # The same text again is another take of the last change, not of the one before it.
    run("--wav", talk, "--new-text", BOTH, "--speed", "0.8")
    versions.append(out.read_bytes())
    assert (soundfile.read(out)[0][span] == before[span]).all()
    assert told(out)["continues"] == 0 and versions[2] != versions[1]

    for place in (1, 0):
        run("--wav", talk, "--undo")
        assert out.read_bytes() == versions[place] and told(out)["version"] == place
    capsys.readouterr()
    run("--wav", out, "--undo")  # before the first version there is the original
    assert "This is the original again" in capsys.readouterr().err
    assert (soundfile.read(out)[0] == soundfile.read(talk)[0]).all()
    assert told(out)["version"] is None and len(told(out)["versions"]) == 3  # type: ignore[arg-type]
    assert edit.main(["--wav", str(talk), "--undo"]) == 1
    for place in (0, 1):
        run("--wav", out, "--redo")
        assert out.read_bytes() == versions[place] and told(out)["version"] == place
    capsys.readouterr()
    run("--wav", out, "--history")
    lines = capsys.readouterr().out.splitlines()
    assert [line[:1] for line in lines[1:]] == [" ", " ", "*", " "]
    assert lines[1].endswith("the original") and lines[4].endswith("(undone)")
    # A new edit after an undo: what was undone is forgotten.
    run("--wav", out, "--new-text", ARCTIC.replace("superlative ", ""))
    assert len(told(out)["versions"]) == 3 and told(out)["version"] == 2
    assert talk.read_bytes() == original


def _as(talk: Path, data: bytes) -> Path:
    path = talk.with_name("bytes.wav")
    path.write_bytes(data)
    return path


def of_other_weights(out: Path) -> None:
    """Make it look as if other weights had made a version, as after an update."""
    record = told(out)
    record["model"] = {"name": "small", "sha256": "0" * 64}
    out.with_suffix(".edit.json").write_text(json.dumps(record))


def test_a_version_goes_on_from_one_of_other_weights(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = talk.with_name("talk.edited.wav")
    run("--wav", talk, "--text", ARCTIC, "--new-text", ARCTIC.replace("always", "*never* ever"))
    before = out.read_bytes()
    first = told(out)["edits"][0]
    of_other_weights(out)
    run("--wav", out, "--new-text", BOTH.replace("never", "*never* ever"))
    record = told(out)
    assert [edit["new_words"] for edit in record["edits"]] == ["never ever", "form."]
    assert record["edits"][0]["output"] == first["output"] and record["continues"] == 0
    span = slice(*first["output"])
    old, new = (soundfile.read(_as(talk, x), dtype="int16")[0] for x in (before, out.read_bytes()))
    assert (old[span] == new[span]).all()
    assert record["edits"][0]["emphasis"] == first["emphasis"]
    of_other_weights(out)
    # What isn't in the file can't be had again, and a file that was changed isn't the version.
    assert edit.main(["--wav", str(out), "--undo"]) == 1
    changed = out.read_bytes()
    of_other_weights(out)
    out.write_bytes(changed[:-2] + b"\1\1")
    capsys.readouterr()
    assert edit.main(["--wav", str(talk), "--new-text", BOTH]) == 1
    assert "was changed after a3t made it" in capsys.readouterr().err
    assert edit.main(["--wav", str(talk), "--new-text", BOTH, "--yes"]) == 1
    assert "is not the one in the edit.json" in capsys.readouterr().err
    assert out.read_bytes() == changed[:-2] + b"\1\1"


def test_a_file_without_a_history_is_refused(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for flag in ("--undo", "--redo", "--history"):
        assert edit.main(["--wav", str(talk), flag]) == 1
        assert "There is no edit of talk.wav" in capsys.readouterr().err


def test_a_file_that_was_changed_is_a_recording_of_its_own(talk: Path) -> None:
    run("--wav", talk, "--text", ARCTIC, "--new-text", NEVER)
    out = talk.with_name("talk.edited.wav")
    samples, rate = soundfile.read(out)
    soundfile.write(out, samples * 0.5, rate)
    run("--wav", out, "--text", NEVER, "--new-text", BOTH)
    record = told(talk.with_name("talk.edited.edited.wav"))
    assert record["source"]["path"] == str(out) and "versions" not in record


def refused(*arguments: object) -> str:
    """The sentence with which a command ends that writes and replaces nothing."""
    folder = Path(str(arguments[1])).parent
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        assert edit.main([str(argument) for argument in arguments]) == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    return printed.getvalue()


def test_outputs_of_one_stem_do_not_share_a_history(talk: Path) -> None:
    out = talk.with_name("z.wav")
    run("--wav", talk, "--text", ARCTIC, "--new-text", NEVER, "--out", out)
    again = ("--wav", talk, "--text", ARCTIC, "--new-text", BOTH, "--out")
    other = out.with_suffix(".flac")
    assert "z.edit.json is the record of z.wav" in refused(*again, other)
    record = told(out)
    del record["output"]["ending"]  # type: ignore[attr-defined]  # as older versions wrote it
    out.with_suffix(".edit.json").write_text(json.dumps(record))
    assert "z.edit.json is the record of z.wav" in refused(*again, other)
    run(*again, out)
    assert len(told(out)["versions"]) == 2  # type: ignore[arg-type]


def test_recordings_of_one_stem_do_not_share_an_output(talk: Path) -> None:
    run("--wav", talk, "--text", ARCTIC, "--new-text", NEVER)
    other = talk.with_suffix(".flac")
    soundfile.write(other, *soundfile.read(talk))
    again = ("--wav", other, "--text", ARCTIC, "--new-text", BOTH)
    assert f"talk.edited.wav is an edit of {talk}" in refused(*again)
    run(*again, "--out", talk.with_name("other.wav"))


def test_a_damaged_history_is_not_none(talk: Path) -> None:
    """Else the next edit would be one of the edited file, or the versions would be lost."""
    run("--wav", talk, "--text", ARCTIC, "--new-text", NEVER)
    out = talk.with_name("talk.edited.wav")
    record = out.with_suffix(".edit.json")
    whole = record.read_bytes()
    for damaged, what in (
        (whole[:3000], "it ends too early"),
        (whole.replace(b'"seed": 0', b'"seed": "x"'), "“seed” is"),
        (whole.replace(b'"text": "And', b'"text": 5, "x": "And'), "“text” is"),
        (whole.replace(b'"source":', b'"sauce":'), "“source” is missing"),
        (whole.replace(b'"asked": {', b'"asked": {,'), "line 4"),
    ):
        record.write_bytes(damaged)
        for wav, *more in ((out,), (talk, "--text", ARCTIC)):
            sentence = refused("--wav", wav, *more, "--new-text", BOTH)
            assert "talk.edited.edit.json is damaged" in sentence and what in sentence
        assert "is damaged" in refused("--wav", out, "--undo")
    # Some editors add a byte order mark when they save, which is no damage.
    record.write_bytes(b"\xef\xbb\xbf" + whole)
    run("--wav", out, "--new-text", BOTH)
    assert len(told(out)["versions"]) == 2  # type: ignore[arg-type]


VERSIONS: list[dict[str, Any]] = [
    {"new_text": "a", "edits": [], "continues": None, "alignment": {"words": [1]}},
    {"new_text": "b", "edits": [], "continues": 0, "alignment": {"words": [1]}, "candidate": 2},
    {"new_text": "b", "edits": [], "continues": 0, "alignment": {"words": [2]}},
]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_history_survives_json(place: int) -> None:
    history = History.at(VERSIONS, place)
    written = json.loads(json.dumps({**history.current, **history.to_json()}))
    read = History.of(written)
    assert read.place == place
    for version, expected in zip(read.versions, VERSIONS, strict=True):
        assert {k: v for k, v in version.items() if v is not None} == {
            k: v for k, v in expected.items() if v is not None
        }


def test_a_version_continues_from_the_last_with_another_text() -> None:
    history = History.at(VERSIONS, 2)
    assert history.base("c") == 2
    assert history.base("b") == 0  # another take of the last change
    assert history.undo().undo().base("a") is None
    assert [version["new_text"] for version in history.chain()] == ["a", "b"]


def test_a_pronunciation_is_remembered_until_another_is_given(talk: Path) -> None:
    """A guessed word that was put right stays right in the next edits of the project."""
    out = talk.with_name("talk.edited.wav")
    first, second = (ARCTIC.replace("degree", each) for each in ("Xavorel", "form of Xavorel"))
    run("--wav", talk, "--text", ARCTIC, "--new-text", first, "--pronounce", "Xavorel=CHIB-il")
    run("--wav", out, "--new-text", second)
    assert told(out)["asked"]["pronunciations"] == {"xavorel": ["CH IH1 B IH0 L"]}  # type: ignore[index]
    run("--wav", out, "--new-text", second, "--pronounce", "Xavorel=SHIB-il")
    assert told(out)["asked"]["pronunciations"] == {"xavorel": ["SH IH1 B IH0 L"]}  # type: ignore[index]
    history = History.of(told(out)).undo()
    assert dict(history.pronunciations) == {"xavorel": (("CH", "IH1", "B", "IH0", "L"),)}
