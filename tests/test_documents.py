"""Everything that the documents name exists, and every dependency is pinned."""

from __future__ import annotations

import ast
import csv
import re
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from a3t.__main__ import COMMANDS
from a3t.commands.editing.edit_options import parser
from a3t.commands.editing.manifest import read_jobs

ROOT = Path(__file__).parents[1]


DOCUMENTS = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("[a-z]*/README.md")})
OWN = {"a3t", "alignment", "app"}
OTHERS = {"pip", "venv", "pytest", "gradio", "http"}  # modules that are not this project's


def code(markdown: str) -> list[str]:
    """The fenced blocks and the inline code of a Markdown text."""
    fenced = re.findall(r"^```.*?^```", markdown, re.DOTALL | re.MULTILINE)
    return fenced + re.findall(
        r"`[^`\n]+`", re.sub(r"^```.*?^```", "", markdown, flags=re.S | re.M)
    )


def test_make_targets_in_documents_exist(subtests: pytest.Subtests) -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for document in DOCUMENTS:
        written = " ".join(code(document.read_text()))
        with subtests.test(str(document)):
            assert set(re.findall(r"(?<!voice )\bmake ([a-z][\w-]*)", written)) <= targets


def test_programs_in_documents_exist(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        commands = " ".join(code(document.read_text(encoding="utf-8")))
        with subtests.test(str(document)):
            for module in set(re.findall(r"python -m ([\w.]+)", commands)):
                if module.split(".")[0] not in OTHERS:
                    spec = find_spec(module)
                    assert spec, module
                    assert not spec.submodule_search_locations or find_spec(f"{module}.__main__")
            assert (
                set(re.findall(r"(?<![\w/.])(?<!from )a3t ([a-z][a-z-]*)", commands))
                <= COMMANDS.keys()
            )


def options_of(text: str) -> set[str]:
    return {name.replace("_", "-") for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", text)}


def test_options_that_a_document_names_exist(subtests: pytest.Subtests) -> None:
    sources = [
        path.read_text(encoding="utf-8", errors="replace")
        for folder in ("a3t", "alignment", "app", "evaluation", "training", "recipes")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".sh"}
    ]
    source = " ".join([*sources, (ROOT / "Makefile").read_text()])
    of_recipes = " ".join(f"--{name}" for name in re.findall(r"\b([a-z]\w*)=", source))
    known = options_of(source) | options_of(of_recipes)
    for document in DOCUMENTS:
        if document.name in {"log.md", "CHANGELOG.md"}:
            continue  # these tell of the past as well
        commands = " ".join(code(document.read_text(encoding="utf-8")))
        with subtests.test(str(document)):
            for line in commands.replace("\\\n", " ").splitlines():
                if not re.search(r"\b(pip|git|curl|torchrun|srun|sbatch|docker)\b", line):
                    # What is handed on in quotes is another program's.
                    assert options_of(re.sub(r'"[^"]*"|"[^"]*$', "", line)) <= known, line


def test_imports_in_documents_exist(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        with subtests.test(str(document)):
            for block in re.findall(
                r"```python\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL
            ):
                for node in ast.walk(ast.parse(block)):
                    if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in OWN:
                        module = import_module(str(node.module))
                        assert all(hasattr(module, alias.name) for alias in node.names), block


def test_links_lead_somewhere(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        with subtests.test(str(document)):
            for target in re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8")):
                if not target.startswith(("http://", "https://", "mailto:")):
                    assert (document.parent / target).exists(), target


def anchors(document: Path) -> set[str]:
    """The anchors that GitHub gives a document's headings."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.S | re.M)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return set(map(heading_anchor, headings))


def heading_anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_anchors_are_headings(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        with subtests.test(str(document)):
            for target, anchor in re.findall(
                r"\]\(([^)#\s]*)#([^)\s]+)\)", document.read_text("utf-8")
            ):
                other = document.parent / target if target else document
                if other.suffix == ".md":
                    assert anchor in anchors(other), f"{target}#{anchor}"


def test_the_readme_is_short_and_says_how_to_begin() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"make demo", "make test"} <= set(re.findall(r"make [a-z]+", " ".join(code(readme))))
    assert readme.count("\n") <= 110


def test_the_options_of_an_edit_are_grouped_as_in_its_help() -> None:
    text = (ROOT / "docs" / "editing.md").read_text(encoding="utf-8")
    groups = parser()._action_groups[2:]
    assert len(groups) > 4
    for group in groups:
        section = text.partition(f"### {str(group.title).capitalize()}\n")[2].partition("\n#")[0]
        names = {name for action in group._group_actions for name in action.option_strings}
        assert names <= options_of(section), group.title


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_list_in_the_documentation(separator: str, tmp_path: Path) -> None:
    """As spreadsheets save it, with a byte-order mark, and a line break in a cell."""
    text = (ROOT / "docs" / "many-edits.md").read_text()
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line[:2] == "| "]
    lines[1][1] = 'We "meet"\non Monday; at noon, sharp.'
    manifest = tmp_path / "edits.csv"
    with manifest.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=separator).writerows(lines)
    options = parser().parse_args(["--manifest", str(manifest), "--out-dir", str(tmp_path / "out")])
    one, two = read_jobs(options, parser())
    assert (one.problem, two.problem) == (None, None)
    assert one.options.text == 'We "meet" on Monday; at noon, sharp.' and two.line == 4
    assert [job.options.out.name for job in (one, two)] == ["friday.wav", "noon.wav"]
    assert [job.options.speed for job in (one, two)] == [1.1, 1.0]


def test_ci_runs_the_readme_test_command() -> None:
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


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
