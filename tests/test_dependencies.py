"""Every dependency is pinned, and make, conda and continuous integration install the same."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]


def test_ci_runs_every_test() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    targets = set(" ".join(re.findall(r"\bmake ([^#\n]*)", run)).split())
    assert {"lint", "test", "test-app", "test-recipes"} <= targets


def pins() -> dict[str, str]:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return {
        canonical(name): version
        for name, version in (line.split("==") for line in lines if not line.startswith("#"))
    }


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[<>=!~\[ ;]", name)[0]).lower()


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = set(map(canonical, project["dependencies"]))
    for extra in project["optional-dependencies"].values():
        named |= set(map(canonical, extra))
    assert named - {"a3t"} <= pins().keys()  # an extra may name another of ours


ENVIRONMENTS = ("environment.yml", "recipes/environment.yml", "alignment/mfa-environment.yml")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_conda_environments_are_well_formed(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    environment = yaml.safe_load(text)
    assert environment["channels"] == ["conda-forge"] and environment["dependencies"]
    assert environment["name"] in {"a3t", "a3t-espnet", "a3t-mfa"}
    files = re.findall(r"(?<![\w./-])[\w/-]+\.(?:yml|txt)", text)
    assert all((ROOT / path).exists() for path in files)
    for package, version in re.findall(r"([\w-]+)==([\d.]+)", text):
        assert pins()[canonical(package)] == version


def test_conda_and_make_install_the_same() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    setup = makefile[: makefile.index("$(VENV)/.espnet-ready:")]
    conda = (ROOT / "environment.yml").read_text(encoding="utf-8")
    wanted, found = ({name for extras in re.findall(r"-e '?\.\[([\w,]+)\]", text)
                      for name in extras.split(",")} for text in (setup, conda))  # fmt: skip
    assert wanted == found
    assert "parallel-wavegan" in setup and "parallel-wavegan" in conda
