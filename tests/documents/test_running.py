"""Each block of `sh` and `python` in a document runs, in order, in a folder with a real recording.

What can't run here stands in one table, with its reason; `test_parsing` reads those commands too.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from a3t.editor import Editor
from tests.documents.blocks import DOCUMENTS, ROOT, Block, blocks
from tests.documents.prepared import prepare

EXCEPTIONS = {
    r"^make |^\.ci/run|^cd recipes|^export A3T_(CORPORA|MODELS)": "other tests run these",
    r"^pip |^python3\.11 -m venv|-m pip ": "changes the environment: test_packaging installs",
    r"^git ": "changes the checkout",
    r"^source ": "the environment is active already",
    r"recipes/|^\./run\.sh|python -m (training|evaluation)": "takes corpora, and minutes to days",
    r"python -m a3t\.convert|--model authors": "needs the authors' weights",
    r"transcribe --live +#": "needs a microphone",
    r"aplay|ffmpeg": "needs another program",
    r"--except 3,7-9": "needs a recording with nine finds",
    r"fetch-recogniser": "needs a network",
    r"^a3t check": "ends with 1 if there is anything to remark: test_proof runs it",
    r"voice make|--voice (anna|talk)": "learning a voice takes more than a minute",
    r"^a3t inspect talk\.edited\.wav$": "needs an edit of talk.wav",
    r"transcribe .*--speaker|@turns\.txt": "needs two speakers, and a3t[speakers]",
    r"^a3t (app|serve)": "runs until it is stopped: `server` starts it",
}
BLOCKS = [block for block in blocks("sh", "python") if block.document.name != "log.md"]
SERVERS = {"python.md": ("app", 7860), "server.md": ("serve", 7870)}
TOKEN = "a-secret-token"


def runnable(block: Block) -> str:
    """A block's commands as a script, without the exceptions; "" if none is left."""
    if block.language == "python":
        return block.text
    kept = [
        command
        for command in block.commands()
        if not any(re.search(pattern, command) for pattern in EXCEPTIONS)
    ]
    return "\n".join(kept)


def test_every_exception_is_needed() -> None:
    commands = [c for block in BLOCKS if block.language == "sh" for c in block.commands()]
    for pattern in EXCEPTIONS:
        assert any(re.search(pattern, command) for command in commands), pattern


def test_half_of_the_guides_commands_run() -> None:
    """A table of exceptions that grows to cover everything would make the next test empty."""
    for name in ("README.md", "docs/editing.md"):
        chosen = [b for b in BLOCKS if b.document == ROOT / name and b.language == "sh"]
        kept = sum(len(runnable(block).splitlines()) for block in chosen)
        assert 2 * kept >= sum(len(block.commands()) for block in chosen)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, editor: Editor, arctic: Path) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    prepare(folder, editor, arctic)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [path for path in DOCUMENTS if any(b.document == path and runnable(b) for b in BLOCKS)],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_blocks_run(
    document: Path, prepared: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    folder = shutil.copytree(prepared, tmp_path / "work")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, module in (("a3t", "-m a3t"), ("python", ""), ("python3", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {module} "$@"\n')
        (programs / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    with server(document.name, folder, environment) as (written, true):
        for block in BLOCKS:
            script = runnable(block) if block.document == document else ""
            if script:
                script = script.replace(written, true).replace("TOKEN", TOKEN)
                program = [sys.executable, "-c"] if block.language == "python" else ["bash", "-ec"]
                with subtests.test(str(block)):
                    done = subprocess.run(
                        [*program, script], cwd=folder, env=environment,
                        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                    )  # fmt: skip
                    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"


@contextmanager
def server(name: str, folder: Path, environment: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The server that a document speaks of: its address there, and where it is here."""
    if name not in SERVERS:
        yield "nowhere", "nowhere"
        return
    command, usual = SERVERS[name]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--voices", "my-voices", "--token", TOKEN] if command == "serve" else []
    process = subprocess.Popen(
        [sys.executable, "-um", "a3t", command, "--port", str(port), *options],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert process.stdout
        for line in process.stdout:
            if str(port) in line:
                break
        while not answers(port):
            assert process.poll() is None
        yield f"127.0.0.1:{usual}", f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def answers(port: int) -> bool:
    """True once something listens there."""
    with socket.socket() as tried:
        tried.settimeout(1)
        return tried.connect_ex(("127.0.0.1", port)) == 0
