"""Speech by a prompt: its pieces, its prompts, its level, and what is written."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from a3t.audio.output.provenance import provenance_of
from a3t.commands import tts
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.prompt import MAX_PROMPT_FRAMES, PAUSES, Prompt
from a3t.rendering.mel_corrections import SpeechLevel
from a3t.text.phones import PAUSE
from tests.conftest import ARCTIC

TEXT = "The quick fox sleeps. Does the dog mind? It does not."


def test_pieces_are_the_whole(editor: Editor, arctic: Path) -> None:
    plan = editor.plan_speech(arctic, TEXT, prompt_text=ARCTIC)
    pieces = list(editor.speak(plan))
    assert len(pieces) > 1
    assert sum(map(len, pieces)) == 300 * sum(phone.frames for phone in plan.phones)
    whole = editor.tts(arctic, TEXT, prompt_text=ARCTIC).samples
    assert np.array_equal(np.concatenate(pieces), whole)


def test_marks_pause_as_readers_do(editor: Editor, arctic: Path) -> None:
    plan = editor.plan_speech(arctic, "One, two. Three [pause 1.0] four", prompt_text=ARCTIC)
    inner = [phone.frames for phone in plan.phones if phone.symbol == PAUSE][1:-1]
    comma, stop, asked = inner
    assert asked == 80
    assert stop / comma == pytest.approx(PAUSES["."] / PAUSES[","], rel=0.1)


def test_several_prompts_share_the_place(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    samples, rate = soundfile.read(arctic)
    soundfile.write(tmp_path / "again.wav", samples, rate)
    one = editor.plan_speech(arctic, TEXT, prompt_text=ARCTIC)
    two = editor.plan_speech([arctic, tmp_path / "again.wav"], TEXT, prompt_text=[ARCTIC, ARCTIC])
    assert len(one.prompt.mel) < len(two.prompt.mel) <= MAX_PROMPT_FRAMES
    assert [each.recording.path.name for each in two.heard] == [arctic.name, "again.wav"]
    assert two.prompt.pace == pytest.approx(one.prompt.pace)
    with pytest.raises(InputError, match="2 prompts and 1 texts"):
        editor.plan_speech([arctic, arctic], TEXT, prompt_text=ARCTIC)


def test_without_a_prompt_it_says_what_is_missing(editor: Editor) -> None:
    with pytest.raises(InputError, match="A prompt is needed"):
        editor.tts(None, TEXT)


def test_a_prompt_survives_being_saved(editor: Editor, arctic: Path) -> None:
    prompt = editor.plan_speech(arctic, TEXT, prompt_text=ARCTIC).prompt
    again = Prompt.from_tensors(prompt.to_tensors())
    assert again.phones == prompt.phones and again.pace == pytest.approx(prompt.pace)
    assert np.abs(again.mel - prompt.mel).max() < 0.01
    for name, broken in (("frames", torch.tensor([5])), ("mel", torch.zeros(3, 80))):
        with pytest.raises(InputError, match="prompt is damaged"):
            Prompt.from_tensors(prompt.to_tensors() | {name: broken})


def test_the_level_settles_at_the_prompts_and_glides() -> None:
    generator = torch.Generator().manual_seed(0)
    mel = torch.randn(900, 80, generator=generator) * 0.1 - 2
    mel[300:] -= 0.2  # 4 dB too quiet
    level = SpeechLevel(mel[:300], ["AA1"], np.zeros(900, int))
    parts = [level.levelled(mel[first : first + 200], first) for first in (300, 500, 700)]
    assert abs(float(torch.cat(parts).mean() - mel[:300].mean())) < 0.01
    shifts = torch.cat(parts) - mel[300:]
    assert float(shifts.mean(1).diff().abs().max()) < 0.005


@pytest.mark.usefixtures("whole_networks")
def test_the_command_streams_what_it_would_write(
    arctic: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    command = ["--prompt-wav", str(arctic), "--prompt-text", ARCTIC, "--text", TEXT, "--out"]
    assert tts.main([*command, "-"]) == 0
    streamed = capsysbinary.readouterr().out
    assert streamed[:4] == b"RIFF"
    samples = np.frombuffer(streamed[44:], "<i2")
    assert tts.main([*command, str(tmp_path / "x.wav"), "--no-provenance"]) == 0
    written, rate = soundfile.read(tmp_path / "x.wav", dtype="int16")
    assert rate == 24000 and len(written) == len(samples)
    # One of the two rounds and the other cuts off, and full scale is 32,767 or 32,768.
    assert np.abs(written.astype(int) - samples).max() <= 2
    assert provenance_of(tmp_path / "x.wav").traces == ()
    read, _ = soundfile.read(io.BytesIO(streamed))
    assert len(read) == len(samples)


def test_going_on_keeps_the_recording(arctic: Path, tmp_path: Path) -> None:
    out = tmp_path / "on.wav"
    command = ["--prompt-wav", str(arctic), "--prompt-text", ARCTIC, "--continue"]
    assert tts.main([*command, "--text", "And so it ends.", "--out", str(out)]) == 0
    before, rate = soundfile.read(arctic, dtype="int16")
    after, _ = soundfile.read(out, dtype="int16")
    start, end = json.loads((tmp_path / "on.edit.json").read_text())["edits"][0]["output"]
    assert np.array_equal(after[:start], before[:start]) and start > 0.7 * len(before)
    assert end - start > 0.6 * rate


def test_the_prompt_s_words_are_told_if_they_were_found(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["--prompt-wav", str(arctic), "--text", "And so it ends.", "--out"]
    assert tts.main([*command, str(tmp_path / "x.foo")]) == 1
    assert capsys.readouterr().err.count("\n") == 1  # before the prompt is heard
    assert tts.main([*command, str(tmp_path / "x.wav")]) == 0
    heard = capsys.readouterr().err.lower()
    assert heard.startswith(f"Prompt: {ARCTIC[:-1]}".lower())


def test_usage_is_checked_before_anything_is_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        tts.main(["--text", "Hello.", "--out", "x.wav"])
    assert "name a recording of the voice" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        tts.main(["--text", "Hello.", "--out", "-", "--json", "--prompt-wav", "x.wav"])
    assert "omit one" in capsys.readouterr().err


def test_the_record_names_every_prompt(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    result = editor.tts([arctic], "Good morning.", prompt_text=[ARCTIC])
    out = result.save(tmp_path / "said.wav")
    record = json.loads((tmp_path / "said.speech.json").read_text())
    (prompt,) = record["prompts"]
    assert prompt["text"] == ARCTIC and prompt["path"].endswith(arctic.name)
    assert provenance_of(out).traces[0].synthetic
    with pytest.raises(InputError):
        result.save(arctic)
    with pytest.raises(InputError, match=r"is the record of said\.wav"):
        result.save(tmp_path / "said.flac")
