"""A voice learnt from the recording that is edited, and when it is learnt."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from a3t import edit
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import EditRequest
from a3t.voice.of_recording import (
    adapted,
    in_recorded_voice,
    recorded_speech,
)
from a3t.voice.own_speech import OwnSpeech
from tests.conftest import ARCTIC
from tests.voice.conftest import QUICK

NEVER = ARCTIC.replace("always", "never")


def test_an_edit_learns_from_its_own_recording(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("a3t.voice.of_recording.AdaptationConfig", lambda: QUICK)
    monkeypatch.setenv("A3T_CACHE", str(tmp_path / "cache"))
    wav, out = talk / "one.wav", tmp_path / "x.wav"
    words = ["--wav", str(wav), "--text", ARCTIC, "--out", str(out)]
    assert edit.main([*words, "--new-text", NEVER, "--adapt"]) == 0
    record = json.loads((tmp_path / "x.edit.json").read_text())
    assert record["voice"]["name"] == OF_RECORDING
    (kept,) = (tmp_path / "cache" / "voices").iterdir()
    kept.unlink()  # learnt again, it is the same
    again = ["--replay", str(tmp_path / "x.edit.json"), "--out", str(tmp_path / "y.wav")]
    assert edit.main(again) == 0
    assert (tmp_path / "y.wav").read_bytes() == out.read_bytes()
    # A next version in the plain voice keeps what was made in the other.
    first = soundfile.read(out, dtype="int16")[0]
    assert edit.main([*words, "--new-text", NEVER.replace("degree", "form")]) == 0
    second = json.loads((tmp_path / "x.edit.json").read_text())
    assert "voice" not in second and len(second["versions"]) == 2
    start, end = second["edits"][0]["output"]
    assert np.array_equal(soundfile.read(out, dtype="int16")[0][start:end], first[start:end])
    assert edit.main(["--wav", str(out), "--undo"]) == 0
    assert np.array_equal(soundfile.read(out, dtype="int16")[0], first)


def test_a_voice_is_named_or_learnt_but_not_both(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        edit.main(["--wav", "x.wav", "--new-text", "x", "--adapt", "--voice", "anna"])
    assert "omit --voice" in capsys.readouterr().err


def test_a_recording_too_short_to_learn_from_says_so(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="int16")
    aligned = editor.align(arctic, ARCTIC)
    cut = aligned.spoken[4].end
    soundfile.write(tmp_path / "short.wav", samples[: round(cut * rate)], rate)
    plan = editor.plan(
        tmp_path / "short.wav", new_text="and you never want to", text="and you always want to"
    )
    with pytest.raises(InputError, match="usable speech"):
        in_recorded_voice(editor, OwnSpeech(plan.recording, plan.alignment))


@pytest.fixture
def planned(editor: Editor, arctic: Path) -> tuple[EditPlan, EditRequest]:
    """An edit of the sentence."""
    request = EditRequest(new_text=NEVER, text=ARCTIC)
    return editor.plan(arctic, request), request


def test_one_voice_serves_all_edits_of_a_part(
    editor: Editor, long_talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("a3t.voice.own_speech.HEARD", 20.0)
    found = []
    for place in (1, 14):
        said = [ARCTIC] * 16
        said[place] = NEVER
        request = EditRequest(new_text=" ".join(said))
        plan = editor.plan(long_talk, request)
        found.append(OwnSpeech.of(editor, plan, request))
        assert found[-1].told and found[-1].alignment != plan.alignment
    assert found[0].alignment == found[1].alignment
    middle = soundfile.info(long_talk).duration / 2
    times = [(word.start, word.end) for word in found[0].alignment.spoken]
    assert len(times) > 20 and middle - 12 < times[0][0] and times[-1][1] < middle + 12
    # Its words are told, since a replay has only those around the edit.
    voice = in_recorded_voice(editor, found[0], config=QUICK).voice
    assert voice is not None
    _, speech = recorded_speech(json.loads(json.dumps(voice)), plan)
    assert speech == found[0]


def test_a_named_speakers_voice_is_learnt_from_their_own_words(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="int16")
    path = tmp_path / "two.wav"
    soundfile.write(path, np.tile(samples, 2), rate)
    text = f"Speaker 1: {ARCTIC}\nSpeaker 2: {ARCTIC}"
    request = EditRequest(new_text=text[::-1].replace("syawla", "reven", 1)[::-1], text=text)
    plan = editor.plan(path, request)
    speech = OwnSpeech.of(editor, plan, request)
    half = len(samples) / rate
    assert [word.text for word in speech.alignment.spoken] == ARCTIC.lower().strip(".").split()
    assert all(word.start > half - 0.3 for word in speech.alignment.spoken)
    assert speech.told and sum(piece.seconds for piece in speech.pieces) < half


def test_a_voice_takes_no_more_time_than_it_may(
    editor: Editor, planned: tuple[EditPlan, EditRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    speech = OwnSpeech.of(editor, *planned)
    monkeypatch.setattr("a3t.voice.of_recording._seconds_a_step", lambda *rest: 1.0)
    config = replace(QUICK, steps=4)
    for budget, steps in ((0.5, None), (1.0, 1), (3.9, 2), (4.0, 4)):
        voice = in_recorded_voice(editor, speech, config=config, budget=budget).voice
        assert (voice and voice["steps"]) == steps


def test_a_voice_is_learnt_only_where_it_pays(
    editor: Editor, planned: tuple[EditPlan, EditRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("a3t.voice.of_recording.AdaptationConfig", lambda: QUICK)
    assert adapted(editor, *planned, "auto") is editor  # too little speech
    assert adapted(editor, *planned, "never") is editor
    monkeypatch.setattr("a3t.voice.own_speech.PAYS_FROM", 1.0)
    monkeypatch.setattr("a3t.voice.of_recording.PAYS_FROM", 1.0)
    own = adapted(editor, *planned, "auto")
    assert own.voice is not None and own.voice["name"] == OF_RECORDING
    assert adapted(own, *planned, "auto") is own
    monkeypatch.setattr("a3t.voice.own_speech.of_one_speaker", lambda pieces: ([], pieces))
    assert adapted(editor, *planned, "auto") is editor  # several people, of no names


def test_the_number_of_threads_changes_no_voice(
    editor: Editor, planned: tuple[EditPlan, EditRequest]
) -> None:
    plan, _ = planned
    learnt = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        speech = OwnSpeech(plan.recording, plan.alignment)
        learnt.append(in_recorded_voice(editor, speech, config=QUICK).voice)
        assert torch.get_num_threads() == threads
    torch.set_num_threads(1)
    assert learnt[0] == learnt[1]


def test_a_changed_record_of_a_voice_is_refused(planned: tuple[EditPlan, EditRequest]) -> None:
    plan, _ = planned
    assert recorded_speech({"steps": 5}, plan)[0].steps == 5
    for entry in (
        {"steps": 0},
        {"precision": "int4"},
        {"steps": 10**9},
        {"steps": []},
        {"alignment": 3},
    ):
        with pytest.raises(InputError, match="changed"):
            recorded_speech(entry, plan)


@pytest.mark.parametrize("when", ["0", "-3", "nan", "inf", "soon"])
def test_what_is_no_time_is_wrong_usage(when: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        edit.main(["--wav", "x.wav", "--new-text", "x", f"--adapt={when}"])
    assert "number of seconds" in capsys.readouterr().err


def test_the_default_is_where_it_pays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--wav", "x.wav", "--new-text", "x"]
    assert edit.parser().parse_args(words).adapt == "never"  # what the tests' environment says
    monkeypatch.delenv("A3T_ADAPT")
    assert edit.parser().parse_args(words).adapt == "auto"
    assert edit.parser().parse_args([*words, "--adapt", "20"]).adapt == 20.0
    monkeypatch.setenv("A3T_ADAPT", "sometimes")
    with pytest.raises(SystemExit):
        edit.main(words)
    assert "--adapt" in capsys.readouterr().err
