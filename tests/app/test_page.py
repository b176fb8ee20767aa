"""Starting the page, and what it must not bring along."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from a3t.commands.app import credentials, is_loopback, main
from a3t.editor import Editor

APP = Path(__file__).parents[2] / "app"


@pytest.mark.parametrize("path", sorted((APP / "page").glob("*.py")), ids=lambda path: path.stem)
def test_what_gradio_calls_leaves_the_models_to_the_service(path: Path) -> None:
    named = {
        node.module
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "a3t"
    }
    # The names of voices, and how a sentence is shortened: neither needs torch.
    assert named <= {"a3t.model.saved_voices", "a3t.plan.edit_limits"}


def test_the_service_uses_only_what_the_editor_offers() -> None:
    called = {
        ast.literal_eval(node.args[0])
        for node in ast.walk(ast.parse((APP / "service.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "methodcaller"
    }
    assert called == {"plan", "transcribe", "align"}
    assert all(hasattr(Editor, name) for name in called)


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
def test_building_the_page_does_not_import_torch() -> None:
    """torch and matplotlib take seconds to import: the page must not wait for them."""
    code = (
        "import sys, app.page.gradio_page, app.studio.routes\n"
        "print({'torch', 'matplotlib.pyplot'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
