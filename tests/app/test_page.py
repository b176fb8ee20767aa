"""Starting the page, and what it must not bring along."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from gradio_client import Client, handle_file

from a3t.commands.app import credentials, is_loopback, main
from app.service import Service
from tests.app.conftest import launched
from tests.app.proxy import under_a_path
from tests.conftest import ARCTIC, NEVER

ENDPOINTS = Path(__file__).parents[2] / "app" / "front.py"


def test_what_gradio_calls_leaves_the_models_to_the_service() -> None:
    named = {
        node.module
        for node in ast.walk(ast.parse(ENDPOINTS.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "a3t"
    }
    light = {"a3t.audio.matching.traits", "a3t.audio.output.writing", "a3t.example", "a3t.grid"}
    assert named <= light | {"a3t.plan.options"}


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("a.b", False)],
)
def test_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_a_page_for_others_asks_who_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--host", "0.0.0.0"]) == 2
    assert "--auth" in capsys.readouterr().err
    assert main(["--auth", "nobody"]) == 2
    assert "NAME:PASSWORD" in capsys.readouterr().err


def test_credentials(tmp_path: Path) -> None:
    file = tmp_path / "auth"
    file.write_text("ann:a:b\n")
    assert credentials(None) is None
    assert credentials("ann:secret") == ("ann", "secret")
    assert credentials(f"@{file}") == ("ann", "a:b")
    with pytest.raises(ValueError, match="can't be read"):
        credentials("@/no/such/file")


@pytest.mark.slow
def test_building_the_page_imports_nothing_that_takes_seconds() -> None:
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from app import PageOptions, application, guard, service\n"
        "made = service.Service(Path('.')), guard.Callers(None, True, True), PageOptions()\n"
        "application.application(*made)\n"
        "print({'torch', 'matplotlib.pyplot', 'gradio'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.fixture(scope="module")
def shown_at(service: Service) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(service.folder))
        with (
            launched(service, root_path="/speech") as address,
            under_a_path(address, "/speech") as shown,
        ):
            yield shown


def test_the_page_knows_its_path(shown_at: str) -> None:
    page = httpx.get(f"{shown_at}/")
    assert page.status_code == 200
    assert httpx.get(f"{shown_at}/config").json()["root"].endswith("/speech")
    assert httpx.get(shown_at.replace("/speech", "/")).status_code == 404


def test_the_endpoints_answer_there(shown_at: str, arctic: Path) -> None:
    client = Client(f"{shown_at}/", verbose=False, analytics_enabled=False)
    _, plan = client.predict(handle_file(arctic), NEVER, ARCTIC, 1.0, api_name="/plan")
    assert [edit["op"] for edit in plan["edits"]] == ["replace"]
