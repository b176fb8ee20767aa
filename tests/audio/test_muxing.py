"""The sound of a film edited and written back: the picture untouched, both together."""

from pathlib import Path

import av
import numpy as np
import pytest
import soundfile as sf

from a3t.audio.output.metadata import comment_of
from a3t.audio.output.patches import Patch
from a3t.audio.output.writing import default_output, write_edited
from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from tests.audio.films import film, packets, straight
from tests.conftest import ARCTIC

FRIDAY = ARCTIC.replace("superlative", "positive")
QUIET = Patch((10_000, 11_000), np.zeros((1000, 1)))


@pytest.mark.parametrize(
    ("name", "codec", "picture", "out", "exact"),
    [
        ("x.mp4", "aac", "mpeg4", "out.mov", True),
        ("x.mp4", "aac", "libx264", "out.mkv", True),
        ("x.mp4", "aac", "libx264", "out.mp4", False),
        ("x.mov", "pcm_s24le", "mpeg4", "out.mov", True),
        ("x.mkv", "flac", "libx264", "out.mkv", True),
        ("x.webm", "libopus", "libvpx-vp9", "out.webm", False),
        ("x.webm", "libopus", "libvpx-vp9", "out.mkv", True),
    ],
)
def test_the_picture_is_copied(
    name: str, codec: str, picture: str, out: str, exact: bool, arctic: Path, tmp_path: Path
) -> None:
    """Packet by packet, with its times, even uneven ones; the sound is where it was."""
    path = film(tmp_path / name, arctic, codec, picture, later=0.5, steady=False)
    recording = Recording.open(path)
    write_edited(recording, [QUIET], tmp_path / out, "said by a test")
    before, after = packets(path), packets(tmp_path / out)
    assert [p[0] for p in before] == [p[0] for p in after]
    np.testing.assert_allclose([p[1] for p in after], [p[1] for p in before], atol=0.0006)
    assert [p[2] for p in before] == [p[2] for p in after]
    begin, start = before[0][1], packets(tmp_path / out, "audio")[0][1]
    assert abs(start - begin) < 0.03  # the silence before the sound is part of it
    edited = Recording.open(tmp_path / out)
    old, new = to_float(recording.read()), to_float(edited.read())
    kept = np.r_[2000:9000, 12_000 : len(old) - 2000]
    assert not old[:20_000].any() and old[30_000:].any()
    if exact:
        assert edited.samples == recording.samples
        np.testing.assert_array_equal(new[kept], old[kept])
    else:  # encoded again, and where it was: an encoder's padding is part of it
        shift = 0 if out.endswith("webm") else round((begin - start) * 48_000)
        assert abs(edited.samples - shift - recording.samples) <= 1024
        lags = {k: np.abs(new[kept + k] - old[kept]).mean() for k in range(0, 1500, 8)}
        assert abs(min(lags, key=lambda k: lags[k]) - shift) <= 48  # WebM counts milliseconds
    assert comment_of(tmp_path / out) == "said by a test"


@pytest.mark.parametrize("name", ["out.m4a", "out.webm"])
def test_a_telephones_recording_is_encoded_at_its_rate(
    name: str, arctic: Path, tmp_path: Path
) -> None:
    path = tmp_path / "call.wav"
    sf.write(path, sf.read(arctic)[0][::2], 8000)
    write_edited(Recording.open(path), [QUIET], tmp_path / name)
    assert (tmp_path / name).stat().st_size and Recording.open(tmp_path / name).seconds > 1


def test_other_tracks_and_texts_come_along(arctic: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "x.mkv", arctic, "pcm_s16le", tracks=3)
    write_edited(Recording.open(path, 2), [QUIET], tmp_path / "out.mkv")
    with av.open(str(tmp_path / "out.mkv")) as file:
        titles = [stream.metadata.get("title") for stream in file.streams.audio]
    assert titles == [None, "Microphone 2", "Microphone 3"]
    for other in (0, 2):
        np.testing.assert_array_equal(straight(tmp_path / "out.mkv", other), straight(path, other))
    assert not straight(tmp_path / "out.mkv", 1)[10_000:11_000].any()


def test_what_would_part_sound_and_picture_is_refused(arctic: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "x.mp4", arctic)
    longer = Patch((10_000, 11_000), np.zeros((25_000, 1)))
    with pytest.raises(InputError, match=r"0\.50 s longer, and the picture .* \(fit\)"):
        write_edited(Recording.open(path), [longer], tmp_path / "out.mp4")
    assert list(tmp_path.iterdir()) == [path]
    for name in ("out.wav", "out.m4a"):  # there is no picture in these
        write_edited(Recording.open(path), [longer], tmp_path / name)
        assert Recording.open(tmp_path / name).seconds > Recording.open(path).seconds


def test_a_picture_that_a_container_can_not_hold(arctic: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "x.mkv", arctic, "flac", "libvpx-vp9")
    with pytest.raises(InputError, match=r"can't hold the picture of x.mkv: use .* \.mkv"):
        write_edited(Recording.open(path), [QUIET], tmp_path / "out.mov")
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_edit_is_the_same_file(arctic: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "x.mkv", arctic, "flac")
    for name in ("one.mkv", "two.mkv", "one.mp4", "two.mp4"):
        write_edited(Recording.open(path), [QUIET], tmp_path / name)
    for ending in ("mkv", "mp4"):
        one, two = (tmp_path / f"{name}.{ending}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_a_film_is_edited_by_its_text(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    path = film(tmp_path / "talk.mp4", arctic, rate=16_000)
    result = editor.edit(path, text=ARCTIC, new_text=FRIDAY, fit=True)
    assert result.map.samples.output_length == result.recording.samples
    out = result.save(tmp_path / "talk.edited.mov")
    assert [p[0] for p in packets(out)] == [p[0] for p in packets(path)]
    (change,) = result.map.samples.changes
    old, new = Recording.open(path).read(), Recording.open(out).read()
    np.testing.assert_array_equal(new[: change.output[0]], old[: change.source[0]])
    np.testing.assert_array_equal(new[change.output[1] :], old[change.source[1] :])
    assert default_output(path).name == "talk.edited.wav"
    assert sf.info(result.save(tmp_path / "sound.wav")).subtype == "FLOAT"
