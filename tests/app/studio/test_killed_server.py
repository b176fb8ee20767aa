"""A server that is killed: what a page asked of it is asked again, and is done once."""

import io
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.studio.conftest import KilledServer, Project, change, uploaded
from tests.conftest import ARCTIC


@pytest.mark.slow
def test_an_export_and_a_recording_outlive_the_server(server: KilledServer, arctic: Path) -> None:
    with httpx.Client(base_url=f"{server.url}/studio", timeout=600) as client:
        client.get(server.url)
        sent: Any = client
        project = Project(sent, {"upload": str(arctic), "text": ARCTIC})
        project.save(change(project.listened(), "always", "never"))
        project.made()
        other = {"text": ARCTIC, "request": "0123456789abcdef"}
        project.post("recordings", other | {"upload": uploaded(sent, arctic)})
        project.post("export", {"request": "fedcba9876543210"})
        while not [*server.folder.glob("*/*/export/*")]:
            assert client.get(project.at).is_success
        server.kill()
        server.start()
        # The page, which was answered or not, can't know: it sends both again.
        project.post("recordings", other | {"upload": uploaded(sent, arctic)})
        project.until(lambda state: all(each["said"] for each in state["recordings"]))
        assert len(project.state["recordings"]) == len([*server.folder.glob("*/*/said/*")]) == 1
        data = project.download()
        assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None
        (left,) = server.folder.glob("*/*/export/*")
        assert left.suffix == ".zip"
