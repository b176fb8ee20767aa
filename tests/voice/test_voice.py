"""A person's own voice: its material, its training, its file, and its use."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from a3t.audio.output.provenance import provenance_of
from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.commands import voice as command
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import grid_frames
from a3t.learning import loop
from a3t.learning.loop import Run, seconds_of_products, use_bfloat16
from a3t.model.loading import load_networks
from a3t.model.saved_voices import (
    add_low_rank,
    apply_low_rank,
    load_voice,
    remove_voice,
    save_voice,
    take_low_rank,
    voice_names,
)
from a3t.voice.adaptation import (
    BRIEF_PARTS,
    BRIEF_SECONDS,
    JUDGED_FROM,
    SHORTEST,
    AdaptationConfig,
    UnusedSpeech,
    VoicePiece,
    adapt,
    pieces_of,
)
from a3t.voice.making import gather, make_voice, speaker_facts
from tests.conftest import ARCTIC, NEVER
from tests.voice.conftest import QUICK, quick


@pytest.fixture
def made(editor: Editor, talk: Path) -> Iterator[Editor]:
    """An editor with a voice called "awb"."""
    make_voice("awb", [talk], editor.base_networks, editor.align, QUICK)
    yield Editor.load(voice="awb")


def test_pieces_are_the_speech_and_its_phones(
    editor: Editor, arctic: Path, pieces: list[VoicePiece]
) -> None:
    recording = Recording.open(arctic)
    (piece,) = pieces
    assert len(piece.mel) == piece.durations.sum() >= SHORTEST
    assert piece.mel.shape[1] == 80 and piece.pitch is not None
    assert len(piece.phones) == len(piece.durations) == len(piece.words)
    assert len(piece.mel) < grid_frames(recording.samples, recording.sample_rate)
    assert sorted(set(piece.words.tolist()) - {-1}) == list(range(11))


def test_clips_that_do_not_match_their_text_are_left_out(editor: Editor, arctic: Path) -> None:
    recording = Recording.open(arctic)
    aligned = editor.align(recording, ARCTIC)
    doubtful = tuple(replace(word, score=0.1) if word.text else word for word in aligned.words)
    (left_out,) = pieces_of(recording, replace(aligned, words=doubtful))
    assert isinstance(left_out, UnusedSpeech) and "11 of 11 words" in str(left_out)


def test_facts_of_the_speaker(pieces: list[VoicePiece]) -> None:
    facts = json.loads(json.dumps(speaker_facts(pieces)))
    assert 2 < facts["seconds"] < 4 and 8 < facts["phones_per_second"] < 20
    assert 80 < facts["pitch_hertz"] < 200  # awb is a man
    assert facts["pitch_range_semitones"] > 1


def test_removing_an_adaptation_restores_the_network() -> None:
    network = load_networks("small").model
    before = {name: value.clone() for name, value in network.state_dict().items()}
    add_low_rank(network, 4)
    trained = [name for name, value in network.named_parameters() if value.requires_grad]
    assert trained and all("parametrizations" in name for name in trained)
    changes = take_low_rank(network)
    after = network.state_dict()
    assert after.keys() == before.keys()
    assert all(torch.equal(after[name], before[name]) for name in before)
    apply_low_rank(network, changes)  # up is zero: nothing is changed
    assert all(torch.equal(network.state_dict()[name], before[name]) for name in before)
    assert sum(value.numel() * 2 for value in changes.values()) < 1_000_000


def test_little_speech_changes_the_decoder_alone() -> None:
    config = AdaptationConfig()
    settled = [config.settled(seconds) for seconds in (8.0, 60.0, BRIEF_SECONDS, 1000.0)]
    assert [each.parts for each in settled] == [BRIEF_PARTS, BRIEF_PARTS, (), ()]
    assert [each.steps for each in settled] == [120, 240, 320, 600]
    own = AdaptationConfig(parts=(), steps=7).settled(8.0)
    assert (own.parts, own.steps) == ((), 7)


@pytest.mark.slow
def test_the_number_of_threads_changes_no_voice(
    editor: Editor, pieces: list[VoicePiece], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("a3t.voice.adaptation.THREADS", 2)
    learnt = []
    for threads in (1, 3):
        torch.set_num_threads(threads)
        learnt.append(adapt(editor.model, pieces, tmp_path / f"{threads}", QUICK).changes)
        assert torch.get_num_threads() == threads
    torch.set_num_threads(1)
    one, other = learnt
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_the_same_seed_gives_the_same_voice_however_often_it_was_stopped(
    editor: Editor, pieces: list[VoicePiece], tmp_path: Path
) -> None:
    class StoppedError(Exception):
        pass

    def stop(step: int, steps: int) -> None:
        if step == 2:
            raise StoppedError

    many = [replace(pieces[0], name=f"piece-{k}") for k in range(JUDGED_FROM)]
    before = {name: value.clone() for name, value in editor.model.state_dict().items()}
    whole = adapt(editor.model, many, tmp_path / "whole", QUICK)
    # Every change is trained, and the network itself is not.
    assert all(torch.equal(editor.model.state_dict()[name], before[name]) for name in before)
    ups = [value for name, value in whole.changes.items() if name.endswith(".up")]
    blocks = (*editor.model.encoder, *editor.model.decoder)
    assert len(ups) == 4 * len(blocks) and all(value.any() for value in ups)
    with pytest.raises(StoppedError):
        adapt(editor.model, many, tmp_path / "parts", QUICK, progress=stop)
    resumed = adapt(editor.model, many, tmp_path / "parts", QUICK)
    assert whole.before is not None and whole.after is not None
    assert (resumed.before, resumed.after) == (whole.before, whole.after)
    assert resumed.step == whole.step
    # Of a run that was over nothing is left to train, and the best state is still known.
    again = adapt(editor.model, many, tmp_path / "parts", QUICK)
    assert (again.before, again.after, again.step) == (whole.before, whole.after, whole.step)
    assert whole.changes.keys() == resumed.changes.keys()
    assert all(torch.equal(whole.changes[name], resumed.changes[name]) for name in whole.changes)


def test_other_settings_begin_anew(editor: Editor, talk: Path, voices: Path) -> None:
    def stop(step: int, steps: int) -> None:
        if step == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_voice("awb", [talk], editor.base_networks, editor.align, QUICK, progress=stop)
    assert (voices / ".awb.making").exists()
    _, adaptation = make_voice(
        "awb", [talk], editor.base_networks, editor.align, replace(QUICK, rank=4)
    )
    assert adaptation.step == QUICK.steps
    assert not (voices / ".awb.making").exists()


def test_recordings_of_one_name_are_told_apart(editor: Editor, talk: Path, tmp_path: Path) -> None:
    samples, rate = soundfile.read(talk / "one.wav", dtype="int16")
    for day, gain in (("monday", 1), ("tuesday", 2)):
        (tmp_path / day).mkdir()
        soundfile.write(tmp_path / day / "one.wav", samples // gain, rate)
        (tmp_path / day / "one.txt").write_text(ARCTIC)
    paths = [tmp_path / day / "one.wav" for day in ("monday", "tuesday", "monday")]
    pieces, left_out = gather(paths, editor.align, lambda sentence: None)
    assert len(pieces) == 2
    assert [one.reason for one in left_out] == ["the same recording was used before."]


def test_too_little_speech_is_refused(
    editor: Editor, pieces: list[VoicePiece], tmp_path: Path
) -> None:
    (piece,) = pieces
    short = replace(piece, mel=piece.mel[:72])
    with pytest.raises(InputError, match=r"0.9 s of usable speech"):
        adapt(editor.model, [short], tmp_path, QUICK)


def test_a_voice_is_made_named_used_and_removed(
    made: Editor, editor: Editor, arctic: Path, tmp_path: Path, voices: Path
) -> None:
    assert voice_names() == ["awb"] and not (voices / ".awb.making").exists()
    assert load_voice("awb").facts["consent"] is True
    plain = editor.edit(arctic, new_text=NEVER, text=ARCTIC, verify=False)
    own = made.edit(arctic, new_text=NEVER, text=ARCTIC, verify=False)
    assert not np.array_equal(plain.patches[0].samples, own.patches[0].samples)
    assert "voice" not in plain.record and own.record["voice"]["name"] == "awb"
    out = own.save(tmp_path / "own.wav")
    assert "awb" in provenance_of(out).traces[0].models
    spoken = made.tts(None, "Bring it.").save(tmp_path / "said.wav")  # the voice is its prompt
    assert "awb" in provenance_of(spoken).traces[0].models
    replayed = ["--replay", str(tmp_path / "own.edit.json"), "--out", str(tmp_path / "again.wav")]
    assert edit.main(replayed) == 0
    assert (tmp_path / "again.wav").read_bytes() == out.read_bytes()
    remove_voice("awb")
    assert voice_names() == []


def test_the_command_line(
    talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("a3t.voice.adaptation.AdaptationConfig", quick)
    monkeypatch.setattr("a3t.voice.making.LEAST_SECONDS", 1.0)
    monkeypatch.setattr(Run, "save", lambda run: None)  # takes longer than a step
    make = ["make", str(talk), "--out", "awb", "--steps", "2", "--rank", "2"]
    assert command.main(["list"]) == 0
    assert "no voices yet" in capsys.readouterr().err
    assert command.main(make) == 1  # nobody is there to ask for consent
    assert "consent" in capsys.readouterr().err
    assert command.main([*make, "--i-have-consent"]) == 0
    assert "become a little more like the speaker" in capsys.readouterr().err
    assert command.main(["list"]) == 0 and capsys.readouterr().out == "awb\n"
    assert command.main(["show", "awb"]) == 0 and "seconds" in capsys.readouterr().out
    words = ["--text", ARCTIC, "--new-text", NEVER, "--out", str(tmp_path / "x.wav")]
    assert edit.main(["--wav", str(talk / "one.wav"), *words, "--voice", "awb"]) == 0
    assert json.loads((tmp_path / "x.edit.json").read_text())["voice"]["name"] == "awb"
    assert command.main(["remove", "awb"]) == 0 and command.main(["show", "awb"]) == 1


@pytest.mark.parametrize("name", ["", "../up", "a b", ".hidden", "x" * 65])
def test_names_that_no_voice_can_have(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["make", ".", "--out", name, "--i-have-consent"]) == 1
    assert "can't be the name of a voice" in capsys.readouterr().err


@pytest.mark.parametrize("seed", ["-1", "9" * 30])
def test_seeds_that_no_generator_takes(
    seed: str, talk: Path, voices: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make = ["make", str(talk), "--out", "awb", "--i-have-consent", f"--seed={seed}"]
    assert command.main(make) == 1
    assert "out of range for “seed”" in capsys.readouterr().err and not voices.exists()


def test_bad_recordings_are_named_and_left_out(editor: Editor, talk: Path) -> None:
    (talk / "broken.wav").write_bytes(b"RIFF nothing")
    (talk / "other.wav").write_bytes((talk / "one.wav").read_bytes())
    (talk / "other.txt").write_text("The weather will be sunny on Thursday afternoon.")
    said: list[str] = []
    pieces, left_out = gather(sorted(talk.glob("*.wav")), editor.align, said.append)
    assert len(pieces) == 1 and len(said) == len(left_out) == 2
    assert [one.path.name for one in left_out] == ["broken.wav", "other.wav"]
    with pytest.raises(InputError, match="None of these recordings can be used"):
        make_voice("none", [talk / "broken.wav"], editor.base_networks, editor.align, QUICK)
    with pytest.raises(InputError, match="no recordings there"):
        make_voice("none", [], editor.base_networks, editor.align, QUICK)


def test_a_voice_of_another_model_is_refused(editor: Editor) -> None:
    save_voice("other", {"name": "small", "sha256": "0"}, {}, {"x.up": torch.zeros(1, 1)})
    with pytest.raises(InputError, match="make it again"):
        Editor.load(voice="other")
    right = {"name": editor.name, "sha256": editor.sha256}
    save_voice("odd", right, {}, {"nowhere.up": torch.zeros(1, 1)})
    with pytest.raises(InputError, match="doesn't fit"):
        Editor.load(voice="odd")
    with pytest.raises(InputError, match="There is no voice"):
        Editor.load(voice="nobody")


def test_a_requested_precision_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(bfloat16: bool) -> float:
        raise AssertionError

    monkeypatch.setattr(loop, "seconds_of_products", never)
    assert use_bfloat16("bfloat16") and not use_bfloat16("float32")
    with pytest.raises(ValueError, match="float16"):
        use_bfloat16("float16")


@pytest.mark.parametrize(("low", "expected"), [(0.5, True), (0.95, False), (2.4, False)])
def test_the_faster_precision_is_used_and_float32_on_a_tie(
    monkeypatch: pytest.MonkeyPatch, low: float, expected: bool
) -> None:
    monkeypatch.setattr(loop, "seconds_of_products", lambda b: low if b else 1.0)
    assert use_bfloat16("auto") is expected


def test_measuring_takes_a_moment_and_leaves_the_random_numbers_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    assert 0 < seconds_of_products(True, rounds=1) < 60
    assert torch.equal(torch.rand(2), expected)
