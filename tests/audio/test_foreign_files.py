"""Sound files that others made: any codec, any encoding of a text, any text, at bounded cost."""

import struct
from dataclasses import replace
from functools import partial
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile as sf
import soxr

from a3t.audio.output import chunks, provenance
from a3t.audio.output.patches import Patch
from a3t.audio.output.provenance import comment_of, provenance_of
from a3t.audio.output.writing import write_edited
from a3t.audio.reading import checks, chunk_layouts
from a3t.audio.reading.chunk_layouts import MAX_CHUNKS
from a3t.audio.reading.containers import stated_seconds
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from tests.audio.films import assert_read_and_kept

RATE = 16_000
NOISE = np.random.default_rng(0).normal(0, 0.1, 2 * RATE)
HEAD = "[a3t 0.1.0 wrote this file: 100 samples at 16000 Hz]\n"
CODECS = [
    ("WAV", "GSM610"), ("WAV", "G721_32"), ("WAV", "NMS_ADPCM_16"), ("WAV", "NMS_ADPCM_24"),
    ("WAV", "NMS_ADPCM_32"), ("WAV", "IMA_ADPCM"), ("AU", "G721_32"), ("AU", "G723_24"),
    ("AU", "G723_40"), ("XI", "DPCM_8"), ("XI", "DPCM_16"), ("W64", "GSM610"), ("AIFF", "GSM610"),
    ("AIFF", "DWVW_16"), ("OGG", "OPUS"), ("OGG", "VORBIS"), ("MP3", "MPEG_LAYER_III"),
]  # fmt: skip


def with_comment(path: Path, comment: bytes) -> Path:
    sf.write(path, NOISE, RATE, "PCM_16")
    chunks.append(path, chunks.texts_chunk({chunks.COMMENT: comment}))
    return path


def straight(path: Path, dtype: str) -> np.ndarray:
    """The whole file in one call."""

    class NoSeeking(sf.SoundFile):  # for DWVW, which fails when soundfile notes where it is
        def seekable(self) -> bool:
            return False

    with NoSeeking(path) as file:
        return np.asarray(file.read(file.frames, dtype, always_2d=True))


@pytest.fixture(scope="module")
def speech(arctic: Path) -> np.ndarray:
    samples, _ = sf.read(arctic)
    return np.tile(samples, 3)


@pytest.mark.parametrize(("container", "subtype"), CODECS)
def test_a_codec_gives_what_plays_from_the_start(
    container: str, subtype: str, speech: np.ndarray, tmp_path: Path
) -> None:
    """From whatever sample it is read, and in an edit of it."""
    rate = 44_100 if container == "XI" else RATE
    path = tmp_path / f"in.{container.lower()}"
    sf.write(path, soxr.resample(speech, RATE, rate), rate, subtype, format=container)
    recording = Recording.open(path)
    whole = straight(path, recording.format.dtype)
    assert len(whole) == recording.samples
    assert_read_and_kept(recording, whole, tmp_path / "out.wav")


@pytest.mark.parametrize("ending", ["wav", "aiff"])
def test_texts_keep_their_encoding(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"in.{ending}"
    title, remark = "Café".encode("latin-1"), "déjà vu".encode("latin-1")
    sf.write(tmp_path / "in.wav", NOISE, RATE, "PCM_16")
    texts = {b"INAM": title, b"ICMT": remark, b"IKEY": title}
    chunks.append(tmp_path / "in.wav", chunks.texts_chunk(texts))
    if ending == "aiff":
        write_edited(Recording.open(tmp_path / "in.wav"), [Patch((0, 1), np.zeros((0, 1)))], path)
    recording = Recording.open(path)
    assert comment_of(path) == "déjà vu"
    patches = [Patch((0, 9), np.zeros((3, 1)))]
    said = provenance.comment(recording, patches, [provenance.Trace(0, 1, True)], path)
    out = tmp_path / f"out.{ending}"
    write_edited(recording, patches, out, said)
    assert title in out.read_bytes() and remark + b"\n[a3t" in out.read_bytes()
    assert comment_of(out).startswith("déjà vu\n[a3t") and provenance_of(out).traces
    write_edited(recording, patches, tmp_path / "out.flac", said)
    with sf.SoundFile(tmp_path / "out.flac") as file:
        assert file.title == "Café" and file.comment.startswith("déjà vu\n[a3t")
    write_edited(recording, patches, out, "“no Latin-1 for this”, déjà vu → новый")
    assert comment_of(out).endswith("новый")


@pytest.mark.parametrize(
    "text",
    ["data : 9999999 (should be 10)", "riff : 99999 (should be 1)", "x\nlacks an end-of-stream"],
)
@pytest.mark.parametrize("ending", ["wav", "flac", "ogg", "aiff"])
def test_a_text_does_not_pass_for_a_fault(text: str, ending: str, tmp_path: Path) -> None:
    """libsndfile's log, in which faults are told, holds a file's texts as well."""
    path = tmp_path / f"in.{ending}"
    with sf.SoundFile(path, "w", RATE, 1) as file:
        file.title = file.comment = text
        file.write(NOISE)
    assert Recording.open(path).samples == len(NOISE)


@pytest.mark.parametrize("peak", [1e10, 1e30, 1e38, 1e300])
def test_floats_beyond_all_sense_are_refused(peak: float, tmp_path: Path) -> None:
    samples = NOISE.copy()
    samples[777] = peak
    sf.write(tmp_path / "in.wav", samples, RATE, "DOUBLE" if peak > 1e38 else "FLOAT")
    with pytest.raises(InputError, match=r"times full scale: export it again|not numbers"):
        Recording.open(tmp_path / "in.wav")


def test_searching_a_comment_is_linear_work() -> None:
    """Counted: the characters that are passed over."""

    def passed(comment: str) -> int:
        count = 0

        class Counting(str):
            def find(self, wanted: str, start: int = 0) -> int:  # type: ignore[override]
                nonlocal count
                end = str.find(self, wanted, start)
                count += (len(self) if end < 0 else end) - start
                return end

        provenance._split(Counting(comment))
        return count

    for piece in (HEAD, f"{HEAD}[end of a3t]\n", f"{HEAD}[end", "[a3t x"):
        assert passed(piece * 2000) <= 2.1 * passed(piece * 1000) + 10
        assert passed(piece * 2000) <= 2 * len(piece) * 2000


def test_two_megabytes_of_the_program_s_own_line_are_read(tmp_path: Path) -> None:
    """It would take a pattern that looks for an end after each of them most of a day."""
    for name, piece in (("a", HEAD), ("b", "[a3t "), ("c", HEAD + "1" * 50)):
        path = with_comment(tmp_path / f"{name}.wav", (piece * (2_000_000 // len(piece))).encode())
        assert provenance_of(path).traces == ()
        recording = Recording.open(path)
        assert len(provenance.comment(recording, [], (), tmp_path / "o.wav")) > 1_900_000


@pytest.mark.parametrize("number", ["1" * 400, "1" * 5000, "1.2.3", "9" * 16])
def test_numbers_without_end_are_no_times(number: str, tmp_path: Path) -> None:
    lines = f"{number}-{number} s synthetic\n0.500000-0.600000 s synthetic\n[end of a3t]"
    path = with_comment(tmp_path / "a.wav", (HEAD + lines).encode())
    (trace,) = provenance_of(path).traces
    assert (trace.start, trace.end) == (0.5, 0.6)
    head = f"[a3t 1 wrote this file: {number} samples at {number} Hz]\n"
    assert provenance_of(with_comment(tmp_path / "b.wav", (head + lines).encode())).traces == ()


def test_no_more_traces_are_read_than_a_recording_has(tmp_path: Path) -> None:
    line = "0.500000-0.600000 s synthetic\n"
    comment = HEAD + line * (provenance.MAX_TRACES + 5) + "[end of a3t]"
    path = with_comment(tmp_path / "a.wav", comment.encode())
    assert len(provenance_of(path).traces) == provenance.MAX_TRACES


def test_chunks_are_read_within_bounds(tmp_path: Path) -> None:
    path = tmp_path / "in.wav"
    sf.write(path, NOISE, RATE, "PCM_16")
    with path.open("ab") as file:
        file.write(struct.pack("<4sI", b"junk", 0) * (chunks.MAX_CHUNKS_READ + 100))
        for _ in range(6):
            file.write(struct.pack("<4sI", b"bext", 15_000_000) + bytes(15_000_000))
    assert len(chunks.chunks_of(path)) == chunks.MAX_CHUNKS_READ
    path.write_bytes(path.read_bytes()[: RATE * 4 + 44])
    with path.open("ab") as file:
        for _ in range(6):
            file.write(struct.pack("<4sI", b"bext", 15_000_000) + bytes(15_000_000))
    held = sum(len(chunk.data or b"") for chunk in chunks.chunks_of(path))
    assert held <= chunks.MAX_ALL_BYTES


def atom(name: bytes, contents: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(contents), name) + contents


JUNK = b"junk"
MANY = {  # what many chunks follow, one of them, and what they stand in
    "wav": (b"RIFF\xff\xff\xff\xffWAVE", JUNK + bytes(4), bytes),
    "aiff": (b"FORM\xff\xff\xff\xffAIFF", JUNK + bytes(4), bytes),
    "caf": (b"caff\0\1\0\0", JUNK + bytes(8), bytes),
    "w64": (b"riff" + bytes(36), JUNK + bytes(12) + struct.pack("<Q", 24), bytes),
    "mp4": (atom(b"ftyp", b"isom"), atom(b"free", b""), bytes),
    "mov": (b"", atom(b"free", b""), bytes),
    "moov": (atom(b"ftyp", b"isom"), atom(b"free", b""), partial(atom, b"moov")),
    "moof": (atom(b"ftyp", b"isom"), atom(b"free", b""), partial(atom, b"moof")),
}


@pytest.mark.parametrize("kind", MANY)
def test_too_many_chunks_are_refused_before_they_are_read(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beginning, chunk, within = MANY[kind]
    fewer = replace(chunk_layouts.MP4_LAYOUT, most=MAX_CHUNKS)
    for module in (checks, chunk_layouts):
        monkeypatch.setattr(module, "MP4_LAYOUT", fewer)
    path = tmp_path / f"in.{kind}"
    path.write_bytes(beginning + within(chunk * MAX_CHUNKS))
    monkeypatch.setattr(checks, "SoundReader", None)
    monkeypatch.setattr(av, "open", None)
    for read in (Recording.open, stated_seconds):
        with pytest.raises(InputError, match="more chunks than any recording needs"):
            read(path)


def test_an_mp3_may_count_a_frame_too_many(speech: np.ndarray, tmp_path: Path) -> None:
    """As those of Common Voice do; where it lacks more, all there is is read, unless it ends within
    a frame."""
    path = tmp_path / "in.mp3"
    sf.write(path, speech, RATE, format="MP3")
    data = bytearray(path.read_bytes())
    place = max(data.find(b"Xing"), data.find(b"Info")) + 8
    (frames,) = struct.unpack_from(">I", data, place)
    whole = Recording.open(path).samples
    for more in (1, 20):
        struct.pack_into(">I", data, place, frames + more)
        other = tmp_path / f"{more}.mp3"
        other.write_bytes(data)
        if more == 1:
            assert Recording.open(other).samples in range(whole, whole + 1153)
        else:
            assert Recording.open(other).samples in range(whole - 1152, whole + 1153)
            other.write_bytes(data[:-100])
            with pytest.raises(InputError, match="broken or cut off"):
                Recording.open(other)
