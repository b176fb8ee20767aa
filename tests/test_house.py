"""Rules for the whole house: the direction of imports, and what inference may load."""

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("a3t", "alignment", "app", "training", "evaluation")
# The rooms, each of which imports only from those before it.
ORDER = """
    alignment a3t.errors a3t.user_folders a3t.grid a3t.spans a3t.example
    a3t.audio a3t.pretrained
    a3t.text a3t.source
    a3t.model a3t.vocoder
    a3t.learning a3t.plan a3t.voice a3t.rendering a3t.editor
    a3t.console
    a3t.fetching
    a3t.projects app a3t.commands
    training evaluation a3t.__main__ programs
""".split()

NOT_INFERENCE = {"espnet", "espnet2", "espnetez", "parallel_wavegan", "gradio", "matplotlib"}
LAZY = {"librosa", "nltk", "g2p_en", "sklearn", "pandas"}
PICKLERS = {"pickle", "dill", "joblib", "shelve"}
ENTRIES = ("a3t.editor", "a3t.commands.edit", "a3t.commands.tts")
# What `python -m` has always called these commands, and what a Space runs.
DOORS = {"a3t.edit", "a3t.tts", "app.space.app"}


@cache
def modules() -> dict[str, Path]:
    """Every module of the packages, by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(module: str) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


@cache
def imports(module: str) -> frozenset[str]:
    """The modules that `module` imports anywhere, functions and types included."""
    return imported_by(module, list(ast.walk(tree(module))))


def imported_by(module: str, nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The modules that these statements of a module import."""
    path = modules()[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names: set[str] = set()
    for node in nodes:
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


def own_imports(module: str) -> set[str]:
    return {name for name in imports(module) if name in modules() and name != module}


def closure(*entries: str) -> set[str]:
    """The project's modules that `entries` need, directly or through others."""
    found: set[str] = set()
    waiting = [name for name in entries if name in modules()]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting.extend(own_imports(module))
    return found


def room(module: str) -> str:
    """a3t.audio.analysis.mel -> a3t.audio; a3t.editor -> a3t.editor; alignment.result -> alignment.

    A program that `python -m` runs stands above its room.
    """
    parts = module.split(".")
    if parts[-1] == "__main__" or module in DOORS:
        return "a3t.__main__" if module == "a3t.__main__" else "programs"
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
        if room(module) == "alignment":
            assert not {name for name in imports(module) if name.split(".")[0] in {"a3t", "app"}}, (
                module
            )


def test_rooms_of_the_aligner_follow_each_other() -> None:
    """No circle among them."""
    needs: dict[str, set[str]] = {}
    for module in modules():
        # The package's own __init__ offers its aligners on first use: a door, not a need.
        if module.startswith("alignment."):
            own = ".".join(module.split(".")[:2])
            found = {".".join(name.split(".")[:2]) for name in own_imports(module)}
            needs.setdefault(own, set()).update(found - {own, "alignment", "a3t"})
    while needs:
        free = {each for each, others in needs.items() if not others & needs.keys()}
        assert free, f"these rooms need each other in a circle: {sorted(needs)}"
        for each in free:
            del needs[each]


def test_packages_that_a_wheel_renames_are_imported_with_from() -> None:
    """`import alignment` would bind another name in a wheel, where it is `a3t.alignment`."""
    for module in modules():
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.Import):
                assert not {n.name.split(".")[0] for n in node.names} & {"alignment", "app"}, module


def test_only_the_app_knows_the_app() -> None:
    for module in modules():
        if module.split(".")[0] not in {"app", "evaluation"} and room(module) != "a3t.commands":
            assert not {name for name in own_imports(module) if room(name) == "app"}, module


def test_inference_needs_no_framework_training_or_evaluation() -> None:
    for module in closure(*ENTRIES):
        # Within functions a package is imported when such a checkpoint or a picture is asked for.
        outside = {name.split(".")[0] for name in imported_by(module, tree(module).body)}
        assert not outside & NOT_INFERENCE, f"{module} imports {outside & NOT_INFERENCE}"
        assert room(module) not in {"training", "evaluation", "app"}, module


def test_a_package_imports_only_the_packages_before_it() -> None:
    """No circle anywhere in the house, and no import that runs back up."""
    place = {room: number for number, room in enumerate(ORDER)}
    rooms = {room(module) for module in modules()} - {"a3t"}
    assert rooms == set(ORDER), f"ORDER lacks or has too many: {rooms ^ set(ORDER)}"
    for module in modules():
        if module == "a3t":  # it offers Editor on first use: a door, not a need
            continue
        here = place[room(module)]
        for name in own_imports(module) - {"a3t"}:
            assert place[room(name)] <= here, f"{module} imports {name}"


def test_the_rooms_of_audio_follow_each_other() -> None:
    rooms = "reading analysis output matching splicing".split()
    for module in modules():
        if module.startswith("a3t.audio.") and (here := module.split(".")[2]) in rooms:
            above = {f"a3t.audio.{room}" for room in rooms[rooms.index(here) + 1 :]}
            found = {name for name in own_imports(module) if ".".join(name.split(".")[:3]) in above}
            assert not found, f"{module} imports {found}"


def test_no_module_needs_itself() -> None:
    needs = {module: own_imports(module) - {"a3t"} for module in modules()}
    while needs:
        free = {module for module, others in needs.items() if not others & needs.keys()}
        assert free, f"these modules need each other in a circle: {sorted(needs)}"
        for module in free:
            del needs[module]


def test_a_program_can_be_interrupted_while_it_is_imported() -> None:
    """The first thing that a program which tidies up does is to let Ctrl-C end it at once."""
    for module in modules():
        body = tree(module).body
        if "a3t.console.run" in imports(module) and "__main__" in ast.unparse(body[-1]):
            package = module.partition(".")[0]
            if package in ("training", "evaluation"):  # all their programs
                body = tree(package).body
            others = (ast.Expr, ast.Import, ast.ImportFrom)
            first = next(node for node in body if not isinstance(node, others))
            assert "begin_program()" in ast.unparse(first), module


def test_no_path_of_one_machine() -> None:
    machine = re.compile("(?<![\\w./])/(?:work|root|home|Users|mnt)/" + r"\w")
    for path, text in texts():
        found = machine.search(text)
        assert not found, f"{path.relative_to(ROOT)}: {found.group() if found else ''}"


def test_nothing_is_unpickled_and_no_shell_is_run() -> None:
    for module in modules():
        stored = {name for name in imports(module) if name.split(".")[0] in PICKLERS}
        # The error that torch raises is pickle's; "from pickle import" names the package as well.
        assert stored in (set(), {"pickle", "pickle.UnpicklingError"}), module
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.Call):
                given = {
                    word.arg: ast.unparse(word.value)
                    for word in node.keywords
                    if word.arg in {"shell", "allow_pickle", "weights_only"}
                }
                name = called(node.func)
                assert given.get("shell", "False") == "False", module
                assert given.get("allow_pickle", "False") == "False", module
                assert name not in {"os.system", "eval", "exec"}, module
                if name == "torch.load":
                    assert given.get("weights_only") == "True", module


def called(function: ast.expr) -> str:
    """The name of a function, or of one in a module; "" for any other."""
    match function:
        case ast.Name(name):
            return name
        case ast.Attribute(ast.Name(module), name):
            return f"{module}.{name}"
    return ""


PRODUCT = {"a3t", "alignment", "app"}
# Near what is reached (442, 194; 22, 238): a change may lower these, and none may raise them.
MOST_BELOW, MOST_SHARED = 447, 199
MOST_APPS, MOST_REACHES = 22, 245
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")


def constants(module: str) -> dict[str, bool]:
    """A module's constants, and whether each stands below a function or class."""
    below, found = False, {}
    for node in tree(module).body:
        below = below or isinstance(node, ast.FunctionDef | ast.ClassDef)
        targets = node.targets if isinstance(node, ast.Assign) else []
        for name in (each for target in targets for each in ast.walk(target)):
            if isinstance(name, ast.Name) and CONSTANT.fullmatch(name.id):
                found[name.id] = below
    return found


def test_constants_stand_at_the_top_under_a_name_of_their_own() -> None:
    """The bounds are near what is reached, and only fall."""
    of_modules = {m: constants(m) for m in modules() if m.partition(".")[0] in PRODUCT}
    below = [(m, name) for m, found in of_modules.items() for name in found if found[name]]
    assert len(below) <= MOST_BELOW, below
    names = [name for found in of_modules.values() for name in found]
    shared = {name for name in names if names.count(name) > 1}
    assert len(shared) <= MOST_SHARED, sorted(shared)


def test_what_the_page_s_components_are_handed() -> None:
    """Components take the whole application instead of what they use: the bounds only fall."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "app/web").rglob("*.js"))
    assert text.count("{any} app") <= MOST_APPS
    assert text.count("this.app.") <= MOST_REACHES


def test_shipped_weights_stay_small() -> None:
    files = [path for path in (ROOT / "a3t" / "pretrained").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 60_000_000
