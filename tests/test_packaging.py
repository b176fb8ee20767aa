"""Dependencies are pinned; the installed program is one command, and a wheel takes one name."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

from a3t import __version__
from a3t.__main__ import COMMANDS, main
from tests.conftest import ARCTIC, NEVER

ROOT = Path(__file__).parents[1]
EDIT = ["--text", ARCTIC, "--new-text", NEVER, "--wav"]
Ran = tuple[Path, list[tuple[str, str, str]]]  # the folder; a command, its code, what it said


def test_the_command_has_a_version_and_no_other_programs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = [sys.executable, "-m", "a3t", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == f"a3t {__version__}\n"
    assert main(["sing"]) == 2
    unknown = capsys.readouterr()
    assert "no program “sing”" in unknown.err and not unknown.out


def test_nothing_is_imported_unless_requested() -> None:
    probe = "import sys, a3t.__main__; print({'numpy', 'torch', 'argparse'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "set()\n"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy: a build leaves folders behind."""
    source = tmp_path_factory.mktemp("wheel") / "source"
    for name in ("a3t", "alignment", "app"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, source)
    return source


def built(source: Path, folder: Path, call: str) -> Path:
    """The wheel that a call of setuptools makes, unpressed: it is unpacked at once."""
    options = {"--build-option": ["--compression=stored"]}
    build = f"from setuptools import build_meta; build_meta.{call}({str(folder)!r}, {options})"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    return built(source, source.parent, "build_wheel")


@pytest.fixture(scope="module")
def site(wheel: Path) -> Path:
    """A folder with the wheel unpacked, as it is installed."""
    site = wheel.parent / "site"
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(site)
    return site


def test_an_editable_checkout_is_a_path_that_mypy_follows(source: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(built(source, tmp_path, "build_editable")) as opened:
        [name] = (name for name in opened.namelist() if "dist-info" not in name)
        assert opened.read(name).decode().split() == [str(source)]


def test_a_wheel_takes_one_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        assert {name.split("/")[0] for name in names} == {"a3t", f"a3t-{__version__}.dist-info"}
        for name in names:
            if name.endswith(".py"):
                text = opened.read(name).decode()
                renamed = r"^\s*(from|import) (alignment|app|training|evaluation)\b"
                assert not re.search(renamed, text, re.MULTILINE)
    # What the packages hold is there; pictures, instructions, types and a Space's files apart.
    held = {
        str(path.relative_to(ROOT))
        for package in ("a3t", "alignment", "app")
        for path in (ROOT / package).rglob("*.*")
        if path.is_file() and path.suffix not in {".pyc", ".png", ".conf", ".service", ".ts"}
        if path.parent.name != "space"
    }
    assert {name if name.startswith("a3t") else f"a3t/{name}" for name in held} <= set(names)
    assert wheel.stat().st_size < 70_000_000  # unpressed; it was 67 MB, nearly all of it weights


@pytest.fixture(scope="module")
def ran(site: Path, arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A process with the wheel alone: an edit, each command given what it refuses, and the page's
    tasks, which are imported by name."""
    folder = tmp_path_factory.mktemp("ran")
    talk, text = shutil.copy(arctic, folder), ["--text", " ".join([NEVER] * 8)]
    (folder / "empty").mkdir()
    refused = {
        "align": [talk, *text],
        "edit": [talk, *text, "--new-text", "No."],
        "clean": [talk, *text],
        "tts": [talk, "--prompt-text", text[1], "--text", "No.", "--out", "no.wav"],
        "transcribe": [talk, "--recogniser", "none"],
        "check": ["none.wav", "--text", "No."],
        "loudness": ["none.wav"],
        "inspect": ["none.wav"],
        "say-as": ["@none.txt"],
        "voice": ["make", "empty", "--out", "nobody", "--i-have-consent"],
        "app": ["--token", "@none.txt"],
        "serve": ["--voices", "empty", "--token", "x" * 40],
        "fetch-recogniser": ["none"],
    }
    assert refused.keys() == COMMANDS.keys()
    lines = [["edit", *EDIT, str(arctic), "--out", "of the wheel.wav"]]
    lines += [[name, *map(str, rest)] for name, rest in refused.items()]
    probe = f"""if True:
        import sys
        from functools import partial
        from a3t.__main__ import main
        for line in {lines}:
            try:
                code = main(line)
            except SystemExit as end:
                code = end.code
            print(f"\\n{{line[0]}} {{code}}")
            print("end", file=sys.stderr)
        from a3t.app.studio.work import worker_tasks
        tasks = [each for each in vars(worker_tasks).values() if isinstance(each, partial)]
        assert tasks
        for task in tasks:
            try:
                task(None)
            except TypeError as error:  # their arguments are missing, not their modules
                assert "missing" in str(error), error
        assert not {{"alignment", "app", "training", "evaluation"}} & sys.modules.keys()
    """
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    ends = (line.rpartition(" ") for line in done.stdout.splitlines())
    codes = [code for name, _, code in ends if name in COMMANDS]
    names, said = [line[0] for line in lines], done.stderr.split("end\n")
    return folder, [*zip(names, codes, said, strict=False)]


def test_a_wheel_edits_as_the_source_does(ran: Ran, arctic: Path, tmp_path: Path) -> None:
    folder, ((_, code, _), *_) = ran
    outs = folder / "of the wheel.wav", tmp_path / "of the source.wav"
    assert code == "0" and main(["edit", *EDIT, str(arctic), "--out", str(outs[1])]) == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()
    record, other = (json.loads(out.with_suffix(".edit.json").read_text()) for out in outs)
    assert record["edits"] == other["edits"] and record["alignment"] == other["alignment"]


def test_a_wheel_refuses_in_one_sentence_in_each_command(ran: Ran) -> None:
    """The aligner's errors, under the name that its package has there, are everybody's."""
    _, (_, *refused) = ran
    assert len(refused) == len(COMMANDS)
    for name, code, said in refused:
        assert code in ("1", "2") and "Traceback" not in said, (name, code, said)
        last = said.strip().splitlines()[-1]
        assert last.startswith(("a3t: ", f"a3t {name}")) and len(last) < 400, (name, said)


@pytest.mark.slow
def test_a_wheel_installs_into_an_empty_environment(
    wheel: Path, arctic: Path, tmp_path: Path
) -> None:
    """With what pip finds for its dependencies, at the versions of requirements.txt."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=True)
    python, pins = home / "bin" / "python", ROOT / "requirements.txt"
    installed = subprocess.run(
        [python, "-m", "pip", "install", "-q", "-c", pins, wheel], capture_output=True, text=True
    )
    if "No matching distribution" in installed.stderr or "onnection" in installed.stderr:
        pytest.skip("no package index can be reached")
    assert installed.returncode == 0, installed.stderr
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*command: object) -> str:
        line = [str(part) for part in (home / "bin" / "a3t", *command)]
        done = subprocess.run(line, cwd=tmp_path, env=alone, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    talk = tmp_path / "talk.wav"
    shutil.copy(arctic, talk)
    run("edit", "--wav", talk, "--text", ARCTIC, "--new-text", NEVER)
    assert "“never”" in run("inspect", "talk.edited.wav")
    run("align", talk, "--text", ARCTIC, "--out", "talk.TextGrid")
    run("tts", "--prompt-wav", talk, "--prompt-text", ARCTIC, "--text", "Well.", "--out", "w.wav")


def test_ci_runs_every_test() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    targets = set(" ".join(re.findall(r"\bmake ([^#\n]*)", run)).split())
    assert {"lint", "test-ci"} <= targets


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


def test_extras_bring_the_pkg_resources_that_their_packages_import() -> None:
    """Newer versions of setuptools have none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra, required in project["optional-dependencies"].items():
        if re.search("pyworld|pysptk|Resemblyzer", " ".join(required)):
            assert "setuptools<81" in required, extra


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
    first, last = (makefile.index(f"$(VENV)/.{name}-ready:") for name in ("torch", "espnet"))
    setup = makefile[first:last]
    conda = (ROOT / "environment.yml").read_text(encoding="utf-8")
    wanted, found = ({name for extras in re.findall(r"-e '?\.\[([\w,]+)\]", text)
                      for name in extras.split(",")} for text in (setup, conda))  # fmt: skip
    assert wanted == found
    assert "$(WAVEGAN)" in setup and "parallel-wavegan" in conda
