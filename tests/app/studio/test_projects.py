"""A project through the job interface: opened, edited, corrected, found again, taken home."""

import io
import json
import re
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from starlette.testclient import TestClient

from app.service import Service
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_of
from tests.conftest import ARCTIC, assert_untouched


def test_from_upload_to_download(project: Project, arctic: Path) -> None:
    state = project.listened()
    assert " ".join(token[1] for token in state["tokens"]) == ARCTIC
    project.save(change(state, "always", "never"), change(state, "superlative degree", ""))
    state = project.made()
    assert not state["failures"]
    files = project.files()
    assert set(files) == {
        "talk.wav",
        *(f"talk.edited{e}" for e in (".wav", ".edit.json", ".txt", ".TextGrid", ".srt", ".vtt")),
        *(f"talk.edited{e}" for e in (".labels.txt", ".labels.phones.txt", ".edits.csv", ".edl")),
        *(f"talk.edited{e}" for e in (".rpp", ".md", ".fcpxml", ".otio", ".xml", ".docx")),
    }
    whole = project.client.get(f"{project.at}/download")
    assert "talk.edited.zip" in whole.headers["content-disposition"]
    one = project.client.get(f"{project.at}/download?part=audio")
    assert one.content == files["talk.edited.wav"]
    assert "talk.edited.wav" in one.headers["content-disposition"]
    assert project.client.get(f"{project.at}/download?part=../talk.wav").status_code == 404
    for kind in (".rpp", ".fcpxml", ".otio", ".xml"):  # both sounds lie beside it
        text = files[f"talk.edited{kind}"].decode()
        names = re.findall(r"[^\"<> ]*talk(?:\.edited)?\.wav", text)
        assert set(names) == {"talk.wav", "talk.edited.wav"}, kind
    for name, content in files.items():  # nothing tells where the server keeps its files
        assert b"projects" not in content and b"/tmp" not in content, name
    assert files["talk.edited.txt"].decode().strip() == "And you never want to see it in the"
    told = json.loads(files["talk.edited.edit.json"])
    before, _ = soundfile.read(arctic, dtype="int16")
    after, _ = soundfile.read(io.BytesIO(files["talk.edited.wav"]), dtype="int16")
    assert [edit["op"] for edit in told["edits"]] == ["replace", "delete"]
    assert_untouched(told["edits"], before, after)
    assert len(after) != len(before)
    assert told["source"]["path"] == "talk.wav"


def test_what_is_heard_on_the_page_is_what_is_taken_home(project: Project) -> None:
    project.save(change(project.listened(), "always", "seldom"))
    (takes,) = project.made()["takes"].values()
    (key,) = project.state["takes"]
    heard = project.client.get(f"{project.at}/takes/{key}-0/sound").content
    files = project.files()
    told = json.loads(files["talk.edited.edit.json"])
    after, _ = soundfile.read(io.BytesIO(files["talk.edited.wav"]), dtype="int16")
    (edit,) = told["edits"]
    assert takes[0]["spans"][0]["source"] == edit["source"]
    assert np.abs(after[slice(*edit["output"])] - np.frombuffer(heard, "<i2")).max() <= 1


def test_takes_differ_are_level_and_one_is_chosen(project: Project) -> None:
    state = project.listened()
    project.save(change(state, "always", "never"))
    (key,) = project.made()["takes"]
    project.post("takes", {"key": key})
    project.made(2)
    project.post("takes", {"key": key, "pace": 0.8})
    takes = project.made(3)["takes"][key]
    sounds = [project.client.get(f"{project.at}/takes/{key}-{k}/sound").content for k in range(3)]
    assert len(set(sounds)) == 3
    assert takes[2]["words"][0]["end"] - takes[2]["words"][0]["start"] > 1.1 * (
        takes[0]["words"][0]["end"] - takes[0]["words"][0]["start"]
    )
    levels = [10 * np.log10(np.square(np.frombuffer(s, "<i2") / 32768).mean()) for s in sounds]
    assert max(levels) - min(levels) < 3.0
    project.save(change(state, "always", "never", take=2))
    told = json.loads(project.files()["talk.edited.edit.json"])
    assert told["edits"][0]["source"] == takes[2]["spans"][0]["source"]


def test_another_length_of_a_take_is_no_further_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.studio.project_takes.MAX_LENGTHS", 2)
    state = project.listened()
    project.save(change(state, "always", "never"))
    (key,) = project.made()["takes"]
    last = 0
    for n in range(1, 4):
        for _ in range(2):  # a page that missed the answer sends it again
            project.post("takes", {"key": key, "take": last, "pace": 0.95**n, "request": f"r{n}"})
        lengths = project.until(lambda state: state["takes"][key][-1]["number"] > last)  # noqa: B023
        last = lengths["takes"][key][-1]["number"]
    takes = lengths["takes"][key]
    assert {take.get("base") for take in takes[1:]} == {0} and len(takes) == 3
    assert takes[-1]["seconds"] > takes[0]["seconds"]


def test_a_misheard_word_is_corrected_and_never_made(project: Project, upload: str) -> None:
    misheard = ARCTIC.replace("superlative", "relative")
    other = Project(project.client, {"upload": upload, "text": misheard})
    state = other.listened()
    other.save(change(state, "always", "never"))
    other.made()
    other.correct(change(state, "relative", "superlative"))
    state = other.until(lambda state: "superlative" in [token[1] for token in state["tokens"]])
    assert [token[1] for token in state["tokens"]] == ARCTIC.split()
    scores = {token[1]: token[4] for token in state["tokens"]}
    assert scores["superlative"] > 0.5
    assert len(state["edits"]) == 1 and len(state["takes"]) == 1
    told = json.loads(other.files()["talk.edited.edit.json"])
    assert told["text"] == ARCTIC and len(told["edits"]) == 1
    starts = [token[2] for token in state["tokens"]]
    assert starts == sorted(starts)


def test_without_a_text_it_is_recognised(client: TestClient, upload: str) -> None:
    project = Project(client, {"upload": upload})
    state = project.listened()
    heard = [token[1] for token in state["tokens"]]
    assert "always want to see it" in " ".join(heard).lower()
    if state["marks"] is None:  # none were restored: no network for them is shipped
        return
    project.set_words(marks=False)
    plain = project.state
    assert plain["marks"] is False
    assert [token[1] for token in plain["tokens"]] == [word.lower().strip(".,?:") for word in heard]
    assert [token[0] for token in plain["tokens"]] == [token[0] for token in state["tokens"]]
    project.set_words(marks=True)
    assert project.state["tokens"] == state["tokens"]


def test_a_word_is_not_moved_past_its_neighbours(project: Project) -> None:
    tokens = project.listened()["tokens"]
    token, after = tokens[2], tokens[3]
    project.set_words(times=[[token[0], token[2] + 0.02, 99]])
    moved = project.state["tokens"][2]
    assert moved[2] == pytest.approx(token[2] + 0.02, abs=1e-3)
    assert moved[3] == pytest.approx(after[2], abs=1e-3)
    for impossible in ([token[0], 1.0, 1.001], [2**39, 0, 1]):
        assert project.set_words(times=[impossible])["refused"] == [1]
    assert project.state["tokens"][2] == moved and len(project.state["done"]) == 1
    for nonsense in ([], [2**60, 0, 1], [token[0], "x", 1], [token[0], -1, 1]):
        step = {"n": 1, "now": {"times": [nonsense]}}
        project.post("script", {"page": "x", "steps": [step]}, 400)


def test_everything_is_found_again(project: Project, studio: Studio, client: TestClient) -> None:
    state = project.listened()
    project.save(change(state, "always", "never"))
    before = project.made()
    again = Studio(studio.service, studio.projects.root)
    with client_of(again) as other:
        other.cookies = client.cookies
        (found,) = other.get("/projects").json()
        assert found["id"] in project.at and found["edits"] == 1
        after = other.get(project.at).json()
        for name in ("tokens", "edits", "takes", "revision", "sound"):
            assert after[name] == before[name]
        assert other.get(f"{project.at}/sound/0").content


def test_a_change_that_was_not_made_is_made_after_a_restart(
    project: Project, studio: Studio, client: TestClient
) -> None:
    state = project.listened()
    found = studio.find(next(studio.projects.root.iterdir()).name, project.at.rpartition("/")[2])
    assert found is not None
    edit = change(state, "always", "never")
    script = found.folder.path / "script.json"
    script.write_text(json.dumps({"revision": 1, "edits": [edit]}))  # and then it was killed
    with client_of(Studio(studio.service, studio.projects.root)) as other:
        other.cookies = client.cookies
        project.client = other
        (takes,) = project.made()["takes"].values()
        assert takes[0]["words"][0]["text"] == "never"


def test_sentences_for_what_cannot_be_made(project: Project) -> None:
    state = project.listened()
    project.save(change(state, "always", "Καλημέρα"))
    (sentence,) = project.made()["failures"].values()
    assert "Καλημέρα" in sentence and "/" not in sentence
    assert project.post("export", {}, 400)["detail"].endswith(sentence)


def test_the_wrong_text_is_said_to_be_wrong(client: TestClient, upload: str) -> None:
    text = "The weather will be sunny on Thursday afternoon."
    state = Project(client, {"upload": upload, "text": text}).listened()
    assert "doesn't match the recording" in state["listening"]["problem"]


def test_what_is_heard_between_the_words_is_kept(project: Project, studio: Studio) -> None:
    """Pauses are known with the words, so that an edit and its edit.json have them as they are."""
    project.listened()
    found = studio.find(next(studio.projects.root.iterdir()).name, project.at.rpartition("/")[2])
    assert found is not None
    heard = found.folder.heard(0)
    times = [(pause.start, pause.end) for pause in heard.pauses]
    assert times and times == sorted(times)
    project.correct(change(project.state, "superlative", "relative"))
    project.until(lambda state: "relative" in [token[1] for token in state["tokens"]])
    times = [(pause.start, pause.end) for pause in found.folder.heard(0).pauses]
    assert times == sorted(times)
    assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(times))


def test_a_length_is_dragged(project: Project) -> None:
    """The length of one word, when the others keep theirs, or of the whole change."""
    project.save(change(project.listened(), "always want", "never hope"))
    (key,) = project.made()["takes"]
    first = project.state["takes"][key][0]
    project.post("takes", {"key": key, "take": 0, "word": 0, "seconds": 0.6})
    state = project.until(lambda state: len(state["takes"][key]) == 2)
    second = state["takes"][key][1]
    lengths = [[word["end"] - word["start"] for word in t["words"]] for t in (first, second)]
    assert lengths[1][0] == pytest.approx(0.6, abs=0.01)
    assert lengths[1][1] == pytest.approx(lengths[0][1], abs=0.01)
    project.post("takes", {"key": key, "duration": 0.8})
    words = project.made(3)["takes"][key][2]["words"]
    assert words[-1]["end"] - words[0]["start"] == pytest.approx(0.8, abs=0.03)
    for wrong in ({"take": 9}, {"word": 7}, {"word": "x"}, {"word": True}, {"word": -1}):
        project.post("takes", {"key": key, "take": 0, "word": 0, "seconds": 0.6} | wrong, 400)


def test_a_guessed_word_is_said_as_it_is_written(project: Project) -> None:
    """In all of the project, from now on: takes of it are made anew, and its edit.json says how."""
    project.save(change(project.listened(), "always", "frobbly"))
    (key,) = project.made()["takes"]
    take = project.state["takes"][key][0]
    assert take["guessed"]["frobbly"] not in {way["phones"] for way in take["offered"]["frobbly"]}
    project.post("pronounce", {"word": "frobbly", "said": "FROH-blie"})
    state = project.until(lambda state: len(state["takes"][key]) == 2)
    assert state["pronunciations"] == {"frobbly": "FROH-blie"}
    assert state["takes"][key][1]["guessed"] == {}
    state["edits"][0]["take"] = 1
    project.save(*state["edits"])
    told = json.loads(project.files()["talk.edited.edit.json"])
    assert list(told["asked"]["pronunciations"]) == ["frobbly"]
    (phones,) = told["asked"]["pronunciations"]["frobbly"]
    project.post("pronounce", {"word": "frobbly", "said": phones})
    project.until(lambda state: len(state["takes"][key]) == 3)
    for word, said in (("../x", "x"), ("", "x"), ("x" * 99, "x")):
        project.post("pronounce", {"word": word, "said": said}, 400)
    version = project.state["version"]
    project.post("pronounce", {"word": "never", "said": "1234 %"})
    project.until(lambda state: state["version"] > version)
    assert project.state["pronunciations"] == {"frobbly": phones}


def test_what_one_looks_at_is_listened_to_next(
    client: TestClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recording is read in parts of a few seconds, and missing parts are named."""
    monkeypatch.setattr("app.studio.work.listening.FIRST_PART", (2.0, 4.0))
    monkeypatch.setattr("a3t.source.recognised_transcript.PARTS", (4.0, 8.0))
    path = service.folder / "uploaded" / "long.wav"
    path.parent.mkdir(exist_ok=True)
    samples, rate = soundfile.read(io.BytesIO((path.parent / "talk.wav").read_bytes()))
    soundfile.write(path, np.tile(samples, 2), rate)
    project = Project(client, {"upload": str(path)})
    state = project.until(lambda state: state["tokens"])
    project.post("look", {"seconds": 6.0})
    for wrong in ({}, {"seconds": "x"}, {"seconds": -1}, {"seconds": 1e300}):
        project.post("look", wrong)
    assert state["listening"]["missing"]
    state = project.listened()
    assert state["listening"]["missing"] == []
    starts = [token[2] for token in state["tokens"]]
    assert starts == sorted(starts) and starts[-1] > 6


def test_a_download_as_mp3_at_a_podcast_s_loudness(project: Project) -> None:
    project.save(change(project.listened(), "always", "never"))
    project.made()
    project.post("export", {"kind": ".mp3", "loudness": -16})
    at = f"{project.at}/download"
    project.until(lambda state: project.client.get(at).status_code == 200)
    with zipfile.ZipFile(io.BytesIO(project.client.get(at).content)) as archive:
        names = archive.namelist()
        (loud,) = [archive.read(name) for name in names if name.endswith(".edited.loud.mp3")]
    assert any(name.endswith(".edited.mp3") for name in names)
    assert project.client.get(f"{at}?part=audio").content == loud


def test_sentences_instead_of_capitals_keep_the_changes(client: TestClient, upload: str) -> None:
    """Each with the take that was chosen, which is written in sentences at home too."""
    project = Project(client, {"upload": upload, "text": ARCTIC.upper()})
    project.save(change(project.listened(), "always", "NEVER"))
    (key,) = project.made()["takes"]
    project.post("takes", {"key": key})
    (before,) = project.made(2)["edits"]
    project.step(gone=[before], come=[before | {"take": 1, "accepted": True}], label="take")
    state, sound = project.state, f"{project.at}/takes/{{}}-1/sound"
    heard = project.client.get(sound.format(key)).content
    project.set_words(capitals=False)
    now = project.state
    assert " ".join(token[1] for token in now["tokens"]) == ARCTIC
    (edit,) = now["edits"]
    assert (edit["text"], edit["take"], edit["accepted"]) == ("never", 1, True)
    assert now["takes"] == {edit["key"]: state["takes"][key]}
    assert project.client.get(sound.format(edit["key"])).content == heard
    files = project.files()
    assert files["talk.edited.txt"].decode().strip() == ARCTIC.replace("always", "never")
    project.step(undo=now["done"][-1]["name"], gentle=True)
    assert (project.state["edits"], project.state["takes"]) == (state["edits"], state["takes"])
