"""Loudness by EBU R128, against the recommendation's own signals and against pyloudnorm."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.__main__ import main
from a3t.audio.analysis.loudness import Loudness, loudness, measured_loudness
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError

RATE = 48_000


def tone(decibels: float, seconds: float) -> np.ndarray:
    """A stereo sine of 1 kHz whose peak is so many dB below full scale."""
    time = np.arange(round(seconds * RATE)) / RATE
    wave = 10 ** (decibels / 20) * np.sin(2 * np.pi * 1000 * time)
    return np.stack([wave, wave], axis=1)


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ([(-23.0, 20.0)], -23.0),  # the cases 1 to 3 of EBU Tech 3341
        ([(-33.0, 20.0)], -33.0),
        ([(-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0)], -23.0),
    ],
)
def test_the_signals_of_the_recommendation(parts: list[tuple[float, float]], wanted: float) -> None:
    sound = np.concatenate([tone(*part) for part in parts])
    blocks = [sound[k : k + 20_000] for k in range(0, len(sound), 20_000)]
    assert measured_loudness(blocks, RATE, 2).integrated == pytest.approx(wanted, abs=0.1)


def test_another_meter_agrees(arctic: Path, tmp_path: Path) -> None:
    pyloudnorm = pytest.importorskip("pyloudnorm", reason="pyloudnorm is not installed")
    sound, rate = soundfile.read(arctic)
    for channels in (sound[:, None], np.stack([sound, sound / 3], axis=1)):
        soundfile.write(tmp_path / "a.wav", channels, rate)
        found = loudness(Recording.open(tmp_path / "a.wav"))
        wanted = pyloudnorm.Meter(rate).integrated_loudness(channels)
        assert found.integrated == pytest.approx(wanted, abs=0.15)
        peak = 20 * np.log10(np.abs(channels).max())
        assert peak - 0.1 <= found.peak <= peak + 1.0


def test_a_copy_at_another_loudness(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, out = arctic.read_bytes(), tmp_path / "loud.wav"
    assert main(["loudness", str(arctic), "--to", "-30", "--out", str(out), "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"integrated", "range", "peak"}
    assert loudness(Recording.open(out)).integrated == pytest.approx(-30, abs=0.1)
    assert arctic.read_bytes() == before
    (old, rate), (new, same_rate) = soundfile.read(arctic), soundfile.read(out)
    factor = float(old @ new / (old @ old))
    assert rate == same_rate and np.abs(new - factor * old).max() < 2 / 2**15
    again = ["loudness", str(arctic), "--to", "-29", "--out"]
    assert main([*again, str(out)]) == 0  # a3t made it
    other = tmp_path / "other.wav"
    other.write_bytes(before)
    assert main([*again, str(other)]) == 1 and other.read_bytes() == before
    assert "a3t did not make it" in capsys.readouterr().err
    assert main([*again, str(other), "--yes"]) == 0 and other.read_bytes() != before


def test_peaks_are_kept(
    arctic: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["loudness", str(arctic), "--to", "-5", "--out", "loud.wav"]) == 0
    assert loudness(Recording.open(tmp_path / "loud.wav")).peak <= -0.9
    told = capsys.readouterr().err
    assert "peaks would exceed" in told and told.startswith("Written: loud.wav (")


@pytest.mark.parametrize("level", [-80.0, 0.0, float("nan")])
def test_levels_that_nobody_wants(level: float) -> None:
    with pytest.raises(InputError, match="LUFS is out of range"):
        Loudness(-20.0, 5.0, -1.0).gain_to(level, -1.0)


def test_silence_has_no_loudness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soundfile.write(tmp_path / "a.wav", tone(-85, 1.0), RATE)
    assert main(["loudness", str(tmp_path / "a.wav"), "--to", "-16"]) == 1
    assert "too quiet" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]
