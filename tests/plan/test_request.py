"""Edit requests: on the command line, in an edit.json, in a plan file edited by hand."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from a3t.audio.matching.traits import ALL_TRAITS, MatchedTraits
from a3t.commands import edit
from a3t.commands.editing.edit_list import read_jobs
from a3t.commands.editing.edit_options import edit_request
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.options import traits_named
from a3t.plan.request import EditRequest, pronunciations_of
from tests.conftest import ARCTIC, NEVER


def test_names_on_the_command_line(subtests: pytest.Subtests) -> None:
    for named, match in [
        ("none", MatchedTraits(False, False, False, False)),
        ("bandwidth,spectrum,room,coding", ALL_TRAITS),
        (" Room , bandwidth,", MatchedTraits(True, spectrum=False, room_tone=True, coding=False)),
    ]:
        with subtests.test(named=named, match=match):
            assert traits_named(named) == match


def test_another_name_is_refused() -> None:
    with pytest.raises(InputError, match="“rooms” is none of bandwidth"):
        traits_named("bandwidth,rooms")


def test_a_request_survives_json() -> None:
    request = EditRequest(
        new_text="never",
        text="always",
        speed=1.5,
        margin=0.1,
        lengths=((0.5, 0.25), (1.0,)),
        pronunciations=pronunciations_of({"never": [["N", "EH1", "V", "ER0"]]}),
        match=traits_named("spectrum"),
        seed=7,
    )
    record = json.loads(json.dumps(request.to_json()))
    kept = {"bandwidth": False, "spectrum": True, "room_tone": False, "coding": False}
    assert record["asked"]["match"] == kept
    assert EditRequest.from_json(record) == request
    del record["asked"]["match"]
    assert EditRequest.from_json(record).match == ALL_TRAITS


def test_non_numbers_in_a_record_are_refused(subtests: pytest.Subtests) -> None:
    for asked in ["speed", "margin", "duration", "reach"]:
        for value in ["fast", float("nan"), float("inf"), 10**400, [1], {}]:
            with subtests.test(asked=asked, value=value):
                record = EditRequest(new_text="never", text="always").to_json()
                record["asked"] |= {asked: value}
                with pytest.raises(ValueError):
                    EditRequest.from_json(record)


def test_it_changes_the_patch_and_can_be_left_away(editor: Editor, arctic: Path) -> None:
    new = NEVER
    source = editor.plan(arctic, new_text=new, text=ARCTIC).source
    samples = []
    for match in (ALL_TRAITS, ALL_TRAITS, traits_named("none")):
        result = editor.edit(source, new_text=new, verify=False, match=match)
        assert result.record["asked"]["match"] == asdict(match)
        samples.append(result.patches[0].samples)
    assert np.array_equal(samples[0], samples[1])
    assert not np.array_equal(samples[0], samples[2])


NEW = ARCTIC.replace("always", "never, ever")


@pytest.fixture
def command(arctic: Path, tmp_path: Path) -> list[str]:
    return ["--wav", str(arctic), "--text", ARCTIC, "--out", str(tmp_path / "x.wav")]


def test_a_plan_edited_by_hand(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert edit.main([*command, "--new-text", NEW, "--plan", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    words = plan["edits"][0]["words"]
    assert [word["word"] for word in words] == ["never", "[pause]", "ever"]
    words[0]["seconds"] *= 1.5
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    assert edit.main([*command[:2], *command[4:], "--plan-file", str(path)]) == 0
    record = json.loads((tmp_path / "x.edit.json").read_text())
    told = record["edits"][0]["words"]
    assert told[0]["seconds"] == pytest.approx(words[0]["seconds"], abs=0.0126)
    assert told[0]["scale"] == pytest.approx(1.5, rel=0.1)
    assert told[1:] == words[1:]
    replayed = ["--replay", str(tmp_path / "x.edit.json"), "--out", str(tmp_path / "y.wav")]
    assert edit.main(replayed) == 0
    assert (tmp_path / "y.wav").read_bytes() == (tmp_path / "x.wav").read_bytes()


def test_a_plan_file_has_its_own_new_text(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"text": ARCTIC, "new_text": NEW, "edits": []}))
    both = ["--plan-file", str(plan), "--new-text", NEW]
    with pytest.raises(SystemExit) as stopped:
        edit.main([*command, *both])
    assert stopped.value.code == 2 and "omit --new-text" in capsys.readouterr().err
    with pytest.raises(InputError, match="omit the one"):
        edit_request(edit.parser().parse_args([*command, *both]))
    lines = tmp_path / "list.jsonl"
    row = {"wav": command[1], "plan_file": "plan.json", "out": "a.wav"}
    lines.write_text(
        "\n".join(json.dumps(x) for x in (row, {**row, "out": "b.wav", "new_text": "b"}))
    )
    given = ["--manifest", str(lines), "--out-dir", str(tmp_path / "out")]
    one, both_given = read_jobs(edit.parser().parse_args(given), edit.parser())
    assert one.problem is None and edit_request(one.options).new_text == NEW
    with pytest.raises(InputError, match="omit the one"):
        edit_request(both_given.options)


def test_a_duration(command: list[str], tmp_path: Path) -> None:
    assert edit.main([*command, "--new-text", NEW, "--duration", "1.1"]) == 0
    told = json.loads((tmp_path / "x.edit.json").read_text())["edits"][0]
    assert sum(word["seconds"] for word in told["words"]) == pytest.approx(1.1)
    assert told["scale"] != 1.0


def test_a_users_own_pronunciation_is_used(command: list[str], tmp_path: Path) -> None:
    new = ARCTIC.replace("always", "Nguyen")
    own = tmp_path / "own.dict"
    own.write_text("nguyen W IH1 N\nunheard AH1 N\n")
    assert edit.main([*command, "--new-text", new, "--dict", str(own)]) == 0
    record = json.loads((tmp_path / "x.edit.json").read_text())
    assert record["asked"]["pronunciations"] == {"nguyen": ["W IH1 N"]}
    assert record["edits"][0]["words"][0]["word"].lower() == "nguyen"
    both = ["--dict", str(own), "--pronounce", "Nguyen=N UW1 EH2 N", "--plan"]
    assert edit.main([*command, "--new-text", new, *both]) == 0
    replayed = ["--replay", str(tmp_path / "x.edit.json"), "--out", str(tmp_path / "y.wav")]
    assert edit.main(replayed) == 0
    assert (tmp_path / "y.wav").read_bytes() == (tmp_path / "x.wav").read_bytes()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--margin", "-5"], "-5 ms is out of range for “margin”: use 0 to 500 ms."),
        (["--pronounce", "Nguyen=W XX"], "not an ARPAbet phone"),
        (["--pronounce", "Nguyen=9"], "how a word sounds"),
        (["--dict", "nowhere.dict"], "can't be read"),
        (["--duration", "0.01"], "out of range"),
        (["--duration", "9"], "times as slowly"),
        (["--duration", "0.1"], "times as long as the time available"),
        (["--duration", "1", "--fit"], "given twice"),
        (["--speed", "1.2", "--fit"], "omit one of them"),
        (["--speed", "1.2", "--duration", "1"], "omit one of them"),
    ],
)
def test_impossible_times(
    options: list[str], reason: str, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert edit.main([*command, "--new-text", NEW, *options]) == 1
    error = capsys.readouterr().err.strip()
    assert reason in error and len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"word": "ever"', '"word": "often"', "“often” where its new text has “ever”"),
        ('"sha256": "', '"sha256": "0', "is not a plan for"),
    ],
)
def test_of_a_plan_only_the_seconds_may_be_changed(
    old: str,
    new: str,
    reason: str,
    command: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert edit.main([*command, "--new-text", NEW, "--plan", "--json"]) == 0
    plan = capsys.readouterr().out
    assert plan.count(old) == 1
    path = tmp_path / "plan.json"
    path.write_text(plan.replace(old, new))
    assert edit.main([*command[:2], *command[4:], "--plan-file", str(path)]) == 1
    assert reason in capsys.readouterr().err and not (tmp_path / "x.wav").exists()


@pytest.mark.parametrize("content", ["", "[1]", '{"edits": 3}', '{"text": 1, "edits": []}'])
def test_no_plan(
    content: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    path.write_text(content)
    assert edit.main([*command, "--plan-file", str(path)]) == 1
    assert "is not a plan" in capsys.readouterr().err


def test_a_request_that_asks_for_more_reads_no_text_again() -> None:
    request = EditRequest(text="We met at nine.", new_text="We met at ten.")
    old, new = request.transcript, request.new_transcript
    slower = request.asking(speed=0.9)
    assert slower.transcript is old and slower.new_transcript is new
    other = request.asking(new_text="We met at one.")
    assert other.transcript is old and other.new_transcript.text == "We met at one."
    assert (slower.speed, request.speed) == (0.9, 1.0)
