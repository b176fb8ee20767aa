"""Tracks in step: the other speakers' samples stay, and stay at the same time."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from a3t import Editor
from a3t.audio.output.patches import read_patched, sample_map
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.channels import mirrored, speaking_channels
from a3t.commands import clean, edit
from a3t.errors import InputError
from a3t.plan.request import tracks_of
from a3t.spans import SpanMap
from alignment import Alignment
from tests.conftest import ARCTIC, NEVER, assert_untouched

SHORTER = ARCTIC.replace("always ", "")
PAUSED = ARCTIC.replace("see it", "see it [pause 0.6]")


def noise(samples: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 12, samples).astype(np.int16)


def conversation(arctic: Path) -> tuple[np.ndarray, int]:
    """Host and guest, (n, 2): the sentence by the one, then, a little faster, by the other."""
    host, rate = soundfile.read(arctic, dtype="int16")
    guest = host[: len(host) * 19 // 20 * 2 : 1]
    tracks = [np.r_[host, noise(len(guest), 1)], np.r_[noise(len(host), 2), guest]]
    return np.stack(tracks, axis=1), rate


@pytest.fixture
def tracks(arctic: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The two as files, the guest's at another bit depth and a second longer."""
    both, rate = conversation(arctic)
    host, guest = tmp_path / "host.wav", tmp_path / "guest.flac"
    soundfile.write(host, both[: len(both) // 2, 0], rate)
    soundfile.write(guest, np.r_[both[:, 1], noise(rate, 3)].astype(np.int32) << 16, rate, "PCM_24")
    return host, guest


SPANS = st.lists(st.tuples(st.integers(200, 3000), st.integers(120, 4000)), min_size=1, max_size=8)


@pytest.mark.parametrize("rate", [8000, 12000])
@settings(max_examples=20)
@given(spans=SPANS)
def test_a_mirrored_track_is_in_step_outside_the_changes(
    rate: int, spans: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever gives way to whatever: each kept stretch begins where it should, unchanged."""
    path = tmp_path_factory.getbasetemp() / f"track{rate}.wav"
    if not path.exists():
        soundfile.write(path, noise(5 * rate, 4), rate)
    track = Recording.open(path)
    replaced, place = [], 500
    for gone, come in spans:
        replaced.append(((place, place + gone), come))
        place += gone + 600
    changes = SpanMap.replacing(replaced, 40000)
    patches = mirrored(track, changes, 8000)
    source = track.read()
    made = read_patched(track, patches, 0, sample_map(track, patches).output_length)
    for kept in changes.kept():
        first, last = (min(round(k * rate / 8000), len(source)) for k in kept.source)
        begin = round(kept.output[0] * rate / 8000)
        # At another rate a sample may round the other way.
        tried = [begin + by for by in ((0,) if rate == 8000 else (-1, 0, 1))]
        inside = source[first + 1 : last - 1] / 2**15
        assert any(np.array_equal(made[max(at, 0) + 1 :][: len(inside)], inside) for at in tried)


@pytest.mark.parametrize("speaker", [0, 1])
@pytest.mark.parametrize("change", ["fit", "shorter", "longer"])
def test_an_edit_of_one_speaker_leaves_the_other_channel(
    speaker: int, change: str, arctic: Path, editor: Editor, tmp_path: Path
) -> None:
    both, rate = conversation(arctic)
    soundfile.write(tmp_path / "both.wav", both, rate)
    new = {"fit": NEVER, "shorter": SHORTER, "longer": PAUSED}[change]
    texts = [ARCTIC, ARCTIC]
    texts[speaker] = new
    result = editor.edit(
        tmp_path / "both.wav",
        text=f"{ARCTIC} {ARCTIC}",
        new_text=" ".join(texts),
        fit=change == "fit",
        verify=False,
    )
    output = soundfile.read(result.save(), dtype="int16", always_2d=True)[0]
    assert_untouched(result.record["edits"], both, output)
    other = 1 - speaker
    if change == "fit":
        assert np.array_equal(output[:, other], both[:, other])
        assert not np.array_equal(output[:, speaker], both[:, speaker])
    else:  # what is put in, or joined, there is no louder than the room
        (entry,) = result.record["edits"]
        assert np.abs(output[slice(*entry["output"]), other]).max() < 100


def test_ordinary_stereo_is_edited_in_both_channels(arctic: Path, tmp_path: Path) -> None:
    """One voice in two microphones, or with an echo in the second, is one speaker's."""
    samples, rate = soundfile.read(arctic)
    for name, second in (("louder", 0.5 * samples), ("echo", 0.1 * np.roll(samples, 200))):
        room = np.random.default_rng(5).normal(0, 1e-4, (len(samples), 2))
        path = tmp_path / f"{name}.wav"
        soundfile.write(path, np.stack([samples, second], axis=1) + room, rate)
        recording, alignment = Recording.open(path), Alignment((), len(samples) / rate)
        assert speaking_channels(recording, alignment, [(1.0, 1.4)]) == (0, 1)


def test_tracks_go_through_edit_undo_and_another_edit(
    tracks: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    host, guest = tracks
    source = soundfile.read(guest, dtype="int32")[0]
    out, beside = host.with_name("host.edited.wav"), host.with_name("guest.edited.wav")
    command = [str(host), "--text", ARCTIC, "--new-text", SHORTER]
    assert edit.main([*command, "--with", str(guest)]) == 0
    assert f"Written: {beside}" in capsys.readouterr().err
    first = beside.read_bytes()
    made = soundfile.read(beside, dtype="int32")[0]
    (entry,) = json.loads(out.with_name("host.edited.edit.json").read_text())["edits"]
    assert_untouched([entry], source, made)
    assert len(source) - len(made) == np.ptp(entry["source"]) - np.ptp(entry["output"])
    longer = SHORTER.replace("see it", "see it [pause 0.6]")
    assert edit.main([str(out), "--new-text", longer]) == 0
    edits = json.loads(out.with_name("host.edited.edit.json").read_text())["edits"]
    assert_untouched(edits, source, soundfile.read(beside, dtype="int32")[0])
    assert edit.main([str(out), "--undo"]) == 0
    assert beside.read_bytes() == first
    assert edit.main([str(out), "--undo"]) == 0  # and the original, on all tracks
    assert np.array_equal(soundfile.read(beside, dtype="int32")[0], source)
    assert edit.main([str(out), "--redo"]) == 0
    assert beside.read_bytes() == first
    beside.write_bytes(guest.read_bytes())  # somebody's own file now
    assert edit.main([str(out), "--redo"]) == 0  # the history is a3t's to repeat


def test_a_track_that_cannot_be_is_refused(
    tracks: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    host, guest = tracks
    twin = host.parent / "more" / "guest.flac"
    twin.parent.mkdir()
    twin.write_bytes(guest.read_bytes())
    own = host.with_name("guest.edited.wav")
    own.write_bytes(host.read_bytes())
    before = sorted(host.parent.iterdir())
    for files, reason in (
        ([host], "is the recording itself"),
        ([guest, twin], "the same name"),
        ([guest], "a3t did not make it"),
        ([host.with_name("nobody.wav")], "does not exist"),
    ):
        with_them = [part for file in files for part in ("--with", str(file))]
        command = [str(host), "--text", ARCTIC, "--new-text", SHORTER, *with_them]
        assert edit.main(command) == 1
        assert reason in capsys.readouterr().err
    assert sorted(host.parent.iterdir()) == before


def test_a_track_is_the_one_that_it_was(tracks: tuple[Path, Path], editor: Editor) -> None:
    host, guest = tracks
    asked = {"text": ARCTIC, "new_text": SHORTER}
    plan = editor.plan(host, tracks=tracks_of([guest, str(guest)]), **asked)
    assert len(plan.request.tracks) == 1
    guest.write_bytes(host.read_bytes())
    with pytest.raises(InputError, match="sha256"):
        editor.plan(host, plan.request)


def test_cleaning_cuts_nothing_that_another_says(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The host's long pause is the guest's turn; where both are silent it is shortened."""
    speech, rate = soundfile.read(arctic, dtype="int16")
    gap = noise(len(speech) + 2 * rate, 6)
    host = np.r_[speech, gap, speech]
    answer = noise(len(host), 7)
    silent = answer.copy()
    answer[len(speech) + rate :][: len(speech)] = speech
    soundfile.write(tmp_path / "host.wav", host, rate)
    command = [str(tmp_path / "host.wav"), "--text", f"{ARCTIC} {ARCTIC}", "--with"]
    for name, track, cut in (("answer", answer, False), ("silent", silent, True)):
        soundfile.write(tmp_path / f"{name}.wav", track, rate)
        assert clean.main([*command, str(tmp_path / f"{name}.wav")]) == 0
        made = tmp_path / f"{name}.edited.wav"
        assert made.exists() == cut
        if cut:
            length = soundfile.info(tmp_path / "host.edited.wav").frames
            assert soundfile.info(made).frames == length < len(host) - rate
