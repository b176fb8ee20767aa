"""What holds for the whole house: which way imports point, what stays out of inference, sizes."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PACKAGES = ("a3t", "alignment", "app")
NOT_INFERENCE = {"espnet", "espnet2", "espnetez", "parallel_wavegan", "gradio", "matplotlib"}
LAZY = {"librosa", "nltk", "g2p_en", "sklearn", "pandas"}
PICKLERS = {"pickle", "dill", "joblib", "shelve"}
ENTRIES = ("a3t.editor", "a3t.edit", "a3t.tts")


@cache
def modules() -> dict[str, Path]:
    """Every module of the three packages, by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(module: str) -> frozenset[str]:
    """What `module` imports anywhere in it, functions included, save for type checking only."""
    path = modules()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names: set[str] = set()
    for node in runtime_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base]).rstrip(".")
            names.add(base)
            names.update(f"{base}.{alias.name}" for alias in node.names)
    return frozenset(names)


def runtime_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            for other in child.orelse:
                yield other
                yield from runtime_nodes(other)
            continue
        yield child
        yield from runtime_nodes(child)


def own_imports(module: str) -> set[str]:
    return {name for name in imports(module) if name in modules() and name != module}


# A picture is drawn where one is asked for, by what evaluation has for it.
ON_REQUEST = {("a3t.projects.exports", "a3t.evaluation.pictures")}


def closure(*entries: str) -> set[str]:
    """The project's modules that `entries` need, directly or through others."""
    found: set[str] = set()
    waiting = [name for name in entries if name in modules()]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(n for n in own_imports(module) if (module, n) not in ON_REQUEST)
    return found


def room(module: str) -> str:
    """a3t.audio.mel -> a3t.audio; a3t.editor -> a3t.editor; alignment.result -> alignment."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "a3t" else parts[0]


def texts() -> Iterator[tuple[Path, str]]:
    """The project's own text files."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    names = listed.stdout.decode().split("\0") if listed.returncode == 0 else []
    paths = [ROOT / name for name in names if name] or [*modules().values(), ROOT / "README.md"]
    for path in paths:
        if path.is_file() and path.suffix not in {".safetensors", ".npz", ".wav", ".png"}:
            yield path, path.read_text(encoding="utf-8", errors="replace")


def test_alignment_knows_nothing_of_a3t() -> None:
    for module in modules():
        if room(module) == "alignment" and module != "alignment.__main__":
            assert not {name for name in imports(module) if name.split(".")[0] in {"a3t", "app"}}, (
                module
            )


def test_rooms_of_the_aligner_follow_each_other() -> None:
    """No circle among them, and what aligns needs neither training nor a bench."""
    needs: dict[str, set[str]] = {}
    for module in modules():
        # The package's own __init__ offers its aligners on first use: a door, not a need.
        if module.startswith("alignment."):
            own = ".".join(module.split(".")[:2])
            found = {".".join(name.split(".")[:2]) for name in own_imports(module)}
            needs.setdefault(own, set()).update(found - {own, "alignment", "a3t"})
    outside = {"alignment.training", "alignment.bench"}
    for each in needs.keys() - outside:
        assert not needs[each] & outside, each
    while needs:
        free = {each for each, others in needs.items() if not others & needs.keys()}
        assert free, f"these rooms need each other in a circle: {sorted(needs)}"
        for each in free:
            del needs[each]


def test_only_the_app_knows_the_app() -> None:
    for module in modules():
        if room(module) != "app" and module != "a3t.__main__":  # which calls it by name
            assert not {name for name in own_imports(module) if room(name) == "app"}, module


def test_corpora_training_and_evaluation_follow_each_other() -> None:
    """What trains and what judges read the same clips; what judges may open what was trained."""
    above = {"a3t.corpora": {"a3t.training", "a3t.evaluation"}, "a3t.training": {"a3t.evaluation"}}
    for module in modules():
        found = {room(name) for name in own_imports(module)} & above.get(room(module), set())
        assert not found, f"{module} imports {found}"


def test_inference_needs_no_framework_training_or_evaluation() -> None:
    for module in closure(*ENTRIES):
        outside = {name.split(".")[0] for name in imports(module)} & NOT_INFERENCE
        if module == "a3t.vocoder.parallel_wavegan":  # imported when such a checkpoint is loaded
            outside -= {"parallel_wavegan"}
        assert not outside, f"{module} imports {outside}"
        assert room(module) not in {"a3t.training", "a3t.evaluation", "app"}, module


def test_rooms_do_not_need_each_other_in_a_circle() -> None:
    needs: dict[str, set[str]] = {}
    for module in closure(*ENTRIES):
        # The package's own __init__ offers Editor on first use; that is a door, not a need.
        if module != "a3t":
            needs.setdefault(room(module), set()).update(
                room(name) for name in own_imports(module) if name != "a3t"
            )
    for each, others in needs.items():
        others.discard(each)
    while needs:
        free = {each for each, others in needs.items() if not others & needs.keys()}
        assert free, f"these rooms need each other in a circle: {sorted(needs)}"
        for each in free:
            del needs[each]


def test_importing_the_editor_stays_light() -> None:
    probe = "import sys, a3t.editor; print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & (NOT_INFERENCE | LAZY)
    assert not {name for name in loaded if room(name) in {"a3t.training", "a3t.evaluation", "app"}}


def test_files_are_a_page_or_two() -> None:
    long = {
        str(path.relative_to(ROOT)): text.count("\n")
        for path, text in texts()
        if path.suffix == ".py" and text.count("\n") > 320
    }
    assert not long


def test_no_path_of_one_machine() -> None:
    machine = re.compile("(?<![\\w./])/(?:work|root|home|Users|mnt)/" + r"\w")
    for path, text in texts():
        found = machine.search(text)
        assert not found, f"{path.relative_to(ROOT)}: {found.group() if found else ''}"


def test_nothing_is_unpickled_and_no_shell_is_run() -> None:
    for module, path in modules().items():
        stored = {name for name in imports(module) if name.split(".")[0] in PICKLERS}
        # The error that torch raises is pickle's; "from pickle import" names the package as well.
        assert stored in (set(), {"pickle", "pickle.UnpicklingError"}), module
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                given = {word.arg: ast.unparse(word.value) for word in node.keywords}
                name = ast.unparse(node.func)
                assert given.get("shell", "False") == "False", module
                assert given.get("allow_pickle", "False") == "False", module
                assert name not in {"os.system", "eval", "exec"}, module
                if name == "torch.load":
                    assert given.get("weights_only") == "True", module


def test_shipped_weights_stay_small() -> None:
    files = [path for path in (ROOT / "a3t" / "pretrained").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 60_000_000


def test_readme_names_only_what_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z][\w-]*)", " ".join(code(readme))))
    assert named <= targets
    assert {"demo", "test"} <= named
    for command in re.findall(r"python -m ([\w.]+)", readme):
        if command not in {"pip", "venv", "pytest"}:
            name = f"{command}.__main__" if command in PACKAGES else command
            assert find_spec(name), f"README names python -m {command}"


def test_readme_links_lead_somewhere() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", readme):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (ROOT / target).exists(), target


def test_ci_runs_the_readme_test_command() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def code(markdown: str) -> list[str]:
    """The fenced blocks and the inline code of a Markdown text."""
    fenced = re.findall(r"^```.*?^```", markdown, re.DOTALL | re.MULTILINE)
    return fenced + re.findall(
        r"`[^`\n]+`", re.sub(r"^```.*?^```", "", markdown, flags=re.S | re.M)
    )


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
    assert named <= pins().keys()


@pytest.mark.parametrize("name", ["environment.yml", "alignment/mfa-environment.yml"])
def test_conda_environments_are_well_formed(name: str) -> None:
    environment = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    assert environment["channels"] == ["conda-forge"]
    assert environment["name"] in {"a3t", "a3t-mfa"}
    assert environment["dependencies"]
