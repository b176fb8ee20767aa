"""An edited copy keeps the file's metadata."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from a3t.audio.output import chunks
from a3t.audio.output.patches import Patch
from a3t.audio.output.writing import write_edited
from a3t.audio.reading.recording import Recording

RATE = 16_000
PATCHES = [Patch((2_000, 3_000), np.zeros((1_500, 1))), Patch((8_000, 9_000), np.zeros((0, 1)))]
MARKERS = (1_000, 2_500, 5_000, 10_000)
MOVED = (1_000, 2_000, 5_500, 9_500)


@pytest.fixture
def wave(tmp_path: Path) -> Path:
    """Floats, so with a PEAK chunk; texts, Broadcast Wave's chunk and markers."""
    path = tmp_path / "in.wav"
    sf.write(path, np.random.default_rng(0).normal(0, 0.1, 16_001), RATE, "FLOAT")
    cue = struct.pack("<I", len(MARKERS)) + b"".join(
        chunks.MARKER.pack(k, place, b"data", 0, 0, place) for k, place in enumerate(MARKERS)
    )
    label = b"adtllabl" + struct.pack("<II", 6, 0) + b"A\0"
    texts = {b"INAM": "Café".encode(), b"IKEY": b"talk", b"ICMT": b"mine"}
    added = [(b"bext", bytes(range(256)) * 2), (b"cue ", cue), (b"LIST", label)]
    chunks.append(path, [*added, *chunks.texts_chunk(texts)])
    return path


def test_a_wav_keeps_its_chunks(wave: Path, tmp_path: Path) -> None:
    before = {chunk.name: chunk.data for chunk in chunks.chunks_of(wave)}
    for name in ("out.wav", "out.rf64"):
        out = tmp_path / name
        write_edited(Recording.open(wave), PATCHES, out)
        after = {chunk.name: chunk.data for chunk in chunks.chunks_of(out)}
        assert after[b"bext"] == before[b"bext"]
        cue = after[b"cue "] or b""
        places = [chunks.MARKER.unpack_from(cue, 4 + k * chunks.MARKER.size) for k in range(4)]
        assert [place[-1] for place in places] == list(MOVED)
        assert chunks.texts_of(out) == chunks.texts_of(wave)
        assert out.stat().st_size % 2 == 0
        assert sf.info(out).frames == 16_001 - 500  # libsndfile reads past what was added


@pytest.mark.parametrize("name", ["out.wav", "out.flac", "out.ogg", "out.aiff", "out.caf"])
def test_texts_are_carried_over(name: str, wave: Path, tmp_path: Path) -> None:
    samples = tmp_path / "pcm.wav"
    sf.write(samples, sf.read(wave)[0], RATE, "PCM_16")
    texts = chunks.texts_of(wave)
    chunks.append(samples, chunks.texts_chunk(texts))
    out = tmp_path / name
    write_edited(Recording.open(samples), PATCHES, out, comment="mine, and more")
    with sf.SoundFile(out) as file:
        assert (file.title, file.comment) == ("Café", "mine, and more")
    back = tmp_path / "back.wav"
    write_edited(Recording.open(out), [Patch((0, 1), np.zeros((0, 1)))], back)
    assert chunks.texts_of(back)[b"INAM"] == texts[b"INAM"]


def test_a_long_comment_is_read_back(wave: Path, tmp_path: Path) -> None:
    long = "x" * 100_000
    write_edited(Recording.open(wave), PATCHES, tmp_path / "o.wav", comment=long)
    assert chunks.texts_of(tmp_path / "o.wav")[b"ICMT"] == long.encode()


def test_without_patches_every_byte_is_the_same(wave: Path, tmp_path: Path) -> None:
    write_edited(Recording.open(wave), [], tmp_path / "o.wav")
    assert (tmp_path / "o.wav").read_bytes() == wave.read_bytes()


def test_the_time_of_writing_is_not_in_the_file(wave: Path, tmp_path: Path) -> None:
    write_edited(Recording.open(wave), PATCHES, tmp_path / "o.wav")
    peak = next(c.data for c in chunks.chunks_of(tmp_path / "o.wav") if c.name == b"PEAK")
    assert peak is not None and peak[4:8] == bytes(4)


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_broken_chunks_are_left_alone(cut: int, wave: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.wav"
    path.write_bytes(wave.read_bytes()[: wave.stat().st_size - cut])
    chunks.texts_of(path)  # no error
    path.write_bytes(wave.read_bytes()[:cut])
    assert chunks.texts_of(path) == {}
