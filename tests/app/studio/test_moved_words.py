"""Words that are cut here and pasted there, or recorded for a change, keep their recording."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import soundfile

from a3t.audio.output.provenance import provenance_of
from a3t.projects.replay import replay
from app.service import Service
from app.studio.storage.folders import ProjectFolder
from app.studio.storage.packed_project import unpack
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, uploaded


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
        folder.keep(replace(folder.document, done=()))
