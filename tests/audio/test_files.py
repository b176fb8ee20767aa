"""A file appears whole or not at all, and a refusal is one sentence."""

import os
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from a3t.audio.output.files import atomic_path, check_target
from a3t.audio.output.patches import Patch
from a3t.audio.output.writing import check_output, default_output, write_edited
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from tests.children import limit_files, result_of

NOISE = np.random.default_rng(0).uniform(-0.5, 0.5, (96_000, 2))
CUT = [Patch((5, 9), np.zeros((3, 2)))]


def one_sentence(error: BaseException) -> bool:
    text = str(error)
    return text.endswith(".") and ". " not in text and "\n" not in text and ": " in text


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    folder = tmp_path / "source"
    folder.mkdir()
    sf.write(folder / "in.wav", NOISE, 48_000)
    return Recording.open(folder / "in.wav")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "target"
    folder.mkdir()
    return folder


def test_the_file_is_there_only_after_the_block(folder):
    with atomic_path(folder / "out") as temporary:
        temporary.write_text("new")
        assert temporary.parent == folder and not (folder / "out").exists()
    assert (folder / "out").read_text() == "new"
    assert os.listdir(folder) == ["out"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, MemoryError])
def test_an_exception_leaves_the_old_file_and_nothing_else(folder, error):
    (folder / "out").write_text("old")
    with pytest.raises(error), atomic_path(folder / "out") as temporary:
        temporary.write_text("half")
        raise error
    assert (folder / "out").read_text() == "old"
    assert os.listdir(folder) == ["out"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_leaves_nothing(folder, number):
    program = (
        "import signal, sys, time\n"
        "from a3t.audio.output.files import atomic_path\n"
        # A shell starts what it puts in the background without Ctrl-C.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "with atomic_path(sys.argv[1]) as temporary:\n"
        "    temporary.write_text('half')\n"
        "    print('writing', flush=True)\n"
        "    while True:\n"
        "        time.sleep(0.01)\n"  # a signal just before a pause would be waited for after it
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(folder / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "writing\n"
    assert len(os.listdir(folder)) == 1
    process.send_signal(number)
    assert process.wait() != 0
    assert os.listdir(folder) == []


def test_an_existing_file_keeps_its_permissions_and_a_link_its_place(folder):
    (folder / "out").write_text("old")
    (folder / "out").chmod(0o600)
    (folder / "link").symlink_to(folder / "out")
    with atomic_path(folder / "link") as temporary:
        temporary.write_text("new")
    assert (folder / "link").is_symlink() and (folder / "out").read_text() == "new"
    assert (folder / "out").stat().st_mode & 0o777 == 0o600


def test_a_target_that_cannot_be_is_refused_before_the_work(recording, folder):
    (folder / "file").write_text("")
    (folder / "link.wav").symlink_to(recording.path)
    (folder / "hard.wav").hardlink_to(recording.path)
    (folder / "sub.wav").mkdir()
    refused = {
        folder / "no" / "out.wav": "does not exist",
        folder / "file" / "out.wav": "is not a folder",
        folder / "sub.wav": "is a folder",
        recording.path: "is the input file itself",
        recording.path.parent / ".." / "source" / "in.wav": "is the input file itself",
        folder / "link.wav": "is the input file itself",
        folder / "hard.wav": "is the input file itself",
        folder / "out": "has no ending",
        Path("/dev/null.wav/x.wav"): "does not exist",
        Path("/proc/out.wav"): "could not be written|can't be written",
    }
    for out, says in refused.items():
        with pytest.raises(InputError, match=says) as refusal:
            write_edited(recording, [], out)
        assert one_sentence(refusal.value)
        if out.parent != Path("/proc"):  # the superuser may write there until it is tried
            with pytest.raises(InputError, match=says):
                check_output(recording, out)
    with pytest.raises(InputError, match="not a plain file"):
        check_target("/dev/null")
    np.testing.assert_array_equal(sf.read(recording.path)[0].shape, NOISE.shape)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_without_permission_is_refused(recording, folder):
    folder.chmod(0o500)
    with pytest.raises(InputError, match="may not write"):
        check_output(recording, folder / "out.wav")


@pytest.mark.parametrize("name", ["out.wav", "out.flac", "out.w64", "out.aiff", "out.ogg"])
def test_a_disk_that_fills_up_at_any_point_leaves_the_old_file(recording, folder, name):
    """The limit on a file's size stands for the disk: the same short write, at a chosen byte."""
    write_edited(recording, CUT, folder / name)
    size = (folder / name).stat().st_size
    (folder / name).write_text("old")
    limits = [1, 50, 5_000, size // 2, size - 5_000, size - 100, size - 1]

    def refusals() -> list[str]:
        found = []
        for limit in limits:
            limit_files(limit)
            with pytest.raises(InputError) as refusal:
                write_edited(recording, CUT, folder / name)
            found.append(str(refusal.value))
        return found

    for sentence in result_of(refusals):
        assert "could not be written" in sentence and "make room" in sentence
    assert (folder / name).read_text() == "old"
    assert os.listdir(folder) == [name]


def test_a_recording_that_changes_while_it_is_copied_is_named(recording, folder):
    with open(recording.path, "r+b") as file:
        file.truncate(recording.path.stat().st_size // 2)
    with pytest.raises(InputError, match="changed while it was being read"):
        write_edited(recording, CUT, folder / "o.wav")


def test_memory_does_not_grow_with_the_recording(tmp_path, folder):
    """Two minutes of stereo, 23 MB of samples."""
    with sf.SoundFile(tmp_path / "long.wav", "w", 48_000, 2, "PCM_16") as file:
        for _ in range(60):
            file.write(NOISE)
    recording = Recording.open(tmp_path / "long.wav")
    tracemalloc.start()
    try:
        write_edited(recording, CUT, folder / "out.wav")
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_the_default_output_lies_beside_the_recording():
    assert default_output("a/talk.v2.flac") == Path("a/talk.v2.edited.wav")
