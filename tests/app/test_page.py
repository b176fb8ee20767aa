"""The page's event handlers, called as Gradio calls them; and starting the page."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from a3t.editor import Editor
from app.__main__ import credentials, is_loopback, main
from app.edit_tab import EditTab
from app.service import Service
from app.sessions import Session
from tests.conftest import ARCTIC

NEVER = ARCTIC.replace("always", "never")
APP = Path(__file__).parents[2] / "app"


@pytest.fixture(scope="module")
def tab(service: Service) -> EditTab:
    with gr.Blocks():
        return EditTab(service)


PAGE = SimpleNamespace(session_hash="page")


def given(
    tab: EditTab, upload: str | None, text: str, new_text: str, session: Session | None = None
) -> dict[Any, Any]:
    """What stands on the page, as gradio hands it over."""
    settings = {component: component.value for component in tab.settings.components()}
    fields = {tab.recording: upload, tab.text: text, tab.new_text: new_text, tab.session: session}
    return settings | fields


def session_of(tab: EditTab, shown: dict[Any, Any]) -> Session:
    session = shown[tab.session]
    assert isinstance(session, Session)
    return session


def test_from_upload_to_download(tab: EditTab, upload: str) -> None:
    shown = tab.on_recording(given(tab, upload, "", ""))
    session = session_of(tab, shown)
    assert len(shown[tab.stage]["sides"]) == 1
    shown = tab.on_find(given(tab, upload, ARCTIC, "", session), PAGE)
    assert shown[tab.proposed]["new_text"] == ("", ARCTIC) and "heard" in shown[tab.confidence]
    assert "<del" in tab.on_typing(ARCTIC, NEVER)[tab.changes]
    edit = given(tab, upload, ARCTIC, NEVER, session)
    shown = tab.on_preview(edit, PAGE)
    assert Path(tab.on_attention(edit, PAGE)).read_bytes().startswith(b"\x89PNG")
    assert "always" in shown[tab.status] and len(shown[tab.stage]["sides"]) == 1
    shown = tab.on_make(edit, PAGE)
    assert len(shown[tab.stage]["sides"]) == 2
    assert all(Path(file).is_file() for file in shown[tab.files]["value"])
    shown = tab.on_accept(edit)
    assert shown[tab.proposed]["text"] == (ARCTIC, NEVER)
    assert "always → never" in shown[tab.history]
    shown = tab.on_undo(edit | {tab.text: NEVER})
    assert shown[tab.proposed]["text"] == (NEVER, ARCTIC) and not shown[tab.files]["visible"]
    assert tab.on_redo(edit)[tab.proposed]["new_text"] == (NEVER, NEVER)
    shown = tab.on_clear(session)
    assert shown[tab.session] is None and not session.folder.exists()


def test_another_recording_starts_a_new_session(tab: EditTab, upload: str) -> None:
    shown = tab.on_recording(given(tab, upload, ARCTIC, NEVER))
    assert shown[tab.proposed] is None  # typed before the upload: stays
    first = session_of(tab, shown)
    shown = tab.on_recording(given(tab, upload, ARCTIC, NEVER, first))
    assert shown[tab.proposed] == {"text": (ARCTIC, ""), "new_text": (NEVER, "")}
    assert not first.folder.exists()
    assert session_of(tab, shown).folder != first.folder


def test_the_example(tab: EditTab) -> None:
    shown = tab.on_example(given(tab, None, "", ""))
    text, new_text = (offer[1] for offer in shown[tab.proposed].values())
    assert text != new_text and Path(shown[tab.recording]).is_file()


def test_buttons_pressed_too_early(tab: EditTab, upload: str) -> None:
    for press in (
        lambda: tab.on_make(given(tab, None, ARCTIC, NEVER), PAGE),
        lambda: tab.on_make(given(tab, upload, ARCTIC, " "), PAGE),
        lambda: tab.on_accept(given(tab, None, "", "")),
        lambda: tab.on_undo(given(tab, None, "", "")),
        lambda: tab.on_find(given(tab, None, "", ""), PAGE),
    ):
        with pytest.raises(gr.Error):
            press()
    session = session_of(tab, tab.on_recording(given(tab, upload, "", "")))
    with pytest.raises(gr.Error, match="press Make it first"):
        tab.on_accept(given(tab, upload, "", "", session))


@pytest.mark.parametrize("data", [None, {}, {"number": "x", "start": 0, "end": 1}, {"number": 99}])
def test_nonsense_from_the_stage(tab: EditTab, upload: str, data: Any) -> None:
    session = session_of(tab, tab.on_find(given(tab, upload, ARCTIC, ""), PAGE))
    with pytest.raises(gr.Error):
        tab.on_moved(session, gr.EventData(None, data))
    assert tab.on_paged(session, gr.EventData(None, data))[tab.stage]["sides"]


@pytest.mark.parametrize("name", ["edit_layout", "edit_tab", "speak_tab", "api"])
def test_what_gradio_calls_leaves_the_models_to_the_service(name: str) -> None:
    named = {
        node.module
        for node in ast.walk(ast.parse((APP / f"{name}.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "a3t"
    }
    # The plan for its types, the request because that is what is asked for; neither needs torch.
    assert named <= {"a3t.errors", "a3t.plan.edit_plan", "a3t.plan.request"}


def test_the_service_uses_only_what_the_editor_offers() -> None:
    # What is app.worker.EditorProcess's own.
    own = {"use", "draw_attention"}
    used = {
        node.attr
        for node in ast.walk(ast.parse((APP / "service.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "editor"
    }
    assert {"plan", "edit", "tts", "transcribe", "align", "candidates"} <= used
    assert all(hasattr(Editor, name) and not name.startswith("_") for name in used - own)


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
    code = "import sys, app.page; print({'torch', 'matplotlib.pyplot'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
