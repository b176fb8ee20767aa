"""A voice learnt from the recording that is edited, and when it is learnt."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch
from safetensors.torch import save

from a3t.audio.reading.recording import Recording
from a3t.commands import edit, tts
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING, RECORDING_PARTS
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import EditRequest
from a3t.voice import adaptation, recording_adaptation
from a3t.voice.adaptation_data import AdaptationSpeech, SpeakerWord, windows_of, words_by_time
from a3t.voice.recording_adaptation import VoiceLearner, recorded_settings
from tests.conftest import ARCTIC, NEVER
from tests.voice.conftest import QUICK, learn_quickly, voiced

of_speaker = AdaptationSpeech.of_speaker


def test_an_edit_learns_from_its_own_recording(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_quickly(monkeypatch)
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


def test_learning_is_offered_and_announced_and_comes_last(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    learn_quickly(monkeypatch)
    monkeypatch.setattr("a3t.voice.adaptation_data.LEAST_SECONDS", 1.0)
    monkeypatch.delenv("A3T_ADAPT")
    words = ["--wav", str(talk / "one.wav"), "--new-text", NEVER]
    assert edit.main([*words, "--out", str(tmp_path / "x.wav")]) == 0
    said = capsys.readouterr().err
    assert said.count("--adapt") == 1 and "Learning" not in said
    assert edit.main([*words, "--out", str(tmp_path / "y.wav"), "--adapt"]) == 0
    said = capsys.readouterr().err
    plan, announced = said.index("replace"), said.index("Learning the speaker's voice")
    assert plan < announced < said.index("step 2 of 3") < said.index("Written")
    assert said.count("Learning") == 1 and "--adapt" not in said
    # What can be refused is refused before.
    assert edit.main([*words, "--out", str(talk / "one.wav"), "--adapt"]) == 1
    assert "Learning" not in capsys.readouterr().err


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
        editor.learner.learnt(AdaptationSpeech(plan.recording, plan.alignment), QUICK)


@pytest.fixture
def planned(editor: Editor, arctic: Path) -> EditPlan:
    """An edit of the sentence."""
    return editor.plan(arctic, new_text=NEVER, text=ARCTIC)


def test_one_voice_serves_all_edits(
    editor: Editor, long_talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It depends on what is said, and not on the edit, nor on how its words were placed."""
    monkeypatch.setattr("a3t.voice.adaptation_data.WINDOW", (15.0, 20.0))
    monkeypatch.setattr("a3t.voice.adaptation_data.ENOUGH", 5.0)
    found = []
    for place in (1, 14):
        said = [ARCTIC] * 16
        said[place] = NEVER
        request = EditRequest(new_text=" ".join(said))
        plan = editor.plan(long_talk, request)
        found.append(AdaptationSpeech.of(editor.alignments, plan))
        assert found[-1].is_stored and found[-1].alignment != plan.alignment
    assert found[0].alignment == found[1].alignment
    times = [(word.start, word.end) for word in found[0].alignment.spoken]
    assert len(times) > 30 and 12 < times[-1][1] <= 20
    learn_quickly(monkeypatch)
    # Its words are told, since a replay has only those around the edit.
    voice = editor.learner.learnt(found[0], QUICK)
    assert voice is not None
    _, told = recorded_settings(json.loads(json.dumps(voice.record)))
    assert told == found[0].alignment
    # By whoever knows the words, but has placed them a little differently.
    whole = editor.align(long_talk)
    words = [SpeakerWord(w.text, w.start + 0.04, w.end - 0.03) for w in whole.spoken]
    recording = plan.recording
    assert of_speaker(editor.alignments, recording, words_by_time(words)) == found[0]
    first = [word for word in words if word.end < 20.0]
    assert of_speaker(editor.alignments, recording, words_by_time(first), known=20.0) == found[0]
    assert of_speaker(editor.alignments, recording, words_by_time(first), known=14.0) is None
    assert of_speaker(editor.alignments, recording, words_by_time([])) is None


def test_a_recording_that_begins_with_little_speech_is_heard_for_longer(
    editor: Editor, arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("a3t.voice.adaptation_data.WINDOW", (15.0, 20.0))
    monkeypatch.setattr("a3t.voice.adaptation_data.ENOUGH", 10.0)
    samples, rate = soundfile.read(arctic, dtype="int16")
    hiss = np.random.default_rng(0).normal(0, 9, 12 * rate).astype(np.int16)
    sound = np.concatenate([hiss, samples, hiss, *[samples] * 10])
    soundfile.write(tmp_path / "late.wav", sound, rate)
    recording = Recording.open(tmp_path / "late.wav")
    whole = editor.align(recording, " ".join([ARCTIC] * 11))
    words = [SpeakerWord(word.text, word.start, word.end) for word in whole.spoken]
    speech = of_speaker(editor.alignments, recording, words_by_time(words))
    assert speech is not None and speech.seconds >= 10.0
    assert 25 < speech.alignment.spoken[-1].end < 60
    # Another person's words are not among them, and this one's are found where they begin.
    guest = [replace(w, speaker="Guest" if w.start > 40 else "Host") for w in words]
    other = of_speaker(editor.alignments, recording, words_by_time(guest), "Guest")
    assert other is not None and other.alignment.spoken[0].start > 40
    assert of_speaker(editor.alignments, recording, words_by_time(guest), "Nobody") is None
    # Words without a name beside others that have one are nobody's.
    unnamed = [replace(w, speaker="Guest" if w.start > 14 else "") for w in words]
    nobodys = of_speaker(editor.alignments, recording, words_by_time(unnamed))
    assert nobodys is not None and not nobodys.alignment.spoken
    assert nobodys.pieces == [] and not nobodys.is_enough


def test_windows_end_in_pauses_and_cover_everything(tmp_path: Path) -> None:
    rate = 16_000
    sound = np.random.default_rng(1).normal(0, 3000, 300 * rate).astype(np.int16)
    pauses = [72, 75, 149, 224]  # of two, the quieter one
    for k, at in enumerate(pauses):
        sound[at * rate : at * rate + rate // 2] //= 8 if k == 0 else 64
    soundfile.write(tmp_path / "x.wav", sound, rate)
    recording = Recording.open(tmp_path / "x.wav")
    windows = list(windows_of(recording))
    assert windows[0][0] == 0 and windows[-1][1] == recording.samples
    assert [last for _, last in windows[:-1]] == [first for first, _ in windows[1:]]
    assert [int(last / rate) for _, last in windows[:-1]] == [75, 149, 224]


def test_a_named_speakers_voice_is_learnt_from_their_own_words(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="int16")
    path = tmp_path / "two.wav"
    soundfile.write(path, np.tile(samples, 2), rate)
    text = f"Speaker 1: {ARCTIC}\nSpeaker 2: {ARCTIC}"
    request = EditRequest(new_text=text[::-1].replace("syawla", "reven", 1)[::-1], text=text)
    plan = editor.plan(path, request)
    speech = AdaptationSpeech.of(editor.alignments, plan)
    half = len(samples) / rate
    assert [word.text for word in speech.alignment.spoken] == ARCTIC.lower().strip(".").split()
    assert all(word.start > half - 0.3 for word in speech.alignment.spoken)
    assert speech.is_stored and speech.seconds < half


def test_a_voice_takes_no_more_time_than_it_may(
    editor: Editor, planned: EditPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    speech = AdaptationSpeech.of(editor.alignments, planned)
    monkeypatch.setattr(VoiceLearner, "_seconds_a_step", lambda *rest: 1.0)
    monkeypatch.setattr(VoiceLearner, "_learn", lambda *rest: save({}))
    config = replace(QUICK, steps=4)
    for budget, steps in ((0.5, None), (1.0, 1), (3.9, 2), (4.0, 4)):
        voice = VoiceLearner(editor.plain, editor.alignments).learnt(speech, config, budget)
        assert (voice and voice.facts["steps"]) == steps


def test_a_voice_is_learnt_only_where_it_pays(
    editor: Editor, planned: EditPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_quickly(monkeypatch)
    assert voiced(editor, planned, "auto") is editor  # too little speech
    assert voiced(editor, planned, "never") is editor
    monkeypatch.setattr("a3t.voice.adaptation_data.LEAST_SECONDS", 1.0)
    monkeypatch.setattr("a3t.voice.recording_adaptation.LEAST_SECONDS", 1.0)
    own = voiced(editor, planned, "auto")
    assert own.voice is not None and own.voice["name"] == OF_RECORDING
    assert voiced(own, planned, "auto") is own
    monkeypatch.setattr("a3t.voice.adaptation_data.of_one_speaker", lambda pieces: ([], pieces))
    assert voiced(editor, planned, "auto") is editor  # several people, of no names


def test_the_number_of_threads_changes_no_voice(
    editor: Editor, planned: EditPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_quickly(monkeypatch)
    for module in (adaptation, recording_adaptation):
        monkeypatch.setattr(module, "THREADS", 2)
    learnt = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        speech = AdaptationSpeech(planned.recording, planned.alignment)
        voice = editor.learner.learnt(speech, QUICK)
        learnt.append(voice and voice.record)
        assert torch.get_num_threads() == threads
    torch.set_num_threads(1)
    assert learnt[0] == learnt[1]


def test_a_changed_record_of_a_voice_is_refused() -> None:
    for parts in (), RECORDING_PARTS:  # all of the network was what learnt at first
        entry: dict[str, object] = {"steps": 5} | ({"parts": list(parts)} if parts else {})
        config, _ = recorded_settings(entry)
        assert (config.steps, config.parts) == (5, parts)
    for entry in (
        {"steps": 0},
        {"precision": "int4"},
        {"steps": 10**9},
        {"steps": []},
        {"alignment": 3},
        {"steps": 5, "parts": ["encoder"]},
        {"steps": 5, "parts": 3},
    ):
        with pytest.raises(InputError, match="changed"):
            recorded_settings(entry)


def test_edits_learn_on_request_and_speech_where_it_pays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--wav", "x.wav", "--new-text", "x"]
    speech = ["--prompt-wav", "x.wav", "--text", "x", "--out", "y.wav"]
    monkeypatch.delenv("A3T_ADAPT")
    assert edit.parser().parse_args(words).adapt == "never"
    assert tts.parser().parse_args(speech).adapt == "auto"
    assert edit.parser().parse_args([*words, "--adapt", "20"]).adapt == 20.0
    monkeypatch.setenv("A3T_ADAPT", "never")
    assert tts.parser().parse_args(speech).adapt == "never"
    monkeypatch.setenv("A3T_ADAPT", "sometimes")
    for wrong in (words, [*words, "--adapt=soon"]):
        with pytest.raises(SystemExit):
            edit.main(wrong)
        assert "--adapt" in capsys.readouterr().err
