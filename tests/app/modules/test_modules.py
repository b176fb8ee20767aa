"""The page's modules that need no browser, tested by Node's own runner: *.test.mjs beside this.

Node is the one on the path, else the one that Playwright brings.
"""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def node() -> str | None:
    found = shutil.which("node")
    playwright = find_spec("playwright")
    if found is None and playwright is not None and playwright.origin is not None:
        bundled = Path(playwright.origin).parent / "driver" / "node"
        found = str(bundled) if bundled.is_file() else None
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_a_module(name: str) -> None:
    runner = node()
    if runner is None:
        pytest.skip("there is no Node here: pip install playwright brings one")
    command = [runner, "--test", "--test-reporter=spec", str(HERE / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
