"""Features of clips, and bad ones among them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.mel import log_mel
from a3t.errors import InputError
from a3t.text.phones import PHONES
from a3t.training.espnet import dump as room
from a3t.training.espnet.dump import dump, main, read_scp
from tests.conftest import ARCTIC

RATE = 16_000
KEYS = ("phones", "durations", "words")


def kaldi(folder: Path, clips: dict[str, tuple[Path, str]]) -> Path:
    folder.mkdir()
    (folder / "wav.scp").write_text("".join(f"{k} {v[0]}\n" for k, v in clips.items()))
    (folder / "text").write_text("".join(f"{k} {v[1]}\n" for k, v in clips.items() if v[1]))
    (folder / "utt2spk").write_text("".join(f"{k} awb\n" for k in clips))
    return folder


@pytest.fixture(scope="module")
def made(arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One good clip among every kind of bad one; the features' folder."""
    base = tmp_path_factory.mktemp("dump")
    samples, _ = soundfile.read(arctic)
    soundfile.write(base / "short.wav", samples[:800], RATE)  # 0.05 s
    soundfile.write(base / "long.wav", np.tile(samples, 10), RATE)  # 40 s
    noise = np.random.default_rng(0).normal(0, 0.05, 2 * RATE)
    soundfile.write(base / "noise.wav", noise, RATE)
    (base / "broken.wav").write_bytes(b"RIFF of no sound")
    clips = {
        "broken": (base / "broken.wav", "This can't be read."),
        "gone": (base / "gone.wav", "This is not there."),
        "good": (arctic, ARCTIC),
        "long": (base / "long.wav", ARCTIC),
        "noise": (base / "noise.wav", "Nobody says a word of this long sentence about rain."),
        "short": (base / "short.wav", "Yes."),
        "silent": (arctic, ""),
    }
    data = kaldi(base / "data", clips)
    said = dump(data, base / "out", pitch=True)
    assert "1 clips" in said
    return base / "out"


def test_bad_clips_are_named_and_the_rest_goes_on(made: Path) -> None:
    rows = [line.split("\t") for line in (made / "left-out.tsv").read_text().splitlines()]
    assert [row[:2] for row in rows] == [
        ["broken", "unreadable"],
        ["gone", "unreadable"],
        ["long", "too long"],
        ["noise", "not aligned"],
        ["short", "too short"],
        ["silent", "without text"],
    ]
    assert list(read_scp(made / "mel.scp")) == ["good"]


def test_features_belong_together_and_are_those_of_the_recording(made: Path, arctic: Path) -> None:
    lists = {name: read_scp(made / name)["good"] for name in ("phones", "durations", "words")}
    phones, durations, words = (np.array(text.split(), int) for text in lists.values())
    mel = np.load(read_scp(made / "mel.scp")["good"])
    assert len(phones) == len(durations) == len(words)
    assert durations.sum() == len(mel) and (durations > 0).all()
    assert words.max() == len(ARCTIC.split()) - 1
    assert next(PHONES[k] for k in phones[words == 2]) == "AO1"  # "always"
    assert len(np.load(read_scp(made / "pitch.scp")["good"])) == len(mel)
    samples, _ = soundfile.read(arctic, dtype="float32")
    from a3t.training.waveforms import soxr

    expected = log_mel(soxr.resample(samples, RATE, 24_000, quality="VHQ")).numpy()
    assert np.abs(mel.astype(np.float32) - expected).mean() < 0.01
    assert (made / "phone_list").read_text().split() == list(PHONES)


def test_what_is_done_is_not_done_again(
    made: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arctic: Path
) -> None:
    def again(job: room.Job) -> dict[str, np.ndarray]:
        raise AssertionError(job.name)

    monkeypatch.setattr(room, "features", again)
    assert "1 clips" in dump(kaldi(tmp_path / "data", {"good": (arctic, ARCTIC)}), made)


def test_a_clip_that_breaks_a_library_is_left_out_like_any_other(
    tmp_path: Path, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(job: room.Job) -> dict[str, np.ndarray]:
        if job.name == "bad":
            raise ZeroDivisionError("of a library")
        return {"mel": np.zeros((3, 80)), **{k: np.array([3]) for k in KEYS}, "score": np.array(1)}

    monkeypatch.setattr(room, "features", broken)
    data = kaldi(tmp_path / "data", {"bad": (arctic, ARCTIC), "good": (arctic, ARCTIC)})
    assert "1 clips" in dump(data, tmp_path / "out")
    assert (tmp_path / "out" / "left-out.tsv").read_text() == (
        "bad\tfailed\tZeroDivisionError: of a library\n"
    )


def test_a_full_disk_stops_with_a_sentence_and_keeps_what_is_done(
    tmp_path: Path, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    data = kaldi(tmp_path / "data", {"good": (arctic, ARCTIC)})
    monkeypatch.setattr(
        room, "features", lambda job: {"mel": np.zeros((3, 80)), "phones": np.zeros(1)}
    )
    monkeypatch.setattr(room.np, "save", full)
    with pytest.raises(InputError, match="the disk is full"):
        dump(data, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.npy"))
    assert not (tmp_path / "out" / "mel.scp").exists()


def test_a_missing_stage_and_a_missing_mfa_are_said(
    tmp_path: Path,
    arctic: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main([str(tmp_path / "none"), str(tmp_path / "out")]) == 1
    assert "run the stage before" in capsys.readouterr().err
    data = kaldi(tmp_path / "data", {"good": (arctic, ARCTIC)})
    monkeypatch.setenv("A3T_MFA", str(tmp_path / "no-mfa"))
    room._tools.pop("mfa", None)
    assert main([str(data), str(tmp_path / "out"), "--aligner", "mfa"]) == 1
    assert "A3T_MFA" in capsys.readouterr().err
