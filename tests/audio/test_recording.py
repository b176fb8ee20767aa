"""Opening, checking and reading by windows."""

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
import soxr

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError

TONE = np.sin(np.arange(48_000) / 20) / 2
NOISE = np.random.default_rng(0).uniform(-0.5, 0.5, 96_000)


def write(path: Path, samples: np.ndarray, rate: int = 48_000, **how: str) -> Path:
    sf.write(path, samples, rate, **how)
    return path


def shorten(path: Path, share: float) -> Path:
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    return path


def garble(path: Path) -> Path:
    content = bytearray(path.read_bytes())
    content[len(content) // 3 : len(content) // 2] = os.urandom(
        len(content) // 2 - len(content) // 3
    )
    path.write_bytes(content)
    return path


def with_sample(value: float) -> np.ndarray:
    samples = TONE.copy()
    samples[12_000] = value
    return samples


def opposed(samples: np.ndarray) -> np.ndarray:
    return np.stack([samples, -samples], axis=1)


def folder(path: Path) -> Path:
    path.mkdir()
    return path


def text(path: Path, content: str) -> Path:
    path.write_text(content)
    return path


BAD = {
    "missing": (lambda p: p / "no.wav", "does not exist"),
    "a folder": (lambda p: folder(p / "in.wav"), "is a folder"),
    "a device": (lambda p: Path("/dev/null"), "not a plain file"),
    "0 bytes": (lambda p: text(p / "in.wav", ""), "is empty"),
    "text": (lambda p: text(p / "in.wav", "hello " * 99), "is not audio"),
    "raw": (lambda p: text(p / "in.raw", "hello " * 99), "is not audio"),
    "header only": (lambda p: shorten(write(p / "in.wav", TONE), 0.0001), "is not audio"),
    "no samples": (lambda p: write(p / "in.wav", TONE[:0]), "no samples"),
    "short": (lambda p: write(p / "in.wav", TONE[:4_799]), "at least 0.1 s"),
    "zeros": (lambda p: write(p / "in.wav", 0 * TONE), "silent"),
    "zeros in flac": (lambda p: write(p / "in.flac", 0 * TONE), "silent"),
    "opposed": (lambda p: write(p / "in.wav", opposed(TONE)), "cancel each other"),
    "opposed mp3": (lambda p: write(p / "in.mp3", opposed(TONE)), "cancel each other"),
    "NaN": (
        lambda p: write(p / "in.wav", with_sample(np.nan), subtype="FLOAT"),
        "NaN or infinite.* 0.250 s",
    ),
    "infinity": (
        lambda p: write(p / "in.wav", with_sample(-np.inf), subtype="DOUBLE"),
        "NaN or infinite",
    ),
    "6 kHz": (lambda p: write(p / "in.wav", TONE, 6_000), "6000 Hz.*8000 Hz"),
    "384 kHz": (lambda p: write(p / "in.wav", TONE, 384_000), "limit is 192000 Hz"),
    "9 channels": (
        lambda p: write(p / "in.wav", np.tile(TONE[:, None], 9)),
        "9 channels",
    ),
    "cut wav": (lambda p: shorten(write(p / "in.wav", TONE), 0.7), "cut off"),
    "cut aiff": (lambda p: shorten(write(p / "in.aiff", TONE), 0.7), "cut off"),
    "cut w64": (lambda p: shorten(write(p / "in.w64", TONE), 0.7), "cut off"),
    "cut caf": (lambda p: shorten(write(p / "in.caf", TONE), 0.7), "broken or cut off"),
    "cut flac": (lambda p: shorten(write(p / "in.flac", TONE), 0.7), "broken or cut off"),
    "cut mp3": (lambda p: shorten(write(p / "in.mp3", TONE), 0.7), "broken or cut off"),
    "cut ogg": (lambda p: shorten(write(p / "in.ogg", NOISE), 0.7), "is cut off"),
    "garbled flac": (lambda p: garble(write(p / "in.flac", TONE)), "broken or cut off"),
}


@pytest.mark.parametrize("build, says", BAD.values(), ids=BAD)
def test_a_bad_file_is_refused_with_one_sentence(tmp_path, build, says):
    path = build(tmp_path)
    with pytest.raises(InputError, match=says) as refusal:
        Recording.open(path)
    sentence = str(refusal.value)
    assert str(path) in sentence
    assert sentence.endswith(".") and ". " not in sentence and "\n" not in sentence
    assert ": " in sentence  # what is wrong: what to do


def test_an_mp3_that_goes_on_after_its_stated_length_is_read(tmp_path):
    """Variable rate without the index frame: libsndfile would stop early without a word."""
    rng = np.random.default_rng(0)
    content = write(tmp_path / "in.mp3", rng.normal(0, 0.1, (480_000, 2))).read_bytes()
    second_frame = content.index(b"\xff\xfb", 4)
    (tmp_path / "in.mp3").write_bytes(content[second_frame:])
    assert abs(Recording.open(tmp_path / "in.mp3").samples - 480_000) < 4 * 1152


@pytest.mark.parametrize("size", [b"\xff\xff\xff\xff", b"\x00\xf0\xff\x7f"])
def test_a_wav_that_was_streamed_to_a_pipe_is_accepted(tmp_path, size):
    path = write(tmp_path / "in.wav", TONE)
    content = bytearray(path.read_bytes())
    content[4:8] = content[40:44] = size
    path.write_bytes(content)
    recording = Recording.open(path)
    assert recording.samples == len(TONE)
    assert len(recording.read()) == len(TONE)


def test_a_long_silence_before_the_first_sound_is_accepted(tmp_path):
    samples = np.zeros(500_000)
    samples[-1] = 1e-4
    assert Recording.open(write(tmp_path / "in.wav", samples)).samples == 500_000


def test_channels_that_cancel_at_first_only_are_accepted(tmp_path):
    samples = np.concatenate([opposed(TONE), opposed(TONE), np.tile(TONE[:, None], 2)])
    assert Recording.open(write(tmp_path / "in.wav", samples)).samples == len(samples)


def test_a_recording_describes_its_format(tmp_path):
    path = write(tmp_path / "in.wav", np.tile(TONE[:, None], 2), 44_100, subtype="PCM_24")
    recording = Recording.open(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert recording.subtype == "PCM_24" and recording.container == "WAV"
    assert recording.seconds == 48_000 / 44_100
    assert recording.to_json() == {
        "path": str(path),
        "sha256": digest,
        "sample_rate": 44_100,
        "channels": 2,
        "samples": 48_000,
    }


@pytest.mark.parametrize(
    ("subtype", "dtype"),
    [("PCM_16", "int16"), ("PCM_24", "int32"), ("PCM_32", "int32"), ("FLOAT", "float32")],
)
def test_mono_is_the_mean_of_the_channels_at_full_scale_1(tmp_path, subtype, dtype):
    channels = np.stack([TONE, TONE / 2, 0 * TONE], axis=1)
    recording = Recording.open(write(tmp_path / "in.wav", channels, subtype=subtype))
    assert recording.read(5, 9).dtype == dtype and recording.read(5, 9).shape == (4, 3)
    assert recording.mono().dtype == np.float32
    np.testing.assert_allclose(recording.mono(100, 200), TONE[100:200] / 2, atol=2e-5)


@pytest.mark.parametrize(
    "rate", [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000, 44_101]
)
def test_a_window_at_another_rate_is_the_window_of_the_whole(tmp_path, rate):
    noise = np.random.default_rng(1).normal(0, 0.1, rate + 1234)
    recording = Recording.open(write(tmp_path / "in.wav", noise, rate, subtype="FLOAT"))
    whole = soxr.resample(noise.astype(np.float32), rate, 24_000)
    for first, last in [(0, 300), (300 * 17, 300 * 40), (7_777, 20_011)]:
        window = recording.resampled(first, last, 24_000)
        assert window.shape == (last - first,) and window.dtype == np.float32
        np.testing.assert_allclose(window, whole[first:last], atol=2e-5)


def test_a_window_past_the_end_is_silence(tmp_path):
    recording = Recording.open(write(tmp_path / "in.wav", TONE))
    window = recording.resampled(23_900, 24_200, 24_000)
    assert np.abs(window[:100]).max() > 0.1 and not window[101:].any()
    assert not recording.resampled(99_000, 99_010, 24_000).any()


def test_adjoining_windows_at_another_rate_adjoin(tmp_path):
    recording = Recording.open(write(tmp_path / "in.wav", TONE, 44_100))
    edges = [0, 1, 1_000, 17_043, 48_000]
    pieces = [recording.mono(*pair, 24_000) for pair in zip(edges, edges[1:], strict=False)]
    joined = np.concatenate(pieces)
    np.testing.assert_allclose(joined, recording.mono(sample_rate=24_000), atol=2e-5)


def test_windows_outside_the_recording_are_refused(make_recording):
    recording = make_recording(TONE)
    for start, stop in [(-1, 5), (9, 8), (0, len(TONE) + 1)]:
        with pytest.raises(ValueError, match="not within"):
            recording.read(start, stop)
