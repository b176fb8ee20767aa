"""Reading the sound of films, and of sound files that libsndfile doesn't know."""

import struct
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile as sf

from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from tests.audio.films import assert_read_and_kept, film, straight

KINDS = [
    ("x.m4a", "aac", None, "AAC"),
    ("x.m4a", "alac", None, "PCM_16"),
    ("x.mp4", "aac", "mpeg4", "AAC"),
    ("x.mov", "pcm_s24le", "mpeg4", "PCM_16"),
    ("x.mov", "pcm_f32le", "mpeg4", "FLOAT"),
    ("x.webm", "libopus", "libvpx-vp9", "OPUS"),
    ("x.mkv", "flac", "mpeg4", "PCM_16"),
    ("x.mkv", "ac3", "mpeg4", "AC3"),
    ("x.avi", "pcm_s16le", "mpeg4", "PCM_16"),
    ("x.ts", "aac", "mpeg4", "AAC"),
]


@pytest.mark.parametrize(("name", "codec", "picture", "subtype"), KINDS)
def test_every_kind_is_read_as_it_plays_from_its_start(
    name: str, codec: str, picture: str | None, subtype: str, arctic: Path, tmp_path: Path
) -> None:
    """From whatever sample; and outside an edit, the edited file has the same decoded samples."""
    path = film(tmp_path / name, arctic, codec, picture)
    recording = Recording.open(path)
    whole = straight(path)[: recording.samples]
    spoken = sf.info(arctic).duration
    assert abs(recording.seconds - spoken) < 0.05
    assert (recording.sample_rate, recording.channels) == (48_000, 1)
    if subtype.startswith("PCM"):  # speech of 16 bits, resampled: 24 bits may be used
        assert recording.subtype in ("PCM_16", "PCM_24")
    else:
        assert recording.subtype == subtype
    assert_read_and_kept(recording, whole, tmp_path / "out.wav")


@pytest.mark.parametrize(
    ("codes", "names"),
    [
        (("eng", "deu", "fra"), ("English", "German", "French")),
        (("jpn", "ger", "pt-BR"), ("Japanese", "German", "Portuguese")),
        (("cym", "mis", "zh"), ("Welsh", "mis", "Chinese")),
    ],
)
def test_a_list_of_tracks_names_their_languages(
    codes: tuple[str, ...], names: tuple[str, ...], arctic: Path, tmp_path: Path
) -> None:
    samples, rate = sf.read(arctic, dtype="float32")
    with av.open(str(tmp_path / "x.mkv"), "w") as file:
        streams = [file.add_stream("pcm_s16le", rate=rate, layout="mono") for _ in codes]
        for stream, code in zip(streams, codes, strict=True):
            stream.metadata["language"] = code
        for stream in streams:
            frame = av.AudioFrame.from_ndarray((samples * 32767).astype("int16")[None], "s16")
            frame.sample_rate, frame.pts = rate, 0
            file.mux(stream.encode(frame))
    listed = ", ".join(f"{k} ({name}, pcm_s16le, 1 ch)" for k, name in enumerate(names, 1))
    about = Recording.open(tmp_path / "x.mkv").about_track
    assert about is not None and listed in about and "--track N" in about
    with pytest.raises(InputError, match="has no track 4") as refused:
        Recording.open(tmp_path / "x.mkv", 4)
    assert listed in str(refused.value)


def test_a_track_is_chosen_and_named(arctic: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "x.mkv", arctic, "pcm_s16le", None, tracks=10)
    first, third = Recording.open(path), Recording.open(path, 3)
    assert (first.track, third.track) == (1, 3)
    assert first.about_track is not None and "10 tracks of sound" in first.about_track
    assert "Track 1 is used (--track N)" in first.about_track
    assert "3 (Microphone 3, pcm_s16le, 1 ch)" in first.about_track
    np.testing.assert_array_equal(third.read(), straight(path, 2))
    assert first.identity != third.identity
    assert third.to_json()["track"] == 3
    with pytest.raises(InputError, match="has no track 11: it has 10 tracks of sound"):
        Recording.open(path, 11)
    with pytest.raises(InputError, match="has no track 2: it has only one"):
        Recording.open(arctic, 2)


def test_sound_that_is_missing_is_silence(arctic: Path, tmp_path: Path) -> None:
    """So that what follows stays with its picture."""
    gap = (1.0, 1.8)
    path = film(tmp_path / "x.mkv", arctic, "pcm_f32le", missing=gap, rate=16_000)
    recording = Recording.open(path)
    expected, _ = sf.read(arctic, dtype="float32")
    expected[16_000 : round(1.8 * 16_000)] = 0
    # Matroska counts milliseconds.
    found = recording.read()[:, 0]
    assert abs(len(found) - len(expected)) <= 16
    np.testing.assert_array_equal(found[:16_000], expected[:16_000])
    assert not found[16_100:28_700].any()
    later = slice(30_000, 60_000)
    lags = [np.abs(found[30_000 + k : 60_000 + k] - expected[later]).max() for k in range(-16, 17)]
    assert min(lags) == 0


def test_bad_files_get_one_sentence(arctic: Path, tmp_path: Path) -> None:
    whole = film(tmp_path / "whole.mp4", arctic).read_bytes()
    plain = film(tmp_path / "plain.mkv", arctic, "pcm_s16le").read_bytes()
    cases = {
        "silent.mp4": ("has no sound", film(tmp_path / "silent.mp4", arctic, silent=True)),
        "cut.mp4": ("is cut off or broken", whole[: len(whole) // 2]),
        "cut.mkv": ("is cut off", plain[: len(plain) // 2]),
        "locked.m4a": ("DRM", whole.replace(b"mp4a", b"drms")),
        "noise.mp4": ("is not audio", np.random.default_rng(0).bytes(50_000)),
        "list.m4a": ("is not audio", b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"),
        "list.mp4": ("is not audio", b"ffconcat version 1.0\nfile whole.mp4\n"),
    }
    for name, (sentence, content) in cases.items():
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        with pytest.raises(InputError, match=sentence) as error:
            Recording.open(path)
        assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_an_index_before_the_sound_does_not_hide_a_cut(arctic: Path, tmp_path: Path) -> None:
    import av

    path = tmp_path / "fast.mp4"
    with av.open(str(film(tmp_path / "x.mp4", arctic))) as old:
        options = {"movflags": "faststart"}
        with av.open(str(path), "w", options=options) as new:
            copies = {s: new.add_stream_from_template(s) for s in old.streams}
            for packet in old.demux():
                if packet.dts is not None:
                    packet.stream = copies[packet.stream]
                    new.mux(packet)
    assert Recording.open(path).samples
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"is (cut off|broken)"):
        Recording.open(path)


def encoded(path: Path, speech: Path, codec: str) -> bytes:
    film(path, speech, codec, None, rate=44_100)
    return path.read_bytes()


def adts_in_wav(frames: bytes, tag: int) -> bytes:
    """AAC as some recorders write it."""
    head = struct.pack("<HHIIHHH", tag, 1, 44_100, 8_000, 1, 0, 0)
    body = b"WAVE" + b"".join(
        name + struct.pack("<I", len(chunk)) + chunk
        for name, chunk in ((b"fmt ", head), (b"data", frames))
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def sizeless_aiffs(folder: Path, samples: np.ndarray, rate: int) -> Iterator[tuple[str, bytes]]:
    """An AIFF whose chunk of samples, whose count of them, or both are 0."""
    sf.write(folder / "x.aiff", samples, rate)
    whole = (folder / "x.aiff").read_bytes()
    size, count = whole.index(b"SSND") + 4, whole.index(b"COMM") + 10
    for name, places in (("size", [size]), ("count", [count]), ("both", [size, count])):
        data = bytearray(whole)
        for place in places:
            data[place : place + 4] = bytes(4)
        yield name, bytes(data)


def test_a_header_that_disagrees_with_the_sound(
    arctic: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """All the sound there is is read: joined files, and lengths that are too short or unknown."""
    mp3 = encoded(tmp_path / "a.mp3", arctic, "libmp3lame")
    place = max(mp3.find(b"Xing"), mp3.find(b"Info")) + 8
    bare = mp3[: place - 8] + bytes(4) + mp3[place - 4 :]
    wav = encoded(tmp_path / "a.wav", arctic, "pcm_s16le")
    size = wav.find(b"data") + 4
    samples, rate = sf.read(arctic, dtype="int16")
    sf.write(tmp_path / "a.flac", samples, rate)
    flac = bytearray((tmp_path / "a.flac").read_bytes())
    flac[21:26] = bytes([flac[21] & 0xF0]) + bytes(4)  # as written to a pipe
    cases = {
        "tagged.mp3": (mp3 + b"TAG" + bytes(125) + mp3, 2),
        "few.mp3": (mp3[:place] + (40).to_bytes(4, "big") + mp3[place + 4 :], 1),
        "many.mp3": (mp3[:place] + (5000).to_bytes(4, "big") + mp3[place + 4 :], 1),
        "bare.mp3": (bare, 1),
        "zero.wav": (wav[:size] + bytes(4) + wav[size + 4 :], 1),
        "early.wav": (wav[:size] + (40_000).to_bytes(4, "little") + wav[size + 4 :], 1),
        "pipe.flac": (bytes(flac), 1),
        "inside.wav": (encoded(tmp_path / "mp3.wav", arctic, "libmp3lame"), 1),
        "aac.wav": (adts_in_wav(encoded(tmp_path / "x.aac", arctic, "aac"), 0xFF), 1),
        "adts.wav": (adts_in_wav(encoded(tmp_path / "x.aac", arctic, "aac"), 0x1600), 1),
        **{f"{name}.aiff": (aiff, 1) for name, aiff in sizeless_aiffs(tmp_path, samples, rate)},
        "ac3.wav": (encoded(tmp_path / "ac3.wav", arctic, "ac3"), 1),
    }
    seconds = len(samples) / rate
    for name, (content, times) in cases.items():
        with subtests.test(name):
            (tmp_path / name).write_bytes(content)
            recording = Recording.open(tmp_path / name)
            assert abs(recording.seconds - times * seconds) < 0.06 * times
            loud = np.abs(to_float(recording.read()[:, 0])) > 0.02
            half = len(loud) // times
            assert all(loud[k * half :][:half].mean() > 0.1 for k in range(times))
    whole = Recording.open(tmp_path / "a.wav").read()
    for name in ("zero.wav", "early.wav"):
        np.testing.assert_array_equal(Recording.open(tmp_path / name).read(), whole)
    np.testing.assert_array_equal(Recording.open(tmp_path / "pipe.flac").read()[:, 0], samples)


def test_sound_that_begins_late_begins_late(arctic: Path, tmp_path: Path) -> None:
    for name, codec in (("x.mkv", "pcm_s16le"), ("x.mp4", "aac"), ("x.ts", "aac")):
        late = Recording.open(film(tmp_path / f"late{name}", arctic, codec, later=1.96))
        own = Recording.open(film(tmp_path / name, arctic, codec))
        gap = late.samples - own.samples
        assert abs(gap - 1.96 * 48_000) < 0.07 * 48_000  # an AAC encoder's own padding
        assert np.abs(to_float(late.read()[: round(1.9 * 48_000)])).max() < 1e-3
        if codec.startswith("pcm"):
            np.testing.assert_array_equal(late.read()[gap:], own.read())


def library_errors() -> list[type[Exception]]:
    import av

    classes = [each for each in vars(av.error).values() if isinstance(each, type)]
    ours = [each for each in classes if issubclass(each, av.error.FFmpegError)]
    return [*ours, ValueError, TypeError, OverflowError, UnicodeDecodeError, RuntimeError, KeyError]


def raised(kind: type[Exception]) -> Exception:
    import av

    if kind is UnicodeDecodeError:
        return UnicodeDecodeError("utf-8", b"x", 0, 1, "invalid")
    return kind(1, "broken") if issubclass(kind, av.error.FFmpegError) else kind("broken")


@pytest.mark.parametrize("kind", library_errors(), ids=lambda kind: kind.__name__)
def test_whatever_the_container_library_raises_is_one_sentence(
    kind: type[Exception], arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it opens a file, and while it decodes one."""
    from a3t.audio.reading import containers

    def fails(*_: object) -> None:
        raise raised(kind)

    path = film(tmp_path / "a.mkv", arctic, "pcm_s16le", None)
    expected = MemoryError if issubclass(kind, MemoryError) else InputError
    for name in ("opened_container", "TrackWriter.add", "_tracks"):
        with monkeypatch.context() as patch:
            patch.setattr(f"{containers.__name__}.{name}", fails)
            with pytest.raises(expected) as refusal:
                Recording.open(path)
            if expected is InputError:
                assert str(path) in str(refusal.value) and "\n" not in str(refusal.value)


def test_samples_of_64_bits_are_refused_with_a_command(arctic: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "a.wav", arctic, "pcm_s64le", None)
    with pytest.raises(InputError, match=r"make a copy with `ffmpeg -i .*a\.wav -c:a pcm_s32le"):
        Recording.open(path)
