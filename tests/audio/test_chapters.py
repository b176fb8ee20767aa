"""Chapters move with cuts, in every container that has them, as another program reads them."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from a3t.audio.output import chunks
from a3t.audio.output.chapters import MAX_CHAPTERS, Chapter, chapters_after
from a3t.audio.output.id3 import Tag
from a3t.audio.output.patches import Patch, sample_map
from a3t.audio.output.writing import write_edited
from a3t.audio.reading.recording import Recording

RATE = 16_000
CHAPTERS = ((0.0, 1.0, "Opening"), (1.0, 1.5, "Gone"), (1.5, 3.0, "Ends — é"))
CUT = (RATE, 3 * RATE // 2)  # the second chapter


def with_chapters(path: Path) -> Recording:
    """Three seconds of a tone with three chapters, as FFmpeg writes them."""
    codec = {".mp3": "libmp3lame", ".m4a": "aac", ".mka": "pcm_s16le"}[path.suffix]
    tone = (0.1 * np.sin(np.arange(3 * RATE) / 5)).astype(np.float32)
    with av.open(str(path), "w") as target:
        stream = target.add_stream(codec, rate=RATE, layout="mono")
        target.set_chapters(
            [
                {"id": k, "start": round(1000 * a), "end": round(1000 * b),
                 "time_base": Fraction(1, 1000), "metadata": {"title": title}}
                for k, (a, b, title) in enumerate(CHAPTERS, 1)
            ]
        )  # fmt: skip
        frame = av.AudioFrame.from_ndarray(tone[None], "flt", "mono")
        frame.sample_rate = RATE
        for out in av.AudioResampler(stream.format, "mono", RATE).resample(frame):
            target.mux(stream.encode(out))
        target.mux(stream.encode(None))
    return Recording.open(path)


def read(path: Path) -> list[tuple[float, float, str]]:
    with av.open(str(path)) as container:
        return [
            (
                float(c["start"] * c["time_base"]),
                float(c["end"] * c["time_base"]),
                c["metadata"]["title"],
            )
            for c in container.chapters()
        ]


@pytest.mark.parametrize("source", [".mp3", ".m4a", ".mka"])
@pytest.mark.parametrize("ending", [".mp3", ".m4a", ".mka", ".wav"])
def test_chapters_move_with_what_is_cut(source: str, ending: str, tmp_path: Path) -> None:
    recording = with_chapters(tmp_path / f"in{source}")
    out = tmp_path / f"out{ending}"
    write_edited(recording, [Patch(CUT, np.zeros((0, 1)))], out)
    if ending == ".wav":
        made = Recording.open(out)
        found = [
            (each.start / RATE, each.end / RATE, each.title)
            for each in chapters_after(made, sample_map(made, ()))
        ]
    else:
        found = read(out)
    assert [title for *_, title in found] == ["Opening", "Ends — é"]
    assert found[0][:2] == pytest.approx((0.0, 1.0), abs=0.003)
    assert found[1][0] == pytest.approx(1.0, abs=0.003)
    assert len(soundfile.info(str(out)).format) if ending == ".mp3" else True
    again = Recording.open(out)
    length = sample_map(recording, [Patch(CUT, np.zeros((0, 1)))]).output_length
    assert abs(again.samples - length) <= (3000 if ending in (".m4a", ".mp3") else 0)


def test_a_chapter_that_begins_in_a_change_begins_where_that_begins(tmp_path: Path) -> None:
    recording = with_chapters(tmp_path / "in.mka")
    spans = sample_map(recording, [Patch((RATE // 2, 5 * RATE // 4), np.zeros((100, 1)))])
    first, second, third = chapters_after(recording, spans)
    assert (first.end, second.start) == (RATE // 2, RATE // 2)
    assert third == Chapter(second.end, spans.output_length, "Ends — é")


def test_cue_points_of_any_program_are_bounded(tmp_path: Path) -> None:
    """More than an MP3 can hold, some without a label, beyond the end or cut off."""
    path, out = tmp_path / "in.wav", tmp_path / "out.mp3"
    soundfile.write(path, np.sin(np.arange(RATE) / 5) / 10, RATE)
    write_edited(Recording.open(path), [], out)
    alone, _ = soundfile.read(out)
    count = MAX_CHAPTERS + 50
    cues = b"".join(chunks.MARKER.pack(k, 0, b"data", 0, 0, 10 * k) for k in range(count))
    beyond = chunks.MARKER.pack(count, 0, b"data", 0, 0, 2**32 - 1)
    labels = b"".join(b"labl" + (8).to_bytes(4, "little") + k.to_bytes(4, "little") + b"one\0"
                      for k in range(count - 5))  # fmt: skip
    torn = b"labl" + b"\xff" * 6
    chunks.append(path, [(b"cue ", b"\0\0\0\0" + cues + beyond + b"torn"),
                         (b"LIST", b"adtl" + labels + torn)])  # fmt: skip
    write_edited(Recording.open(path), [], out)
    assert len(read(out)) == MAX_CHAPTERS
    assert np.array_equal(soundfile.read(out)[0], alone)


def test_chapters_in_the_tag_of_a_wav_move(tmp_path: Path) -> None:
    mp3 = with_chapters(tmp_path / "in.mp3").path.read_bytes()
    tag = mp3[: 10 + sum(byte << 7 * k for k, byte in enumerate(mp3[9:5:-1]))]
    soundfile.write(tmp_path / "in.wav", np.full(3 * RATE, 0.1), RATE)
    chunks.append(tmp_path / "in.wav", [(b"id3 ", tag)])
    recording = Recording.open(tmp_path / "in.wav")
    write_edited(recording, [Patch(CUT, np.zeros((0, 1)))], tmp_path / "out.wav")
    (moved,) = (c.data for c in chunks.chunks_of(tmp_path / "out.wav") if c.name == b"id3 ")
    assert moved is not None
    (tmp_path / "out.mp3").write_bytes(moved + mp3[len(tag) :])  # read by FFmpeg's libraries
    assert [each[:2] for each in read(tmp_path / "out.mp3")] == [(0, 1), (1, 1), (1, 2.5)]
    assert Tag.parse(chunks._moved_tag(tag, lambda sample: sample, RATE)) == Tag.parse(tag)
