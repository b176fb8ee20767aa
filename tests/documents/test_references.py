"""Everything that the documents name exists: files, links, anchors, targets, options, modules."""

import ast
import csv
import re
from importlib import import_module
from pathlib import Path

import pytest
import yaml

import a3t
from a3t.commands.editing.edit_list import read_jobs
from a3t.commands.editing.edit_options import parser
from a3t.plan.cleaning import Cleaning
from a3t.plan.options import EditOptions
from a3t.plan.options import options_of as table_of
from tests.documents.blocks import DOCUMENTS, FENCED, ROOT, blocks, inline_code, text_of

PAST = {"log.md", "CHANGELOG.md", "RESULTS.md"}  # they also name what is gone
FOLDERS = "a3t|alignment|app|docs|evaluation|recipes|tests|training"


def test_links_lead_somewhere(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        with subtests.test(str(document)):
            for target, anchor in re.findall(
                r"\]\(([^)#\s]*)#?([^)\s]*)\)", FENCED.sub("", text_of(document))
            ):
                if not target.startswith(("http://", "https://", "mailto:")):
                    other = document.parent / target if target else document
                    assert other.exists(), target
                    assert not anchor or anchor in anchors(other), f"{target}#{anchor}"


def anchors(document: Path) -> set[str]:
    """The anchors that GitHub gives a document's headings."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", text_of(document)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_files_that_a_document_names_exist(subtests: pytest.Subtests) -> None:
    names = {path.name for folder in FOLDERS.split("|") for path in (ROOT / folder).rglob("*.*")}
    names |= {path.name for path in ROOT.glob("*.*")}
    for document in DOCUMENTS:
        if document.name in PAST:
            continue
        with subtests.test(str(document)):
            for code in inline_code(document):
                if re.fullmatch(rf"({FOLDERS})/[\w./-]+", code):
                    assert (ROOT / code).exists(), code
                elif re.fullmatch(r"\w+\.(py|js)", code):
                    assert code in names, code


def test_tests_that_a_document_names_exist(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        last = ""
        with subtests.test(str(document)):
            for file, name in re.findall(r"`(tests/[\w/]+\.py)?::(\w+)`", text_of(document)):
                last = file or last  # `::test` is another one of the file before
                assert f"def {name}(" in (ROOT / last).read_text(encoding="utf-8"), name


def test_make_targets_in_documents_exist(subtests: pytest.Subtests) -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", text_of(ROOT / "Makefile"), re.MULTILINE))
    for document in DOCUMENTS:
        fenced = [text for _, text in FENCED.findall(text_of(document))]
        written = "\n".join([*fenced, *inline_code(document)])
        with subtests.test(str(document)):
            assert set(re.findall(r"^make ([a-z][\w-]*)", written, re.MULTILINE)) <= targets


def options_of(text: str) -> set[str]:
    return {name.replace("_", "-") for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", text)}


def test_options_that_a_document_names_exist(subtests: pytest.Subtests) -> None:
    sources = [
        path.read_text(encoding="utf-8", errors="replace")
        for folder in ("a3t", "alignment", "app", "evaluation", "training", "recipes")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".sh"}
    ]
    source = " ".join([*sources, text_of(ROOT / "Makefile")])
    of_recipes = " ".join(f"--{name}" for name in re.findall(r"\b([a-z]\w*)=", source))
    of_others = {"--nodes", "--ntasks-per-node", "--no-deps"}  # SLURM's, pip's
    of_table = {row.flag for record in (EditOptions, Cleaning) for row in table_of(record)}
    known = options_of(source) | options_of(of_recipes) | of_others | of_table
    for document in DOCUMENTS:
        if document.name not in PAST:
            with subtests.test(str(document)):
                for code in inline_code(document):
                    # What is handed on in quotes is another program's.
                    assert options_of(re.sub(r"\"[^\"]*\"|'[^']*'", "", code)) <= known, code


def test_imports_in_documents_exist(subtests: pytest.Subtests) -> None:
    for block in blocks("python"):
        with subtests.test(str(block)):
            for node in ast.walk(ast.parse(block.text)):
                if isinstance(node, ast.ImportFrom):
                    module = pytest.importorskip(str(node.module))
                    assert all(hasattr(module, alias.name) for alias in node.names)


def test_modules_that_a_document_names_exist(subtests: pytest.Subtests) -> None:
    for document in DOCUMENTS:
        if document.name in PAST:
            continue
        with subtests.test(str(document)):
            for code in inline_code(document):
                if re.fullmatch(r"(a3t|alignment|app|evaluation|training)(\.(?!js)\w+)+", code):
                    assert has_attribute(code), code


def has_attribute(dotted: str) -> bool:
    """True for a module's name, and for a name in a module; in a wheel all begin with a3t."""
    dotted = re.sub(r"^a3t\.(alignment|app)", r"\1", dotted)
    try:
        import_module(dotted)
    except ModuleNotFoundError:
        module, _, name = dotted.rpartition(".")
        try:
            return hasattr(import_module(module), name)
        except ModuleNotFoundError:
            return False
    return True


def test_the_readme_is_short_and_says_how_to_begin() -> None:
    readme = text_of(ROOT / "README.md")
    assert {"make demo", "make test"} <= set(re.findall(r"^make [a-z]+", readme, re.MULTILINE))
    assert readme.count("\n") <= 100


def test_the_options_of_an_edit_are_documented() -> None:
    text = text_of(ROOT / "docs" / "editing.md")
    chapter = text.partition("## Options\n")[2].partition("\n## ")[0]
    actions = parser()._actions[1:]
    assert {name for each in actions for name in each.option_strings} <= options_of(chapter)


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


def test_the_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load(text_of(ROOT / "CITATION.cff"))
    newest = re.search(r"^## (\d\S+)", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert newest and newest[1] == citation["version"] == a3t.__version__
    assert f"a3t-{a3t.__version__}-py3" in text_of(ROOT / "README.md")
    assert citation["license"].startswith("Apache") and "Apache" in text_of(ROOT / "NOTICE")


def test_notice_credits_what_the_cards_name() -> None:
    """The corpora that a shipped model was trained on, as its card spells them."""
    notice = " ".join(text_of(ROOT / "NOTICE").split())
    for name in ("LibriSpeech", "LJ Speech", "Kathleen", "VCTK", "Common Voice", "speechocean762"):
        cards = [card for card in ROOT.glob("a3t/pretrained/*/README.md") if name in text_of(card)]
        assert cards and name in notice, name
