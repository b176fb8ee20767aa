"""The audio view draws the true sound."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import soundfile
from PIL import Image

from a3t.projects.store.pcm_sound import LEVELS, PEAKS, PcmSound, peaks_range
from alignment.network.phone_network import mel
from app.studio.spectrograms import PICTURE_ROWS, TILE, spectrogram_tile
from app.studio.work.listening import ingest

RATE = 22_050


@pytest.fixture
def opened(tmp_path: Path) -> PcmSound:
    rng = np.random.default_rng(0)
    samples = 0.3 * rng.normal(size=(RATE * 21 + 77, 2)).clip(-3, 3)
    soundfile.write(tmp_path / "a.wav", samples, RATE, "PCM_16")
    sound, parts = ingest(cast(Any, SimpleNamespace(progress=None)), tmp_path / "a.wav", tmp_path)
    assert sound.samples == len(samples) == parts[-1][1] and parts[0][0] == 0
    assert all(a[1] == b[0] for a, b in zip(parts, parts[1:], strict=False))
    return PcmSound(tmp_path / "sound.pcm", RATE, 2, len(samples))


def test_sound_is_the_recording_s_own(opened: PcmSound, tmp_path: Path) -> None:
    samples, _ = soundfile.read(tmp_path / "a.wav", dtype="int16")
    heard = np.fromfile(opened.path, "<i2").reshape(-1, 2)
    assert np.array_equal(heard, samples)
    assert np.allclose(opened.mono(100, 300), samples[100:300].mean(axis=1) / 32768, atol=1e-6)


@pytest.mark.parametrize("level", range(LEVELS))
def test_peaks_of_each_level(opened: PcmSound, tmp_path: Path, level: int) -> None:
    mono = opened.mono()
    first, count = 3, 5
    data = peaks_range(tmp_path / "peaks.bin", opened, level, first, count)
    pairs = np.frombuffer(data, np.int8).reshape(-1, 2) / 127
    for k, (low, high) in enumerate(pairs):
        finest = [(first + k) * 4**level, (first + k + 1) * 4**level]
        start, stop = (n * RATE // PEAKS for n in finest)
        part = mono[start : min(stop, len(mono))]
        assert low == pytest.approx(max(part.min(), -1), abs=0.006)
        assert high == pytest.approx(min(part.max(), 1), abs=0.006)


def test_a_tone_is_where_its_frequency_is(tmp_path: Path) -> None:
    hertz = 2000.0
    tone = 0.5 * np.sin(2 * np.pi * hertz * np.arange(RATE * 3) / RATE)
    (tmp_path / "sound.pcm").write_bytes((tone * 32767).astype("<i2").tobytes())
    sound = PcmSound(tmp_path / "sound.pcm", RATE, 1, len(tone))
    for level in (0, 1, 5):
        picture = Image.open(io.BytesIO(spectrogram_tile(sound, level, 0)))
        columns = np.asarray(picture)
        assert columns.shape == (PICTURE_ROWS, min(TILE, int(3 * PEAKS / 4**level + 0.5)))
        row = PICTURE_ROWS - 1 - np.bincount(columns.argmax(axis=0)).argmax()
        assert row == pytest.approx(PICTURE_ROWS * mel(hertz) / mel(8000), abs=1.5)
