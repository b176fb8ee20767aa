"""Recordings that follow one another in a file: all of them are read, or the file is refused."""

import contextlib
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from a3t.audio.output.patches import Patch
from a3t.audio.output.writing import write_edited
from a3t.audio.reading.containers import stated_seconds
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from tests.audio.films import film

RATE = 24_000
PLAIN = [
    ("wav", "WAV", "PCM_16"), ("wav", "WAV", "PCM_24"), ("wav", "WAV", "FLOAT"),
    ("wav", "RF64", "PCM_16"), ("aiff", "AIFF", "PCM_16"), ("w64", "W64", "PCM_24"),
    ("caf", "CAF", "PCM_16"), ("au", "AU", "PCM_16"), ("flac", "FLAC", "PCM_16"),
    ("ogg", "OGG", "VORBIS"), ("opus", "OGG", "OPUS"), ("mp3", "MP3", "MPEG_LAYER_III"),
]  # fmt: skip
FILMED = [
    ("m4a", "aac"), ("mov", "pcm_s16le"), ("mka", "flac"), ("webm", "libopus"), ("aac", "aac"),
    ("ts", "aac"), ("ac3", "ac3"), ("tta", "tta"), ("wma", "pcm_s16le"), ("flv", "aac"),
    ("oga", "flac"),
]  # fmt: skip
FRAMES_ONLY = ("mp3", "aac", "ac3", "ts")  # what begins anew in them is one stream for a decoder


def spoken(
    path: Path, kind: tuple[str, str, str], seconds: float, rate: int, channels: int
) -> Path:
    samples = np.random.default_rng(round(10 * seconds)).normal(0, 0.1, round(seconds * rate))
    sf.write(path, np.stack([samples] * channels, 1), rate, kind[2], format=kind[1])
    return path


def joined(path: Path, *parts: Path) -> Path:
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    return path


def assert_whole(path: Path, *parts: Path) -> None:
    """The file's samples are those of its parts, one after the other."""
    whole, each = Recording.open(path), [Recording.open(part).read() for part in parts]
    if path.suffix[1:] in FRAMES_ONLY:
        assert whole.samples == pytest.approx(sum(map(len, each)), abs=3_000 * len(each))
        return
    expected = np.concatenate(each)
    assert whole.samples == len(expected)
    if path.suffix in (".ogg", ".opus"):  # two decoders, whose floats differ in their last bits
        np.testing.assert_allclose(whole.read(), expected, atol=1e-3)
    else:
        np.testing.assert_array_equal(whole.read(), expected)
    start, stop = len(each[0]) - 500, len(each[0]) + 500
    np.testing.assert_array_equal(whole.read(start, stop), whole.read()[start:stop])


def assert_refused(path: Path, first: Path, seconds: float) -> None:
    """The refusal says when the sound changes, and by which command it is mended."""
    with pytest.raises(InputError, match=f"{path} changes from .* to ") as refusal:
        Recording.open(path)
    sentence = str(refusal.value)
    (said,) = re.findall(r" ([0-9.]+) s from its start: ", sentence)
    assert float(said) == pytest.approx(seconds, abs=0.15)
    commands = [shlex.split(each) for each in re.findall("`(.*?)`", sentence)]
    if len(commands) == 1:
        assert commands[0][:3] == ["ffmpeg", "-i", str(path)]
    else:
        (_, _, size, name, *_), (_, _, place, *_) = commands
        assert path.read_bytes()[: int(size)] == first.read_bytes() and name == str(path)
        assert int(place) == int(size) + 1  # `tail` counts from 1


@pytest.mark.parametrize("kind", PLAIN, ids=lambda kind: f"{kind[1]} {kind[2]}")
def test_sound_files_one_after_another(kind: tuple[str, str, str], tmp_path: Path) -> None:
    rate = 48_000 if kind[2] == "OPUS" else RATE  # FFmpeg decodes Opus to this rate alone
    a, b, stereo, fast = (
        spoken(tmp_path / f"{name}.{kind[0]}", kind, *how)
        for name, how in {
            "a": (1.5, rate, 1),
            "b": (0.7, rate, 1),
            "stereo": (0.7, rate, 2),
            "fast": (0.7, 48_000, 1),
        }.items()
    )
    assert_whole(joined(tmp_path / f"two.{kind[0]}", a, b), a, b)
    three = joined(tmp_path / f"three.{kind[0]}", a, b, a)
    assert_whole(three, a, b, a)
    stated = stated_seconds(three)
    assert stated is not None and stated > 3.6
    assert_refused(joined(tmp_path / f"c.{kind[0]}", a, stereo), a, 1.5)
    if kind[2] != "OPUS":
        assert_refused(joined(tmp_path / f"r.{kind[0]}", a, fast), a, 1.5)
    out = tmp_path / "out.wav"
    write_edited(Recording.open(three), [Patch((100, 200), np.zeros((50, 1)))], out)
    assert Recording.open(out).samples == Recording.open(three).samples - 50


@pytest.mark.parametrize(("ending", "codec"), FILMED)
def test_containers_one_after_another(
    ending: str, codec: str, arctic: Path, tmp_path: Path
) -> None:
    short = tmp_path / "short.wav"
    samples, rate = sf.read(arctic)
    sf.write(short, samples[: rate // 2], rate)
    form = {"ts": "mpegts", "aac": "adts", "oga": "ogg", "wma": "asf"}.get(ending)
    a, b, fast = (
        film(tmp_path / f"{name}.{ending}", short, codec, None, rate=to, container=form)
        for name, to in (
            ("a", 48_000),
            ("b", 48_000),
            ("fast", 48_000 if codec == "libopus" else 44_100),
        )
    )
    assert_whole(joined(tmp_path / f"two.{ending}", a, b), a, b)
    if codec != "libopus":
        assert_refused(joined(tmp_path / f"r.{ending}", a, fast), a, 0.5)


def test_films_one_after_another_are_refused(arctic: Path, tmp_path: Path) -> None:
    """Their pictures would be lost."""
    a = film(tmp_path / "a.mp4", arctic)
    with pytest.raises(InputError, match="2 films that follow one another: cut it in two"):
        Recording.open(joined(tmp_path / "two.mp4", a, a))


def test_streams_beside_each_other_do_not_follow_one_another(arctic: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "x.ogg", arctic, "flac", None, tracks=2)
    assert Recording.open(path).samples == pytest.approx(4 * 48_000, abs=50)


@pytest.mark.parametrize("filling", [b"\0", b"xyz", b"\xff"])
def test_a_gap_in_an_mp3_is_named_with_its_second(filling: bytes, tmp_path: Path) -> None:
    """A decoder takes up the next frame, and the sound between is gone without a word."""
    path = tmp_path / "talk.mp3"
    noise = 0.1 * np.random.default_rng(0).standard_normal(6 * 16_000)
    sf.write(path, noise, 16_000, bitrate_mode="CONSTANT")
    data = path.read_bytes()
    assert Recording.open(path).samples == pytest.approx(len(noise), abs=2 * 1152)
    half = len(data) // 2
    path.write_bytes(data[:half] + (filling * 3000)[:3000] + data[half + 3000 :])
    with pytest.raises(InputError, match=r"damaged [23]\.\d s from its start"):
        Recording.open(path)


def test_the_decoder_of_mp3_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = spoken(tmp_path / "a.mp3", ("mp3", "MP3", "MPEG_LAYER_III"), 4.0, RATE, 1)
    data = bytearray(path.read_bytes())
    cut = data[: len(data) // 2]
    for place in range(len(data) // 3, len(data), 700):
        data[place] ^= 255
    for content in (data, cut, data + data):
        path.write_bytes(content)
        with contextlib.suppress(InputError):
            Recording.open(path).read()
    print("seen")
    assert capfd.readouterr() == ("seen\n", "")
