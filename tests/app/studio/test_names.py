"""A project's list of names and words: listened for, and said as it has them."""

import io
import json
import zipfile
from pathlib import Path

from starlette.testclient import TestClient

from app.service import Service
from tests.app.studio.conftest import Project, change

NAMES = "Olwase  AO1 L W EY2 Z\nKyiv=keev"


def test_names_are_heard_said_and_kept(client: TestClient, service: Service, arctic: Path) -> None:
    path = service.folder / "uploaded" / "talk.wav"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(arctic.read_bytes())
    project = Project(client, {"upload": str(path)})
    heard = [token[1].lower() for token in project.listened()["tokens"]]
    assert "always" in heard and "olwase" not in heard
    project.post("names", {"text": "=keev"})  # no list: told to the pages, and the old one stays
    project.post("names", {"text": NAMES})
    state = project.until(lambda state: "olwase" in str(state["tokens"]).lower())
    assert state["names"] == NAMES
    project.save(change(state, "degree", "Kyiv"))
    ((take,),) = project.made()["takes"].values()
    assert take["guessed"] == {}
    with zipfile.ZipFile(io.BytesIO(client.get(f"{project.at}/file").content)) as archive:
        assert json.loads(archive.read("names.json"))["text"] == NAMES
