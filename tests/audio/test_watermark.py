"""The watermark of made words, and the search for it."""

from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import soxr

from a3t.audio.output.watermark import (
    pieces_with_watermark,
    watermarks_in,
    with_watermark,
)
from a3t.audio.reading.recording import Recording
from a3t.commands import inspect

BEGIN, END = 0.8, 2.1  # seconds of the recording that have a mark


@pytest.fixture
def speech(arctic: Path) -> tuple[np.ndarray, int]:
    return sf.read(arctic, always_2d=True)


@pytest.fixture
def marked(speech: tuple[np.ndarray, int]) -> tuple[np.ndarray, int]:
    samples, rate = speech
    first, last = round(BEGIN * rate), round(END * rate)
    result = samples.copy()
    result[first:last] = with_watermark(samples[first:last], rate)
    return result, rate


@pytest.mark.parametrize("ending", ["wav", "mp3", "ogg"])
@pytest.mark.parametrize("rate", [16_000, 22_050, 48_000])
def test_a_mark_is_found_after_conversion(
    ending: str, rate: int, marked: tuple[np.ndarray, int], tmp_path: Path
) -> None:
    path = tmp_path / f"converted.{ending}"
    sf.write(path, soxr.resample(marked[0], marked[1], rate), rate)
    ((start, end),) = watermarks_in(Recording.open(path))
    assert start == pytest.approx(BEGIN, abs=0.1)
    assert END - 0.6 < end < END + 0.6


def test_a_mark_is_found_in_what_is_cut_out(marked: tuple[np.ndarray, int], tmp_path: Path) -> None:
    samples, rate = marked
    sf.write(tmp_path / "cut.wav", samples[round(0.5 * rate) + 77 :], rate)
    ((start, _),) = watermarks_in(Recording.open(tmp_path / "cut.wav"))
    assert start == pytest.approx(BEGIN - 0.5, abs=0.1)


@pytest.mark.parametrize("begin", [0.3, 0.55, 0.8, 1.1, 1.37])
def test_a_second_out_of_the_middle_of_a_mark_is_found(
    begin: float, speech: tuple[np.ndarray, int], tmp_path: Path
) -> None:
    samples, rate = speech
    samples = with_watermark(samples[round(0.5 * rate) : round(3.2 * rate)], rate)
    sf.write(tmp_path / "cut.wav", samples[round(begin * rate) :][:rate], rate)
    assert watermarks_in(Recording.open(tmp_path / "cut.wav"))


def test_several_marks_are_found_in_order(speech: tuple[np.ndarray, int], tmp_path: Path) -> None:
    samples, rate = speech
    sound = np.concatenate([samples, samples, samples])
    places = [0.8, 4.2, 8.6]
    for place, seconds in zip(places, (1.0, 1.6, 1.3), strict=True):  # the middle one is plainest
        own = slice(round(place * rate), round((place + seconds) * rate))
        sound[own] = with_watermark(sound[own], rate)
    sf.write(tmp_path / "three.wav", sound, rate)
    found = [start for start, _ in watermarks_in(Recording.open(tmp_path / "three.wav"))]
    assert found == pytest.approx(places, abs=0.1)


def test_a_long_mark_is_one(speech: tuple[np.ndarray, int], tmp_path: Path) -> None:
    samples, rate = speech
    long = with_watermark(np.concatenate([samples, samples, samples]), rate)
    sf.write(tmp_path / "long.wav", long, rate)
    ((start, end),) = watermarks_in(Recording.open(tmp_path / "long.wav"))
    assert start == pytest.approx(0, abs=0.1) and end == pytest.approx(len(long) / rate, abs=0.6)


def test_what_has_no_mark_has_none(arctic: Path, tmp_path: Path) -> None:
    assert watermarks_in(Recording.open(arctic)) == []
    noise = np.random.default_rng(1).normal(0, 0.1, 40_000)
    sf.write(tmp_path / "noise.wav", noise, 16_000)
    assert watermarks_in(Recording.open(tmp_path / "noise.wav")) == []


def test_a_mark_is_quiet_and_the_same_each_time(speech: tuple[np.ndarray, int]) -> None:
    samples, rate = speech
    marked = with_watermark(samples, rate)
    assert np.array_equal(marked, with_watermark(samples, rate))
    ratio = np.square(samples).sum() / np.square(marked - samples).sum()
    assert ratio > 10**1.3  # 13 dB


def test_a_loud_sound_stays_within_full_scale(speech: tuple[np.ndarray, int]) -> None:
    loud = np.clip(30 * speech[0], -1.0, 1.0)
    assert np.abs(loud).max() == 1.0
    assert np.abs(with_watermark(loud, speech[1])).max() <= 1.0


@pytest.mark.parametrize("rate", [8_000, 44_100, 192_000])
@pytest.mark.parametrize("length", [0, 1, 30, 700, 50_001])
def test_any_sound_keeps_its_shape_and_its_ends(rate: int, length: int) -> None:
    samples = np.random.default_rng(length).normal(0, 0.1, (length, 2))
    marked = with_watermark(samples, rate)
    assert marked.shape == samples.shape and np.isfinite(marked).all()
    assert np.array_equal(with_watermark(np.zeros((length, 2)), rate), np.zeros((length, 2)))
    if length:
        assert np.abs(marked[[0, -1]] - samples[[0, -1]]).max() < 0.01


def test_inspecting_a_file_that_lost_its_comment(
    marked: tuple[np.ndarray, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sf.write(tmp_path / "bare.mp3", *marked)
    assert inspect.main([str(tmp_path / "bare.mp3")]) == 0
    assert "watermark" in capsys.readouterr().out


def test_pieces_get_the_mark_of_the_whole(speech: tuple[np.ndarray, int]) -> None:
    samples, rate = speech[0][:, 0], speech[1]
    pieces = np.split(samples, [1, 900, 20_000, 21_000, 60_000])
    made = np.concatenate(list(pieces_with_watermark(pieces, rate)))
    assert np.allclose(made, with_watermark(samples, rate), atol=1e-6)


def test_what_cannot_be_searched_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sf.write(tmp_path / "silent.wav", np.zeros(16_000), 16_000)
    assert inspect.main([str(tmp_path / "silent.wav")]) == 0
    assert "wasn't searched" in capsys.readouterr().out
