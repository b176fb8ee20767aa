"""A file's texts stay as they are in an edited copy, in every script and container."""

from pathlib import Path
from unittest.mock import patch

import av
import numpy as np
import pytest
import soundfile as sf
from hypothesis import given
from hypothesis import strategies as st

from a3t.audio.output import chunks, id3
from a3t.audio.output.metadata import comment_of, decoded_texts, texts_of
from a3t.audio.output.patches import Patch
from a3t.audio.output.writing import write_edited, write_speech
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError

RATE = 24_000
NOISE = np.random.default_rng(0).normal(size=RATE // 4) * 0.1
CUT = [Patch((3000, 4000), np.zeros((0, 1)))]
TITLE, ARTIST, COMMENT = "Über die Straße", "Жук · 日本語", "Zwei Zeilen:\n“né” 🎵"
SOURCES = ["wav", "flac", "ogg", "opus", "mp3", "m4a", "mov", "mkv", "caf", "aiff"]


def tagged(path: Path, version: int, codec: int) -> Recording:
    """An MP3 with a tag of every encoding, a picture, two comments and a chapter."""
    tag = id3.Tag(version)
    title, artist, comment = (
        text.encode("latin-1", "ignore").decode("latin-1") if codec == 0 else text
        for text in (TITLE, ARTIST, COMMENT)
    )
    encoded = [text.encode(id3.CODECS[codec]) for text in (title, artist, comment)]
    end = "\0".encode(id3.CODECS[codec])
    first = bytes([codec])
    frames = (
        id3.Frame(b"TIT2", first + encoded[0]),
        id3.Frame(b"TPE1", first + encoded[1]),
        id3.Frame(b"APIC", b"\0image/png\0\3\0" + bytes(range(256))),
        id3.Frame(b"COMM", first + b"deu" + "iTunNORM".encode(id3.CODECS[codec]) + end + b""),
        id3.Frame(b"COMM", first + b"deu" + end + encoded[2]),
        tag.chapter(b"c1\0", 0, 200, "Ö"),
    )
    sf.write(path, NOISE, RATE, "MPEG_LAYER_III", format="MP3")
    id3.prepend(path, id3.Tag(version, frames))
    return Recording.open(path)


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("codec", range(4))
def test_the_tag_of_an_mp3_is_kept(version: int, codec: int, tmp_path: Path) -> None:
    recording = tagged(tmp_path / "in.mp3", version, codec)
    out = tmp_path / "out.mp3"
    before = comment_of(recording.path)
    write_edited(recording, CUT, out, f"{before}\nmine: Жук")
    tag, own = id3.tag_of(out), id3.tag_of(recording.path)
    assert tag and own and tag.version == version
    kept = [frame for frame in own.frames if frame.name != b"CHAP"]
    assert [frame in tag.frames for frame in kept] == [True] * 4 + [False]  # the comment
    with sf.SoundFile(out) as file, sf.SoundFile(recording.path) as original:
        assert (file.title, file.artist) == (original.title, original.artist)
        assert file.title == TITLE and file.comment == f"{before}\nmine: Жук"
    with av.open(str(out)) as container:  # as another program reads it
        assert container.metadata["title"] == TITLE
        assert container.metadata["comment"] == f"{before}\nmine: Жук"
        assert [each["metadata"]["title"] for each in container.chapters()] == ["Ö"]
        assert Recording.open(out).samples >= recording.samples - 1000


@pytest.mark.parametrize("ending", ["wav", "mp3", "m4a", "ogg"])
@pytest.mark.parametrize("source", SOURCES)
def test_texts_go_from_each_container_to_each(source: str, ending: str, tmp_path: Path) -> None:
    with sf.SoundFile(tmp_path / "first.flac", "w", RATE, 1) as file:
        file.title, file.artist, file.comment = TITLE, ARTIST, COMMENT
        file.write(NOISE)
    write_edited(Recording.open(tmp_path / "first.flac"), CUT, tmp_path / f"in.{source}")
    write_edited(Recording.open(tmp_path / f"in.{source}"), CUT, tmp_path / f"out.{ending}")
    found = decoded_texts(texts_of(Recording.open(tmp_path / f"out.{ending}")))
    assert [found.get(name) for name in ("title", "artist", "comment")] == [TITLE, ARTIST, COMMENT]


SAID = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40)


@given(SAID, SAID, st.sampled_from([3, 4]))
def test_a_tag_is_read_as_it_was_written(title: str, comment: str, version: int) -> None:
    tag = id3.Tag(version).with_texts({"title": title, "comment": comment})
    assert id3.Tag.parse(tag.to_bytes() + bytes(20)) == tag
    assert tag.with_texts({"title": "another", "comment": comment}) == tag
    changed = tag.with_texts({"comment": comment + "!"})
    assert len(changed.frames) == 2 and changed.frames[0] == tag.frames[0]


@given(st.binary(max_size=200), st.sampled_from([2, 3, 4]), st.integers(0, 255))
def test_any_bytes_are_a_tag_or_none(data: bytes, version: int, flags: int) -> None:
    head = b"ID3" + bytes([version, 0, flags, 0, 0, 1, 127])
    tag = id3.Tag.parse(head + data)
    if tag:
        tag.without_times().with_texts({"comment": "x"}).to_bytes()


def test_old_texts_that_are_no_utf_8_reach_a_film(tmp_path: Path) -> None:
    sf.write(tmp_path / "in.wav", NOISE, RATE)
    texts = {b"INAM": "Café".encode("latin-1")}
    chunks.append(tmp_path / "in.wav", chunks.texts_chunk(texts))
    write_edited(Recording.open(tmp_path / "in.wav"), CUT, tmp_path / "out.m4a")
    with av.open(str(tmp_path / "out.m4a")) as container:
        assert container.metadata["title"] == "Café"


@pytest.mark.parametrize("ending", ["wav", "flac", "mp3", "ogg", "opus", "aiff"])
def test_speech_names_its_words_in_every_script(ending: str, tmp_path: Path) -> None:
    write_speech(tmp_path / f"out.{ending}", NOISE, RATE, COMMENT)
    assert comment_of(tmp_path / f"out.{ending}") == COMMENT


def test_speech_on_a_full_disk_says_how_much_room_it_needs(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    full = sf.LibsndfileError(2)
    with (
        patch.object(sf.SoundFile, "write", side_effect=full),
        pytest.raises(InputError, match=r"0\.0 MB are needed .*: make room or choose another"),
    ):
        write_speech(out, NOISE, RATE)
    assert not list(tmp_path.iterdir())
