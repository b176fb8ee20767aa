"""A file for each speaker, joined: one script, each speaker's words, a mix and tracks."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile
from starlette.testclient import TestClient

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.request import EditRequest
from a3t.projects.store.project_state import SpeakerTrack
from a3t.projects.store.words import Token
from alignment import Word
from app.service import Service
from app.studio.speaker_tracks import speaker_name
from app.studio.work.take_making import own_channels
from app.studio.work.take_orders import TakeJob
from app.studio.work.tracks import join_tracks
from tests.app.studio.conftest import Project, change, uploaded
from tests.audio.films import film
from tests.conftest import ARCTIC

QUIET: Any = SimpleNamespace(progress=None)


def in_turns(samples: np.ndarray, turns: Sequence[int]) -> list[np.ndarray]:
    """The same sentence once for each turn, on the track of whoever's turn it is."""
    tracks = [np.zeros((len(turns), len(samples)), samples.dtype) for _ in range(max(turns) + 1)]
    for n, turn in enumerate(turns):
        tracks[turn][n] = samples
    return [track.reshape(-1) for track in tracks]


@pytest.fixture
def tracks(arctic: Path, tmp_path: Path) -> list[Path]:
    samples, rate = soundfile.read(arctic, dtype="int16")
    paths = [tmp_path / "host.wav", tmp_path / "guest.wav"]
    for path, track in zip(paths, in_turns(samples, [0, 1]), strict=True):
        soundfile.write(path, track, rate)
    return paths


def test_two_tracks_are_one_script_a_mix_and_two_files(
    client: TestClient, tracks: list[Path]
) -> None:
    """An edit on each lands on its own track alone, and both stay in step to the sample."""
    data = {"upload": tracks[0], "text": f"{ARCTIC} {ARCTIC}"}
    project = Project(client, data | {"tracks": [uploaded(client, tracks[1])]})
    state = project.listened()
    said = [(row[6], row[1]) for row in state["tokens"]]
    count = len(ARCTIC.split())
    assert [name for name, _ in said] == ["HOST"] * count + ["GUEST"] * count
    assert [each["name"] for each in state["tracks"]] == ["HOST", "GUEST"]
    assert state["sound"]["channels"] == 2
    later = {**state, "tokens": state["tokens"][count:]}
    guest = change(later, "always", "never ever")
    guest["after"] = state["tokens"][count + 1][0]
    project.save(change(state, "always", "never"), guest)
    project.made()
    files = project.files()
    sounds = {
        name: soundfile.read(io.BytesIO(data), dtype="int16", always_2d=True)[0]
        for name, data in files.items()
        if name.endswith(".wav")
    }
    both = sounds["host-guest.edited.wav"]
    host, guest_sound = (sounds[f"host-guest.edited.{name}.wav"] for name in ("host", "guest"))
    assert np.array_equal(both, np.concatenate([host, guest_sound], axis=1))
    mix = sounds["host-guest.edited.mix.wav"].astype(int)
    assert np.abs(mix[:, 0] - both.astype(int).sum(axis=1)).max() <= 1
    old = [soundfile.read(path, dtype="int16")[0] for path in tracks]
    assert len(both) != len(old[0])
    half = len(old[0]) // 2
    assert np.array_equal(both[: half // 8, 0], old[0][: half // 8])
    assert np.array_equal(both[-half // 8 :, 1], old[1][-half // 8 :])
    assert np.abs(both[: half // 2, 1]).max() < 40 > np.abs(both[-half // 2 :, 0]).max()
    transcript = files["host-guest.edited.md"].decode()
    assert "HOST" in transcript.upper() and "GUEST" in transcript.upper()


def test_where_two_speak_at_once_only_the_speaker_s_track_is_changed(
    client: TestClient, tracks: list[Path]
) -> None:
    """The other keeps its words; they are cut only where the change takes time, which is said."""
    samples, rate = soundfile.read(tracks[1], dtype="int16")
    sentence = samples[len(samples) // 2 :]
    at = round(0.5 * rate)
    samples[at : at + len(sentence) // 2] = sentence[: len(sentence) // 2] // 3
    soundfile.write(tracks[1], samples, rate)
    data = {"upload": tracks[0], "text": f"{ARCTIC} {ARCTIC}"}
    project = Project(client, data | {"tracks": [uploaded(client, tracks[1])]})
    state = project.listened()
    assert state["tokens"][2][6] == "HOST"
    longer = change(state, "always", "never once upon a time")
    project.save(longer)
    (take,) = next(iter(project.made()["takes"].values()))
    assert "Another speaker" not in " ".join(take["doubts"])
    files = project.files()
    sound, _ = soundfile.read(io.BytesIO(files["host-guest.edited.wav"]), dtype="int16")
    more = len(sound) - len(samples)
    assert more > 0
    ((first, last),) = [span["source"] for span in take["spans"]]
    old, new = samples[first:last], sound[first : last + more, 1]
    same = [
        np.argmin(a == b) for a, b in ((old, new[: len(old)]), (old[::-1], new[::-1][: len(old)]))
    ]
    assert sum(same) > len(old) - 0.2 * rate  # all of it, but for a pause that is put in
    project.save(change(state, "always", ""))
    (take,) = next(iter(project.made()["takes"].values()))
    assert any("Another speaker" in doubt for doubt in take["doubts"])


def test_a_speaker_s_channels_are_found_up_to_the_ends_of_the_recording(tmp_path: Path) -> None:
    path, rate = tmp_path / "two.wav", 8000
    sound = np.zeros((2 * rate, 2), np.int16)
    sound[:rate, 0] = sound[rate:, 1] = 3000
    soundfile.write(path, sound, rate)
    words = (Word("one", 0.0, 1.0), Word("two", 1.0, 2.0))
    tokens = [Token(k, word.text, (word,), False, speaker=str(k)) for k, word in enumerate(words)]
    tracks = (SpeakerTrack("A", channels=1, level=0.01), SpeakerTrack("B", channels=1, level=0.01))
    for k in range(2):
        job = TakeJob(
            recording=Recording.open(path), channels=2, tokens=tokens, pauses=(), first=k,
            last=k + 1, text="x", cut=None, room=(1, 1), request=EditRequest(new_text="x"),
            tracks=tracks,
        )  # fmt: skip
        assert own_channels(job) == (k,)


def test_words_that_move_to_another_track_are_heard_there_on_their_own(
    client: TestClient, tracks: list[Path]
) -> None:
    data = {"upload": tracks[0], "text": f"{ARCTIC} {ARCTIC}"}
    project = Project(client, data | {"tracks": [uploaded(client, tracks[1])]})
    tokens = project.listened()["tokens"]
    moved = [row[0] for row in tokens[1:6]]
    text = " ".join(row[1] for row in tokens[1:6])
    last = tokens[-1][0]
    recorded = [{"at": 0, "tokens": moved}]
    project.save({"after": last, "tokens": [], "text": text, "recorded": recorded})
    assert not project.made()["failures"]
    files = project.files()
    sound, _ = soundfile.read(io.BytesIO(files["host-guest.edited.wav"]), dtype="int16")
    before, _ = soundfile.read(tracks[0], dtype="int16")
    added = sound[-(len(sound) - len(before)) - 4000 :]
    loud = np.abs(added).max(axis=0)
    assert loud[0] > 10 * loud[1]
    record = json.loads(files["host-guest.edited.edit.json"])
    assert record["edits"][0]["taken"]


def test_a_track_joins_a_recording_until_it_is_changed(
    client: TestClient, tracks: list[Path]
) -> None:
    project = Project(client, {"upload": tracks[0], "text": f"{ARCTIC} {ARCTIC}"})
    project.listened()
    added = {"upload": uploaded(client, tracks[1]), "kind": "track"}
    project.post("recordings", added)
    state = project.until(lambda state: state["sound"]["channels"] == 2 and state["tokens"])
    state = project.listened()
    assert [row[6] for row in state["tokens"]][::20] == ["HOST", "GUEST"]
    assert state["recordings"] == []
    project.save(change(state, "always", "never"))
    project.made()
    project.post("recordings", {**added, "upload": uploaded(client, tracks[1])})
    assert len(project.state["tracks"]) == 2  # sent again after a kill, it is there already
    third = tracks[1].with_name("third.wav")
    samples, rate = soundfile.read(tracks[1], dtype="int16")
    soundfile.write(third, samples[::-1], rate)
    project.post("recordings", {**added, "upload": uploaded(client, third)})
    assert [each["kind"] for each in project.state["recordings"]] == ["track"]


def test_a_film_keeps_its_picture_beside_a_track(
    client: TestClient, service: Service, arctic: Path, tracks: list[Path]
) -> None:
    path = film(service.folder / "talk.mkv", arctic, "flac", "libvpx-vp9")
    project = Project(client, {"upload": str(path), "text": ARCTIC})
    project.listened()
    project.post("recordings", {"upload": uploaded(client, tracks[1]), "kind": "track"})
    state = project.until(lambda state: state["recordings"])
    assert state["film"] is not None and not state["tracks"]
    with pytest.raises(InputError, match="picture"):
        join_tracks(QUIET, [path, tracks[1]], tracks[1].with_name("joined.wav"))


def test_joined_tracks_are_theirs_and_a_shorter_one_is_silent_after_its_end(
    tmp_path: Path,
) -> None:
    rate, chance = 16000, np.random.default_rng(1)
    long, short = (chance.integers(-9000, 9000, n, np.int16) for n in (40000, 24001))
    slow = (0.3 * np.sin(np.arange(20000) / 7)).astype(np.float32)  # half the rate
    names = [tmp_path / f"{name}.wav" for name in ("long", "short", "slow")]
    soundfile.write(names[0], long, rate)
    soundfile.write(names[1], short, rate)
    soundfile.write(names[2], slow, rate // 2, "FLOAT")
    shapes = join_tracks(QUIET, names[:2], tmp_path / "two.wav")
    assert [shape.channels for shape in shapes] == [1, 1]
    found, _ = soundfile.read(tmp_path / "two.wav", dtype="int16")
    assert np.array_equal(found[:, 0], long)
    assert np.array_equal(found[:, 1], np.pad(short, (0, 40000 - 24001)))
    join_tracks(QUIET, names, tmp_path / "three.wav")
    three, _ = soundfile.read(tmp_path / "three.wav")
    assert soundfile.info(tmp_path / "three.wav").subtype == "FLOAT"
    assert np.abs(three[200:-200:2, 2] - slow[100:-100]).max() < 1e-2
    with pytest.raises(InputError, match="recording itself"):
        join_tracks(QUIET, [names[0], names[0]], tmp_path / "again.wav")


def test_names_of_speakers_come_from_their_files() -> None:
    assert speaker_name("02_Anna-Smith.wav", ()) == "ANNA SMITH"
    assert speaker_name("ZOOM0001.wav", ["HOST"]) == "ZOOM"
    assert speaker_name("1.wav", ["HOST"]) == "Speaker 2"
    assert speaker_name("host.flac", ["HOST"]) == "Speaker 2"
