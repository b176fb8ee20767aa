"""A patch is coded like its recording, and nothing else is touched."""

from pathlib import Path

import av
import numpy as np
import pytest
import soundfile
import soxr

from a3t.audio.output.patches import Patch
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.splicing import coded_like, lossy_coding

KINDS = [("mp3", "MPEG_LAYER_III"), ("opus", "OPUS")]


def lossy(tmp_path: Path, speech: Path, suffix: str, subtype: str) -> Recording:
    """A recording of real speech in a lossy format, of few bits."""
    samples, rate = soundfile.read(speech)
    path = tmp_path / f"speech.{suffix}"
    container = "MP3" if suffix == "mp3" else "OGG"
    kept = {"bitrate_mode": "CONSTANT"} if suffix == "mp3" else {}
    soundfile.write(path, samples, rate, subtype, format=container, compression_level=0.9, **kept)
    return Recording.open(path)


def band(samples: np.ndarray, rate: int, low: float) -> float:
    """The power above ``low`` Hz."""
    spectrum = np.square(np.abs(np.fft.rfft(samples[:, 0] * np.hanning(len(samples)))))
    return float(spectrum[np.fft.rfftfreq(len(samples), 1 / rate) > low].sum())


@pytest.mark.parametrize(("suffix", "subtype"), KINDS)
def test_a_patch_is_coded_in_step_with_itself(
    tmp_path: Path, arctic: Path, suffix: str, subtype: str
) -> None:
    recording = lossy(tmp_path, arctic, suffix, subtype)
    rate = recording.sample_rate
    span = (rate, 2 * rate)
    patch = Patch(span, recording.mono(*span).astype(float)[:, None])
    coded = coded_like(recording, patch)
    assert coded.source == patch.source
    assert coded.samples.shape == patch.samples.shape
    assert not np.array_equal(coded.samples, patch.samples)
    error = np.square(coded.samples - patch.samples).mean() / np.square(patch.samples).mean()
    assert error < 0.1  # a sample out of step would be far worse
    edges = np.abs(coded.samples - patch.samples)[[0, -1]]
    assert edges.max() < 1e-3
    assert np.array_equal(coded_like(recording, patch).samples, coded.samples)


def test_what_the_codec_leaves_out_is_left_out(tmp_path: Path, arctic: Path) -> None:
    recording = lossy(tmp_path, arctic, "mp3", "MPEG_LAYER_III")
    rate = recording.sample_rate
    span = (rate, 2 * rate)
    speech = recording.mono(*span).astype(float)[:, None]
    hiss = np.random.default_rng(0).standard_normal(speech.shape) * 3e-4
    coded = coded_like(recording, Patch(span, speech + hiss))
    top = 0.97 * rate / 2
    assert band(coded.samples, rate, top) < 0.3 * band(speech + hiss, rate, top)


def test_from_where_the_vocoder_has_learnt_a_texture_a_patch_gets_more_bits(
    tmp_path: Path, arctic: Path
) -> None:
    samples = soxr.resample(*soundfile.read(arctic), 32_000)
    for kilobits, wanted in ((32, 32_000), (48, 57_600)):
        path = tmp_path / f"{kilobits}.mp3"
        with av.open(str(path), "w") as target:
            stream = target.add_stream("libmp3lame", rate=32_000, layout="mono")
            stream.bit_rate = 1000 * kilobits
            frame = av.AudioFrame.from_ndarray(samples[None].astype(np.float32), "flt", "mono")
            frame.sample_rate = 32_000
            target.mux(stream.encode(frame))
            target.mux(stream.encode(None))
        found = lossy_coding(Recording.open(path))
        assert found == ("libmp3lame", pytest.approx(wanted, rel=0.05))


def test_the_top_of_an_opus_recording_is_kept(tmp_path: Path, arctic: Path) -> None:
    """FFmpeg's decoder and its resampler would take 10 dB of it."""
    samples, rate = soundfile.read(arctic)
    hiss = np.random.default_rng(0).standard_normal(3 * 16_000) * 0.01
    speech = soxr.resample(samples, rate, 16_000)[: len(hiss)]
    soundfile.write(tmp_path / "a.opus", speech + hiss, 16_000, "OPUS", format="OGG")
    recording = Recording.open(tmp_path / "a.opus")
    span = (16_000, 32_000)
    patch = Patch(span, recording.mono(*span).astype(float)[:, None])
    coded = coded_like(recording, patch)
    assert not np.array_equal(coded.samples, patch.samples)
    for hertz in (5_000, 7_500):
        change = band(coded.samples, 16_000, hertz) / band(patch.samples, 16_000, hertz)
        assert abs(10 * np.log10(change)) < 1.5


def test_a_lossless_recording_leaves_its_patch(arctic: Path) -> None:
    recording = Recording.open(arctic)
    patch = Patch((100, 200), np.full((50, 1), 0.1))
    assert lossy_coding(recording) is None
    assert coded_like(recording, patch) is patch


def test_an_empty_or_alien_patch_is_left(tmp_path: Path, arctic: Path) -> None:
    recording = lossy(tmp_path, arctic, "mp3", "MPEG_LAYER_III")
    empty = Patch((100, 200), np.empty((0, 1)))
    assert coded_like(recording, empty) is empty
    silent = Patch((0, recording.samples), np.zeros((50, 1)))
    assert coded_like(recording, silent) is silent
