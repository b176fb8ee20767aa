"""Provenance in files, through edits of edits, and `a3t inspect`."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from a3t.audio.output import chunks
from a3t.audio.output.patches import Patch
from a3t.audio.output.provenance import (
    Trace,
    comment,
    provenance_block,
    provenance_of,
    traces_after,
)
from a3t.audio.output.writing import write_edited
from a3t.audio.reading.recording import Recording
from a3t.commands import inspect
from a3t.editor import Editor
from tests.conftest import ARCTIC, NEVER

RATE = 16_000


def edited(source: Path, out: Path, *patches: tuple[int, int, int, str | None]) -> Path:
    """The source with [first, last) replaced by a number of samples that say something."""
    recording = Recording.open(source)
    made = [Patch((a, b), np.full((n, 1), 0.01)) for a, b, n, _ in patches]
    traces = traces_after(recording, made, [said for *_, said in patches], "m 0123456789ab")
    write_edited(recording, made, out, comment(recording, made, traces, out))
    return out


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    path = tmp_path / "noise.wav"
    sf.write(path, np.random.default_rng(1).normal(0, 0.1, 2 * RATE), RATE)
    return path


def spans(path: Path) -> list[tuple[int, int, str, bool]]:
    traces = provenance_of(path).traces
    return [(round(t.start * RATE), round(t.end * RATE), t.words, t.synthetic) for t in traces]


@pytest.mark.parametrize("ending", ["wav", "flac", "rf64", "aiff", "caf", "ogg", "mp3"])
def test_a_file_records_its_synthetic_parts(ending: str, noise: Path, tmp_path: Path) -> None:
    out = edited(
        noise, tmp_path / f"o.{ending}", (800, 1600, 1200, 'the "end"'), (8000, 9000, 96, None)
    )
    assert spans(out) == [(800, 2000, "the 'end'", True), (8400, 8496, "", False)]
    assert provenance_of(out).intact


def test_older_parts_move_with_the_sound(noise: Path, tmp_path: Path) -> None:
    first = edited(noise, tmp_path / "1.flac", (8000, 9000, 2000, "old"))
    second = edited(
        first,
        tmp_path / "2.wav",
        (0, 0, 160, "well"),  # before it
        (8500, 8600, 50, "in"),  # in the middle of it
        (9900, 20_000, 0, None),  # over its end
    )
    assert spans(second) == [
        (0, 160, "well", True),
        (8160, 8660, "old", True),
        (8660, 8710, "in", True),
        (8710, 10_010, "old", True),
        (10_010, 10_010, "", False),
    ]
    third = edited(second, tmp_path / "3.wav", (8000, 12_000, 100, "new"))
    assert spans(third) == [(0, 160, "well", True), (8000, 8100, "new", True)]
    assert not spans(noise)


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000, 192_000])
def test_times_are_exact_at_any_rate(rate: int, tmp_path: Path) -> None:
    path, out = tmp_path / "in.wav", tmp_path / "out.wav"
    sf.write(path, np.random.default_rng(1).normal(0, 0.1, 5 * rate), rate)
    recording, place = Recording.open(path), 4 * rate + 12_345
    patches = [Patch((place, place + 7), np.zeros((11, 1)))]
    traces = traces_after(recording, patches, ["x"], "m")
    write_edited(recording, patches, out, comment(recording, patches, traces, out))
    (trace,) = provenance_of(out).traces
    assert (round(trace.start * rate), round(trace.end * rate)) == (place, place + 11)


def test_other_comments_are_kept(noise: Path, tmp_path: Path) -> None:
    with sf.SoundFile(tmp_path / "c.flac", "w", RATE, 1) as file:
        file.comment = "Take 3\nof Monday"
        file.write(sf.read(noise)[0])
    one = edited(tmp_path / "c.flac", tmp_path / "1.wav", (800, 1600, 1200, "a"))
    two = edited(one, tmp_path / "2.flac", (8000, 8100, 50, "b"))
    with sf.SoundFile(two) as file:
        assert file.comment.startswith("Take 3\nof Monday\n[a3t ")
        assert file.comment.count("[a3t ") == 1
    recording = Recording.open(two)
    assert comment(recording, [], (), tmp_path / "x.wav") == "Take 3\nof Monday"


@pytest.mark.parametrize("ending", ["wav", "flac", "mp3"])
def test_control_characters_do_not_hide_what_follows(
    noise: Path, tmp_path: Path, ending: str
) -> None:
    out = edited(noise, tmp_path / f"o.{ending}", (800, 1600, 1200, "some\0 \x1b[2Kwo\nrds"))
    assert spans(out) == [(800, 2000, "some   [2Kwo rds", True)]


def test_words_are_omitted_where_space_is_short(noise: Path, tmp_path: Path) -> None:
    recording = Recording.open(noise)
    traces = [Trace(k, k + 0.5, True, "word " * 20, "m") for k in range(60)]
    assert "word" in comment(recording, [], traces, tmp_path / "x.wav")
    assert "word" not in comment(recording, [], traces, tmp_path / "x.aiff")
    assert "synthetic" in comment(recording, [], traces, tmp_path / "x.aiff")
    assert comment(recording, [], traces, tmp_path / "x.w64") == ""


def test_an_edit_records_provenance_unless_told_not_to(
    editor: Editor, arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = editor.edit(arctic, new_text=NEVER, text=ARCTIC, verify=False)
    out = result.save(tmp_path / "out.wav")
    span = result.record["edits"][0]["output"]
    assert spans(out) == [(*span, "never", True)]
    assert inspect.main([str(out)]) == 0
    assert "“never”" in capsys.readouterr().out
    silent = result.save(tmp_path / "silent.wav", provenance=False)
    assert spans(silent) == []
    assert json.loads(silent.with_suffix(".edit.json").read_text())["provenance"] is False
    same = editor.edit(arctic, new_text=ARCTIC, text=ARCTIC).save(tmp_path / "same.wav")
    assert same.read_bytes() == arctic.read_bytes()


def test_inspecting(noise: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert inspect.main([str(noise)]) == 0
    assert "no watermark of a3t's either" in capsys.readouterr().out
    out = edited(noise, tmp_path / "o.wav", (800, 1600, 1200, "some words"))
    assert inspect.main(["--json", str(out)]) == 0
    (trace,) = json.loads(capsys.readouterr().out)["traces"]
    assert trace["words"] == "some words" and trace["models"] == "m 0123456789ab"
    recording = Recording.open(out)  # another program cuts it and keeps the comment
    with sf.SoundFile(out) as file:
        text = file.comment
    write_edited(recording, [Patch((0, 500), np.zeros((0, 1)))], tmp_path / "cut.wav", text)
    assert inspect.main([str(tmp_path / "cut.wav")]) == 0
    assert "length has changed" in capsys.readouterr().out


def test_inspecting_a_file_that_is_not_sound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.wav").write_text("hello")
    for path in (tmp_path / "x.wav", tmp_path / "none.wav", tmp_path):
        assert inspect.main([str(path)]) == 1
        error = capsys.readouterr().err
        assert error.startswith("a3t: ") and len(error.splitlines()) == 1


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


def test_a_long_comment_is_read_back(wave: Path, tmp_path: Path) -> None:
    long = "x" * 100_000
    write_edited(Recording.open(wave), PATCHES, tmp_path / "o.wav", comment=long)
    assert chunks.texts_of(tmp_path / "o.wav")[b"ICMT"] == long.encode()


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


@pytest.mark.parametrize("rate", [8000, 16_000, 44_100])
@pytest.mark.parametrize("ending", ["m4a", "mp4", "webm"])
def test_an_encoders_padding_is_no_change_of_length(ending: str, rate: int, tmp_path: Path) -> None:
    if (ending, rate) == ("webm", 44_100):  # Opus has no such rate
        return
    sf.write(tmp_path / "in.wav", np.random.default_rng(0).normal(size=2 * rate) * 0.1, rate)
    recording, out = Recording.open(tmp_path / "in.wav"), tmp_path / f"out.{ending}"
    for written, intact in ((2 * rate, True), (rate, False)):  # the second one was cut since
        write_edited(recording, [], out, provenance_block([Trace(0.5, 1, True)], written, rate))
        assert provenance_of(out).intact is intact
