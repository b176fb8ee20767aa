"""Outside the recorded spans, output equals input, sample for sample, in every format."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf
from hypothesis import given
from hypothesis import strategies as st

from a3t.audio.output.patches import Patch, sample_map
from a3t.audio.output.writing import write_edited
from a3t.audio.reading.formats import sample_format
from a3t.audio.reading.recording import BLOCK_SAMPLES, Recording
from a3t.errors import InputError

# What comes in, and what it may become without losing a bit.
KINDS = [
    ("in.wav", "PCM_U8", ("out.wav", "out.w64", "out.flac")),
    ("in.wav", "PCM_16", ("out.wav", "out.flac", "out.w64", "out.aiff", "out.caf")),
    ("in.wav", "PCM_24", ("out.wav", "out.flac", "out.w64", "out.aiff", "out.rf64")),
    ("in.wav", "PCM_32", ("out.wav", "out.w64", "out.aiff")),
    ("in.wav", "FLOAT", ("out.wav", "out.w64", "out.aiff")),
    ("in.wav", "DOUBLE", ("out.wav", "out.w64")),
    ("in.flac", "PCM_16", ("out.wav", "out.flac")),
    ("in.flac", "PCM_24", ("out.wav", "out.flac")),
    ("in.flac", "PCM_S8", ("out.wav", "out.flac")),
    ("in.aiff", "PCM_16", ("out.wav", "out.aiff")),
    ("in.aiff", "PCM_S8", ("out.wav", "out.flac")),
    ("in.w64", "PCM_24", ("out.wav", "out.w64")),
    ("in.caf", "ALAC_24", ("out.wav", "out.flac")),
    ("in.wav", "ULAW", ("out.wav",)),
    ("in.ogg", "VORBIS", ("out.wav",)),
]
RATES = [8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000, 192_000]


def sound(subtype: str, length: int, channels: int, seed: int) -> np.ndarray:
    """Samples that show any conversion: full scale in integers; in floats also beyond it, minus
    zero, and values far below the others."""
    rng = np.random.default_rng(seed)
    dtype = sample_format(subtype).dtype
    if dtype.startswith("int"):
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, (length, channels), dtype, endpoint=True)
    if subtype == "VORBIS":
        return rng.uniform(-0.5, 0.5, (length, channels)).astype(dtype)
    samples = rng.standard_normal((length, channels)) * 10.0 ** rng.integers(-30, 1, (length, 1))
    samples[::7] = -0.0
    return samples.astype(dtype)


def in_own_dtype(path: Path, subtype: str) -> np.ndarray:
    return sf.read(path, dtype=sample_format(subtype).dtype, always_2d=True)[0]


def bits(samples: np.ndarray) -> bytes:
    return np.ascontiguousarray(samples).tobytes()


@given(
    kind=st.sampled_from(KINDS),
    rate=st.sampled_from(RATES),
    channels=st.integers(1, 8),
    extra=st.integers(0, 3000),
    cuts=st.lists(st.integers(0, 1500), min_size=6, max_size=6, unique=True).map(sorted),
    insertions=st.lists(st.booleans(), max_size=3),
    lengths=st.lists(st.integers(0, 3000), min_size=3, max_size=3),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_every_sample_outside_the_spans_is_the_recordings(
    kind, rate, channels, extra, cuts, insertions, lengths, seed, data
):
    name, subtype, outs = kind
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        out = Path(folder, data.draw(st.sampled_from(outs)))
        samples = -(-rate // 10) + extra
        sf.write(path, sound(subtype, samples, channels, seed), rate, subtype=subtype)
        recording = Recording.open(path)
        before = in_own_dtype(path, subtype)
        rng = np.random.default_rng(seed)
        edges = [cut * recording.samples // 1600 for cut in cuts]
        spans = [
            (first, first if insertion else last)
            for first, last, insertion in zip(edges[::2], edges[1::2], insertions, strict=False)
        ]
        patches = [
            Patch(span, rng.uniform(-1.5, 1.5, (length, channels)))
            for span, length in zip(spans, lengths, strict=False)
        ]

        write_edited(recording, rng.permutation(np.array(patches, object)), out)

        after = in_own_dtype(out, subtype)
        result = sf.info(out)
        assert (result.samplerate, result.channels) == (rate, channels)
        assert sample_format(result.subtype) == recording.format
        changes = sample_map(recording, patches).changes
        assert sample_map(recording, patches).output_length == len(after) == result.frames
        assert len(before) == recording.samples
        here = there = 0
        for pair, patch in zip(changes, sorted(patches, key=lambda p: p.source), strict=True):
            assert pair.source == patch.source
            assert pair.output[1] - pair.output[0] == len(patch.samples)
            assert bits(before[here : pair.source[0]]) == bits(after[there : pair.output[0]])
            here, there = pair.source[1], pair.output[1]
        assert bits(before[here:]) == bits(after[there:])


def data_chunk(path: Path) -> bytes:
    """The samples of a RIFF WAVE, found without an audio library."""
    content, position = path.read_bytes(), 12
    while content[position : position + 4] != b"data":
        position += 8 + int.from_bytes(content[position + 4 : position + 8], "little")
    size = int.from_bytes(content[position + 4 : position + 8], "little")
    return content[position + 8 : position + 8 + size]


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"])
def test_without_patches_the_bytes_of_the_audio_are_the_same(tmp_path, subtype):
    path, out = tmp_path / "in.wav", tmp_path / "out.wav"
    sf.write(path, sound(subtype, 2 * BLOCK_SAMPLES + 77, 2, seed=3), 44_100, subtype=subtype)
    write_edited(Recording.open(path), [], out)
    assert data_chunk(path) == data_chunk(out)


def test_patches_across_the_edges_of_blocks(tmp_path):
    path, out = tmp_path / "in.wav", tmp_path / "out.flac"
    sf.write(path, sound("PCM_24", 3 * BLOCK_SAMPLES, 1, seed=4), 48_000, subtype="PCM_24")
    spans = [
        (BLOCK_SAMPLES - 1, BLOCK_SAMPLES),
        (BLOCK_SAMPLES, BLOCK_SAMPLES + 1),
        (2 * BLOCK_SAMPLES - 9, 2 * BLOCK_SAMPLES + 9),
    ]
    patches = [Patch(span, np.zeros((BLOCK_SAMPLES + 5, 1))) for span in spans]
    write_edited(Recording.open(path), patches, out)
    before, after = in_own_dtype(path, "PCM_24"), in_own_dtype(out, "PCM_24")
    kept = np.ones(len(before), bool)
    for first, last in spans:
        kept[first:last] = False
    assert bits(before[kept]) == bits(after[after != 0][:, None])


@pytest.mark.parametrize("name", ["in.mp3", "in.ogg", "in.opus"])
def test_a_lossy_recording_becomes_the_floats_it_decodes_to(tmp_path, name):
    path, out = tmp_path / name, tmp_path / "out.wav"
    subtype = {"in.mp3": "MPEG_LAYER_III", "in.ogg": "VORBIS", "in.opus": "OPUS"}[name]
    container = "MP3" if name == "in.mp3" else "OGG"
    noise = sound("VORBIS", 150_000, 2, seed=5)
    sf.write(path, noise, 48_000, subtype=subtype, format=container)
    write_edited(Recording.open(path), [Patch((70_000, 71_000), np.zeros((0, 2)))], out)
    before, after = in_own_dtype(path, subtype), in_own_dtype(out, "FLOAT")
    assert sf.info(out).subtype == "FLOAT"
    assert bits(np.delete(before, slice(70_000, 71_000), axis=0)) == bits(after)


def test_a_lossy_output_is_as_long(tmp_path, make_recording):
    recording = make_recording(np.sin(np.arange(48_000) / 20) / 2)
    write_edited(recording, [], tmp_path / "out.ogg")
    assert sf.info(tmp_path / "out.ogg").frames == recording.samples


def test_a_patch_beyond_full_scale_is_clipped_and_does_not_wrap(tmp_path, make_recording):
    recording = make_recording(np.full(4_800, 0.25), subtype="PCM_16")
    loud = np.array([[1.5], [-1.5], [1.0], [-1.0], [0.5]])
    write_edited(recording, [Patch((10, 10), loud)], tmp_path / "out.wav")
    samples, _ = sf.read(tmp_path / "out.wav", dtype="int16")
    assert samples[10:15].tolist() == [32767, -32768, 32767, -32768, 16384]


@pytest.mark.parametrize(
    ("subtype", "name"),
    [
        ("PCM_32", "out.flac"),
        ("FLOAT", "out.flac"),
        ("DOUBLE", "out.flac"),
        ("PCM_16", "out.xyz"),
        ("PCM_U8", "out.aiff"),
    ],
)
def test_sizes_beyond_a_containers_limit_are_refused(tmp_path, make_recording, subtype, name):
    recording = make_recording(np.ones(4_800) / 3, subtype=subtype)
    with pytest.raises(InputError, match=r"\.wav"):
        write_edited(recording, [], tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("spans", [[(10, 20), (19, 30)], [(10, 20), (5, 40)], [(4_790, 4_801)]])
def test_patches_that_overlap_or_do_not_fit_are_refused(tmp_path, make_recording, spans):
    recording = make_recording(np.ones(4_800) / 3)
    patches = [Patch(span, np.zeros((3, 1))) for span in spans]
    with pytest.raises(ValueError, match=r"overlap|after"):
        write_edited(recording, patches, tmp_path / "out.wav")
    assert not (tmp_path / "out.wav").exists()


@pytest.mark.parametrize("name", ["in.ogg", "in.mp3", "in.opus"])
def test_a_lossy_recording_becomes_flac_to_24_bits(name: str, tmp_path: Path) -> None:
    noise = np.random.default_rng(3).uniform(-0.9, 0.9, (48_000, 1))
    subtype = {"in.ogg": "VORBIS", "in.mp3": "MPEG_LAYER_III", "in.opus": "OPUS"}[name]
    kind = "MP3" if name == "in.mp3" else "OGG"
    sf.write(tmp_path / name, noise, 48_000, subtype=subtype, format=kind)
    recording = Recording.open(tmp_path / name)
    write_edited(recording, [Patch((100, 200), np.zeros((50, 1)))], tmp_path / "out.flac")
    output, _ = sf.read(tmp_path / "out.flac", always_2d=True)
    decoded, _ = sf.read(tmp_path / name, always_2d=True)
    assert sf.info(tmp_path / "out.flac").subtype == "PCM_24"
    assert len(output) == recording.samples - 50
    assert np.abs(output[150:] - np.clip(decoded[200:], -1, 1)).max() <= 2.0**-23
