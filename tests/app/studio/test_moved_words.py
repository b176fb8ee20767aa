"""Words that are cut here and pasted there, or recorded for a change, keep their recording."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.audio.output.provenance import provenance_of
from a3t.editor import Editor
from a3t.projects.replay import replay
from a3t.projects.store.folder import ProjectFolder
from a3t.projects.store.packed_project import unpack
from app.service import Service
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_of, uploaded
from tests.conftest import ARCTIC

TURNED = "in the superlative degree. And you always want to see it"


def test_pasted_words_are_moved_and_another_take_is_made(project: Project) -> None:
    tokens = project.listened()["tokens"]
    ids = [token[0] for token in tokens]
    cut = {"after": -1, "tokens": ids[:6], "text": ""}
    pasted = {"after": ids[8], "tokens": [], "text": " ".join(token[1] for token in tokens[:6])}
    project.save(cut, pasted)
    made = project.made()
    key = next(edit["key"] for edit in made["edits"] if edit["text"])
    (take,) = made["takes"][key]
    assert take["recorded"] < tokens[1][2]
    assert take["seconds"] > 0.8 * (tokens[5][3] - tokens[0][2])
    files = project.files()
    (original, rate), (edited, _) = (
        soundfile.read(io.BytesIO(files[name]), dtype="int16")
        for name in ("talk.wav", "talk.edited.wav")
    )
    first = round(tokens[2][2] * rate)  # in the middle of what was moved, sample for sample
    assert original[first : first + rate // 10].tobytes() in edited.tobytes()
    project.post("takes", {"key": key})
    takes = project.until(lambda state: len(state["takes"][key]) > 1)["takes"][key]
    assert takes[1]["recorded"] is None


def test_words_recorded_for_a_change_are_a_take_that_is_made_again(
    project: Project, studio: Studio, service: Service, arctic: Path, tmp_path: Path
) -> None:
    state = project.listened()
    project.save(change(state, "want", "always"))
    (key,) = project.made()["takes"]
    spoken = service.folder / "spoken" / "microphone.WAV"
    spoken.parent.mkdir()
    samples, rate = soundfile.read(arctic)
    soundfile.write(spoken, 0.3 * samples, rate)  # in a sentence, and not as loud
    project.post("said", {"key": key, "upload": uploaded(project.client, spoken)})
    said = lambda state: [t for t in state["takes"][key] if t.get("punch_in")]  # noqa: E731
    (take,) = said(project.until(lambda state: state["failures"] or said(state)))
    assert take["recorded"] is None
    project.post("said", {"key": key, "upload": "/etc/hostname"}, 400)
    silence = spoken.with_name("silence.wav")
    soundfile.write(silence, 0 * samples, rate)
    project.post("said", {"key": key, "upload": uploaded(project.client, silence)})
    project.until(lambda state: not state["making"])
    (own,) = studio.projects.root.glob("*/*/said/*")  # of a take that failed nothing stays
    assert own.read_bytes() == spoken.read_bytes()
    project.save(change(state, "want", "always", take=take["number"]))
    for name, content in project.files().items():
        (tmp_path / name).write_bytes(content)
    record = json.loads((tmp_path / "talk.edited.edit.json").read_text())
    (part,) = record["edits"][0]["taken"]
    assert part["punch_in"] and (tmp_path / part["path"]).read_bytes() == spoken.read_bytes()
    assert provenance_of(tmp_path / "talk.edited.wav").synthetic_seconds == 0
    again = replay(tmp_path / "talk.edited.edit.json").save(tmp_path / "again.wav")
    assert again.read_bytes() == (tmp_path / "talk.edited.wav").read_bytes()
    unpacked = tmp_path / "unpacked"
    packed = tmp_path / "talk.a3t.zip"
    packed.write_bytes(project.client.get(f"{project.at}/file").content)
    unpacked.mkdir()
    unpack(packed, unpacked, 10**9)
    assert (unpacked / "said" / part["path"]).read_bytes() == spoken.read_bytes()
    kept = ProjectFolder(unpacked).takes(key)
    with zipfile.ZipFile(packed) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    at = f"takes/{key}/{take['number']}/request.json"
    for k, elsewhere in enumerate((str(arctic), f"../{part['path']}", "said-0123456789ab.wav")):
        forged = json.loads(members[at])  # a recording that isn't in the file
        forged["asked"]["others"][0]["path"] = elsewhere
        with zipfile.ZipFile(packed, "w") as archive:
            for name, data in {**members, at: json.dumps(forged).encode()}.items():
                archive.writestr(name, data)
        folder = tmp_path / f"forged {k}"
        folder.mkdir()
        unpack(packed, folder, 10**9)
        takes = ProjectFolder(folder).takes(key)
        assert takes == [each for each in kept if not each.punch_in] != kept
    # Reverted, it stays as long as that can be undone, in a project's file as well.
    project.step(gone=project.state["edits"], come=[], label="revert")
    packed.write_bytes(project.client.get(f"{project.at}/file").content)
    assert f"said/{part['path']}" in zipfile.ZipFile(packed).namelist()
    folder = ProjectFolder(own.parents[1])
    for is_there in (True, False):
        studio._open.clear()  # as when the server was started anew
        project.state  # noqa: B018  (opens it)
        assert own.exists() is is_there
        assert any(take.punch_in for take in folder.takes(key)) is is_there
        folder.write(replace(folder.document, done=()))


@pytest.fixture
def turned(service: Service, editor: Editor, arctic: Path) -> Path:
    """An upload in which the sentence's halves have changed places, so that it says `TURNED`."""
    path = service.folder / "spoken" / "An answer.wav"
    path.parent.mkdir(exist_ok=True)
    samples, rate = soundfile.read(arctic)
    middle = round(editor.align(arctic, ARCTIC).spoken[7].start * rate)
    soundfile.write(path, np.concatenate([samples[middle:], samples[:middle]]) / 2, rate)
    return path


def test_words_of_another_recording_are_pasted(
    project: Project, studio: Studio, turned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are taken from it: in the export, made again, in another project, after it is gone."""
    monkeypatch.setattr("app.studio.work.take_orders.NEAR", 0)  # as of a long one
    own = turned
    tokens = project.listened()["tokens"]
    upload = uploaded(project.client, own)
    project.post("recordings", {"upload": upload, "text": TURNED})
    (listed,) = project.state["recordings"]
    assert (listed["name"], listed["seconds"] > 1) == ("An answer.wav", True)
    (other,) = project.until(lambda state: state["recordings"][0]["said"])["recordings"]
    assert other["said"] == TURNED
    sound = project.client.get(f"{project.at}/recordings/{other['file']}")
    assert sound.content == own.read_bytes()
    ids = [token[0] for token in tokens]
    words = TURNED.split()[2:7]  # which stand nowhere in the project's own
    first = {"after": ids[1], "tokens": [], "text": " ".join(words)}
    second = {"after": ids[7], "tokens": [], "text": " ".join(TURNED.split()[3:9])}
    project.save(first, second)
    takes = project.made()["takes"]
    key, take = next((key, own[0]) for key, own in takes.items() if own[0]["recorded"] < 1)
    assert all(own[0]["other"] == other["file"] for own in takes.values()) and len(takes) == 2
    assert take["other"] == other["file"] and 0 < take["recorded"] < 1
    for name, content in project.files().items():
        (tmp_path / name).write_bytes(content)
    record = json.loads((tmp_path / "talk.edited.edit.json").read_text())
    (part,) = record["edits"][0]["taken"]
    assert part["path"] == other["file"]
    assert (tmp_path / other["file"]).read_bytes() == own.read_bytes()
    assert provenance_of(tmp_path / "talk.edited.wav").synthetic_seconds == 0
    edited, _ = soundfile.read(tmp_path / "talk.edited.wav")
    source, _ = soundfile.read(own)
    (first, last), begin = part["source"], part["output"][0]
    heard, said = edited[begin + 400 : begin + last - first - 400], source[first + 400 : last - 400]
    assert np.corrcoef(heard, said)[0, 1] > 0.99  # at another level
    again = replay(tmp_path / "talk.edited.edit.json").save(tmp_path / "again.wav")
    assert again.read_bytes() == (tmp_path / "talk.edited.wav").read_bytes()
    project.post("takes", {"key": key})  # another take is made
    takes = project.until(lambda state: len(state["takes"][key]) > 1)["takes"][key]
    assert "other" not in takes[1]

    packed = own.with_name("talk.a3t.zip")
    packed.write_bytes(project.client.get(f"{project.at}/file").content)
    with zipfile.ZipFile(packed) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    (listed,) = json.loads(members["recordings.json"])["recordings"]
    lies: list[Any] = [[listed, listed], [listed | {"file": "../x"}], [listed | {"kind": "x"}], 5]
    for lie in lies:
        with zipfile.ZipFile(packed.with_name("lie.a3t.zip"), "w") as archive:
            for name, data in {**members, "recordings.json": json.dumps(lie).encode()}.items():
                archive.writestr(name, data)
        upload = uploaded(project.client, packed.with_name("lie.a3t.zip"))
        answer = project.client.post("/projects", json={"upload": upload, "onto": "both"})
        assert answer.status_code == 400 and "not a project" in answer.json()["detail"], lie
    with client_of(studio) as client:
        there = Project(client, {"upload": str(packed)})
        assert there.state["recordings"] == [other]
        there.until(lambda state: state["sound"])
        assert there.state["takes"] == project.state["takes"]
        assert there.files()["talk.edited.wav"] == (tmp_path / "talk.edited.wav").read_bytes()

    kept = ProjectFolder(next(studio.projects.root.glob(f"*/{project.at[10:]}")))
    project.post("recordings/remove", {"file": other["file"]})
    assert project.state["recordings"] == [] and not list(kept.path.glob("recordings/*"))
    project.step(gone=project.state["edits"], come=[], label="revert")
    for is_there in (True, False):  # as long as undo may bring its words back
        studio._open.clear()
        project.state  # noqa: B018
        assert [path.name for path in kept.path.glob("said/*")] == [other["file"]] * is_there
        kept.write(replace(kept.document, done=()))


def test_other_recordings_have_limits_and_come_back(
    project: Project,
    studio: Studio,
    turned: Path,
    arctic: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file that can't be used says so; one that was left when the server was killed is heard
    after it."""
    project.listened()
    silence = turned.with_name("silence.wav")
    soundfile.write(silence, np.zeros(16000), 16000)
    project.post("recordings", {"upload": "/etc/hostname"}, 400)
    text = uploaded(project.client, __file__)
    assert "not a sound file" in project.post("recordings", {"upload": text}, 400)["detail"]
    project.post("recordings", {"upload": uploaded(project.client, silence)})
    (bad,) = project.until(lambda s: s["recordings"][0]["problem"])["recordings"]
    assert "said-" not in bad["problem"] and "/" not in bad["problem"]
    wrong = {
        "upload": uploaded(project.client, turned),
        "text": "Nothing of the sort is said here.",
    }
    project.post("recordings", wrong)
    wrong = project.until(lambda s: s["recordings"][1]["problem"])["recordings"][1]
    same = {"upload": uploaded(project.client, arctic), "kind": "track"}
    assert "recording itself" in project.post("recordings", same, 400)["detail"]
    for each in (bad, wrong):
        project.post("recordings/remove", {"file": each["file"]})
    project.post("recordings/remove", {"file": "../project.json"})
    upload = {"upload": uploaded(project.client, turned), "text": TURNED}
    project.post("recordings", upload)
    (other,) = project.until(lambda s: s["recordings"][0]["said"])["recordings"]
    (kept,) = studio.projects.root.glob(f"*/{project.at[10:]}/recordings/*")
    assert len(list(kept.parents[1].glob("said/*"))) == 1
    kept.unlink()
    studio._open.clear()
    assert project.until(lambda s: s["recordings"][0]["said"])["recordings"] == [other]
    monkeypatch.setattr("app.limits.MAX_TRACK_SECONDS", 6.0)
    assert "together" in project.post("recordings", upload, 400)["detail"]
    monkeypatch.setattr("app.studio.further_recordings.MAX_OTHERS", 1)
    assert "No more recordings" in project.post("recordings", upload, 400)["detail"]
    assert len(list(kept.parents[1].glob("said/*"))) == 1


def test_tracks_stay_in_step(
    studio: Studio, service: Service, editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    """Every change is made on each, in the zip, where two may have one name, and in a project's
    file; what is said on one isn't cleaned away."""
    sound, rate = soundfile.read(arctic, dtype="int16")
    middle = round(editor.align(arctic, ARCTIC).spoken[7].start * rate)
    sound = np.concatenate([sound[:middle], np.tile(sound[: rate // 4], 6), sound[middle:]])
    noise = np.random.default_rng(0).normal(0, 12, len(sound)).astype(np.int16)
    guest = service.folder / "guests" / "guest.flac"
    guest.parent.mkdir(exist_ok=True)
    soundfile.write(guest.with_name("talk.flac"), sound, rate)
    client = client_of(studio)
    project = Project(client, {"upload": str(guest.with_name("talk.flac")), "text": ARCTIC})
    project.listened()
    asked = {"kinds": ["pause"], "longest": 0.5}
    pauses = project.post("cleaning", asked)["found"]
    spoken = noise.copy()
    first, last = (round(pauses[-1][end] * rate) for end in ("start", "end"))
    spoken[first:last] = sound[rate // 2 :][: last - first]
    soundfile.write(guest, spoken, rate)
    other = guest.with_name("talk.wav")  # as the recording is called
    soundfile.write(other, np.repeat(noise, 2), 2 * rate)
    project.save(change(project.state, "always", ""))  # before it a track would join the script
    for path in (guest, other):
        project.post("recordings", {"upload": uploaded(project.client, path), "kind": "track"})
    project.until(lambda state: all(each["said"] == "" for each in state["recordings"]))
    assert project.post("cleaning", asked)["found"] == pauses[:-1]
    project.save(
        change(project.state, "always", ""), change(project.state, "degree", "degree [pause 1]")
    )
    assert not project.made()["failures"]
    for name, content in project.files().items():
        (tmp_path / name).write_bytes(content)
    record = json.loads((tmp_path / "talk.edited.edit.json").read_text())
    assert [track["path"] for track in record["asked"]["tracks"]] == ["guest.flac", "talk-2.wav"]
    assert (tmp_path / "talk-2.wav").read_bytes() == other.read_bytes()
    made, step, wide = (
        soundfile.read(tmp_path / f"{name}.edited.flac", dtype="int16")[0]
        for name in ("talk", "guest", "talk-2")
    )
    assert len(made) == len(step) != len(sound)
    assert len(wide) == 2 * len(made)
    assert np.array_equal(step[: rate // 4], noise[: rate // 4])
    again = replay(tmp_path / "talk.edited.edit.json").save(tmp_path / "again.flac")
    assert again.read_bytes() == (tmp_path / "talk.edited.flac").read_bytes()
    packed = guest.with_name("talk.a3t.zip")
    packed.write_bytes(project.client.get(f"{project.at}/file").content)
    with client_of(studio) as client:
        there = Project(client, {"upload": str(packed)})
        there.until(lambda s: s["sound"] and all(each["said"] == "" for each in s["recordings"]))
        assert there.files()["guest.edited.flac"] == (tmp_path / "guest.edited.flac").read_bytes()
