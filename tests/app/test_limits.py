"""The page accepts only uploaded files within its size limits."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.errors import InputError
from app import limits


@pytest.fixture
def uploads(tmp_path: Path) -> Path:
    folder = tmp_path / "uploads"
    folder.mkdir()
    return folder


def tone(path: Path, seconds: float = 0.5, rate: int = 16000) -> Path:
    soundfile.write(path, 0.1 * np.sin(np.arange(int(seconds * rate)) * 0.1), rate)
    return path


@pytest.mark.parametrize("name", ["talk.wav", "talk.flac", "talk.ogg", "talk.mp3"])
def test_an_uploaded_recording_is_accepted(uploads: Path, name: str) -> None:
    path = tone(uploads / name)
    assert limits.check_upload(str(path), uploads) == path.resolve()


def test_a_file_elsewhere_is_refused_however_its_path_is_written(uploads: Path) -> None:
    outside = tone(uploads.parent / "secret.wav")
    link = uploads / "link.wav"
    link.symlink_to(outside)
    sibling = uploads.with_name("uploads-other")
    sibling.mkdir()
    loop = uploads / "loop.wav"
    loop.symlink_to(loop)
    paths = (outside, uploads / ".." / "secret.wav", link, loop, tone(sibling / "a.wav"))
    for path in (*paths, "a\0b", "x" * 5000):
        with pytest.raises(InputError, match="not uploaded here"):
            limits.check_upload(str(path), uploads)


@pytest.mark.parametrize("path", [None, ""])
def test_a_missing_recording_is_refused(uploads: Path, path: str | None) -> None:
    with pytest.raises(InputError, match="upload or record one first"):
        limits.check_upload(path, uploads)


@pytest.mark.parametrize("content", [b"", b"no sound at all\n" * 50, b"RIFF\x00\x00\x00\x00WAVE"])
def test_a_file_that_is_not_sound_is_refused(uploads: Path, content: bytes) -> None:
    path = uploads / "talk.wav"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a sound file"):
        limits.check_upload(str(path), uploads)


def test_too_long_and_too_large(uploads: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tone(uploads / "talk.wav", seconds=3)
    monkeypatch.setattr(limits, "MAX_SECONDS", 1)
    with pytest.raises(InputError, match="is longer than"):
        limits.check_upload(str(path), uploads)
    monkeypatch.setattr(limits, "MAX_SECONDS", 60)
    monkeypatch.setattr(limits, "MAX_MEGABYTES", 0.01)
    with pytest.raises(InputError, match="larger than"):
        limits.check_upload(str(path), uploads)


def test_text() -> None:
    assert limits.check_text(None, "transcript") == ""
    assert limits.check_text("  two words\n", "transcript") == "two words"
    with pytest.raises(InputError, match=r"^The new text is 200001 characters long"):
        limits.check_text("a" * 200001, "new text")


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("talk.wav", "talk"),
        ("../../etc/passwd", "passwd"),
        ("a b;rm -rf.wav", "a_b_rm_-rf"),
        (".wav", "wav"),
        ("..", "recording"),
        ("x" * 300 + ".wav", "x" * 60),
        ("Grüße.wav", "Grüße"),
    ],
)
def test_safe_stem(name: str, stem: str) -> None:
    assert limits.safe_stem(name) == stem


def test_old_results_are_deleted_and_new_ones_kept(tmp_path: Path) -> None:
    for name, age in (("old", limits.KEEP_SECONDS + 60), ("new", 60)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "talk.wav").write_bytes(b"x")
        os.utime(folder, (1e9 - age, 1e9 - age))
    limits.forget_old(tmp_path, now=1e9)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    limits.forget_old(tmp_path / "missing")
