"""A voice learnt from the recordings that speech is to sound like."""

import json
from pathlib import Path

import pytest
import soundfile
from safetensors.torch import load

from a3t.commands import tts
from a3t.editor import Editor
from a3t.model.saved_voices import OF_RECORDING, RECORDING_PARTS
from a3t.plan.request import EditRequest
from a3t.voice.adaptation_data import AdaptationSpeech
from tests.conftest import ARCTIC, NEVER
from tests.voice.conftest import learn_quickly, voiced

TEXT = "Nobody knew."


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    learn_quickly(monkeypatch)
    monkeypatch.setenv("A3T_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def again(arctic: Path, tmp_path: Path) -> Path:
    """The sentence once more, quieter: another recording of the same person."""
    samples, rate = soundfile.read(arctic)
    soundfile.write(tmp_path / "again.wav", samples / 2, rate)
    return tmp_path / "again.wav"


def test_speech_learns_from_its_prompt(
    editor: Editor, arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("A3T_ADAPT")  # nobody has switched it off
    prompt = ["--prompt-wav", str(arctic), "--prompt-text", ARCTIC, "--text", TEXT]
    found = []
    for name, options in (("a", []), ("b", ["--adapt"]), ("c", ["--adapt", "never"])):
        assert tts.main([*prompt, *options, "--out", str(tmp_path / f"{name}.wav")]) == 0
        record = json.loads((tmp_path / f"{name}.speech.json").read_text())
        found.append((record.get("voice"), soundfile.read(tmp_path / f"{name}.wav")[0].tobytes()))
    assert found[0] == found[1]  # remembered, and the same
    assert found[2][0] is None and found[2][1] != found[0][1]
    told = found[0][0]
    assert told["name"] == OF_RECORDING and told["steps"] > 0
    assert told["parts"] == list(RECORDING_PARTS)
    (kept,) = (tmp_path / "cache" / "voices").iterdir()
    changed = {name.partition(".")[0] for name in load(kept.read_bytes())}
    assert changed == set(RECORDING_PARTS)
    # It is the voice that edits of the recording learn.
    request = EditRequest(new_text=NEVER, text=ARCTIC)
    plan = editor.plan(arctic, request)
    own = voiced(editor, plan, "always", kept.parent)
    assert own.voice is not None and own.voice["sha256"] == told["sha256"]
    assert list(kept.parent.iterdir()) == [kept]


def test_prompts_are_learnt_together_where_that_pays(
    editor: Editor, arctic: Path, again: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = editor.plan_speech(arctic, TEXT, prompt_text=ARCTIC)
    both = editor.plan_speech([arctic, again], TEXT, prompt_text=[ARCTIC, ARCTIC])
    speech = [AdaptationSpeech.of_prompts(editor.alignments, plan.heard) for plan in (one, both)]
    assert speech[1].seconds == pytest.approx(2 * speech[0].seconds, abs=0.1)
    assert speech[0].identity != speech[1].identity
    twice = AdaptationSpeech.of_prompts(editor.alignments, [*one.heard, *one.heard])
    assert twice.seconds == speech[0].seconds  # the same words are no more speech
    least = (speech[0].seconds + speech[1].seconds) / 2
    monkeypatch.setattr("a3t.voice.recording_adaptation.LEAST_PROMPT_SECONDS", least)
    assert voiced(editor, one, "auto") is editor
    own = voiced(editor, both, "auto")
    assert own.voice is not None and own.spoken(both).record["voice"] == own.voice
    assert voiced(own, both, "auto") is own  # it has a voice
    assert voiced(editor, both, "never") is editor


def test_what_goes_on_has_the_recordings_voice(arctic: Path, tmp_path: Path) -> None:
    prompt = ["--prompt-wav", str(arctic), "--prompt-text", ARCTIC, "--text", TEXT]
    assert tts.main([*prompt, "--continue", "--adapt", "--out", str(tmp_path / "x.wav")]) == 0
    assert json.loads((tmp_path / "x.edit.json").read_text())["voice"]["name"] == OF_RECORDING
