"""Everything that reads a text from elsewhere takes time in proportion to its length.

The readers are found by walking the packages: a new one can't be left out. A regular expression is
one step to those who count lines, so that processor time is compared here: that of a text, and of
one 64 times as long, for which a quadratic search takes 4096 times as much.
"""

import contextlib
import importlib
import inspect
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import a3t.text
import alignment.formats
import app.server
from a3t.text.markup import check_marks
from a3t.text.transcript import Transcript
from alignment.formats.transcripts.kinds import read_transcript
from alignment.formats.transcripts.ttml import is_ttml
from tests.alignment.formats.transcript_samples import FILES

ROOMS = (alignment.formats, a3t.text, app.server)
MODULES = (
    "a3t.source.transcripts",
    "a3t.commands.editing.edit_list",
    "app.studio.project_listening",
)
FIRST = ("text", "data", "line", "lines", "inside", "path")  # what readers call their input
TYPES = ("str", "bytes", "Path", "str | Path", "Sequence[str]", "Iterable[str]", "list[str]")
MORE: dict[str, tuple[object, ...]] = {  # their other arguments
    "parse_words": ("names.txt", str.split, lambda word: [("AE1",)]),
    "listed_words": ("names.txt",),
    "loaded": ("a.txt",),
    "decoded": (Path("a.txt"),),
    "read_bytes": (1_000_000, "transcript"),
    "by_speaker": (frozenset({"ANNA"}),),
    "named_by_colons": (frozenset({"ANNA"}),),
}
NETWORKS = ("punctuated", "listed_words")  # which take their time for each word
WRITERS = ("write_", "check_", "result_file", "phones_beside")
RUNS = [*" \n[<{7"]
MORE_RUNS = [*"\t(:\r\u00a0])}>aA\"'-.*", "\r\n", "{\\", "&#", "\n "]
SHORT, LONGER = 500, 64  # characters; times
SLACK, LEAST = 8.0, 0.1  # times the time in proportion, and seconds that any read may take
TRIES = 3


class TooLongError(BaseException):
    """Nothing that readers catch."""


@pytest.fixture(autouse=True)
def interrupted() -> Iterator[None]:
    """Let the timer end a read, within a regular expression as well."""

    def end(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGVTALRM, end)
    yield
    signal.signal(signal.SIGVTALRM, before)


def seconds(read: Callable[[], object], most: float = 60.0) -> float:
    """The time of a read, or of its refusal; TooLongError if it takes more processor time.

    By the clock, as some systems count processor time in steps of 4 ms, of which a short read has
    none.
    """
    begun = time.perf_counter()
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        with contextlib.suppress(Exception):
            result = read()
            if isinstance(result, Iterator):
                list(result)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.perf_counter() - begun


def placed(run: str, count: int) -> list[str]:
    """A run before what is said, and one amid and after it."""
    piece = run * (count // len(run))
    return [f"{piece}we met", f"we {piece} met{piece}"]


def assert_linear(read: Callable[[str], object], runs: list[str]) -> None:
    seconds(lambda: read("we met"))  # what is loaded once
    for run in runs:
        for short, long in zip(placed(run, SHORT), placed(run, SHORT * LONGER), strict=True):
            assert any(in_proportion(read, short, long) for _ in range(TRIES)), repr(long[:20])


def in_proportion(read: Callable[[str], object], short: str, long: str) -> bool:
    # The least of a few: what another process takes from the cache would hide a quadratic search.
    most = LEAST + SLACK * LONGER * min(seconds(lambda: read(short)) for _ in range(TRIES))
    try:
        seconds(lambda: read(long), most)
    except TooLongError:
        return False
    return True


def readers() -> dict[str, tuple[Callable[..., object], str]]:
    """Each function that reads a text or a file, and the type of its first parameter."""
    found: dict[str, tuple[Callable[..., object], str]] = {}
    names = [m.name for r in ROOMS for m in pkgutil.walk_packages(r.__path__, f"{r.__name__}.")]
    for module in map(importlib.import_module, [*names, *MODULES]):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            parameters = list(inspect.signature(function).parameters.values())
            if function.__module__ != module.__name__ or name.startswith(
                ("_", *WRITERS, *NETWORKS)
            ):
                continue
            first = str(parameters[0].annotation) if parameters else ""
            if first in TYPES and parameters[0].name in FIRST:
                needed = [each for each in parameters[1:] if each.default is each.empty]
                assert len(needed) == len(MORE.get(name, ())), f"MORE lacks {name}'s arguments"
                found[f"{module.__name__}.{name}"] = function, first
    return found


READERS = readers()


def test_the_readers_are_found() -> None:
    names = {name.rpartition(".")[2] for name in READERS}
    assert {"is_ttml", "read_transcript", "normalise", "without_markdown", "unspoken"} <= names
    assert len(READERS) > 50


each_run = pytest.mark.parametrize(
    "runs", [RUNS, pytest.param(MORE_RUNS, marks=pytest.mark.slow)], ids=["common", "rare"]
)


@each_run
@pytest.mark.parametrize("name", sorted(READERS))
def test_runs_of_a_sign(name: str, runs: list[str], tmp_path: Path) -> None:
    function, annotation = READERS[name]
    more = MORE.get(name.rpartition(".")[2], ())

    def of_a_file(text: str) -> None:
        for ending in (".txt", ".lab", ".TextGrid", ".json"):
            path = tmp_path / f"a{ending}"
            path.write_text(text)
            with contextlib.suppress(Exception):
                function(path, *more)

    def of_a_text(text: str) -> object:
        return function(text.encode() if annotation == "bytes" else text, *more)

    def of_lines(text: str) -> object:
        return function([text], *more)

    read = of_a_file if "Path" in annotation else of_a_text
    assert_linear(of_lines if "[str]" in annotation else read, runs)


@each_run
def test_runs_in_a_text(runs: list[str]) -> None:
    assert_linear(Transcript.from_text, runs)
    assert_linear(lambda text: check_marks(text, "we"), runs)


KINDS = {kind: (name, text) for name, (kind, text) in FILES.items()}


@each_run
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_runs_in_each_kind_of_transcript(kind: str, runs: list[str], tmp_path: Path) -> None:
    """In what is said, where tags and names are looked for."""
    name, sample = KINDS[kind]

    def read(text: str) -> object:
        path = tmp_path / name
        path.write_text(sample.replace("We met", text.replace("we", "We", 1)))
        return read_transcript(path)

    assert_linear(read, runs)


def test_a_quadratic_search_is_noticed() -> None:
    spaces = re.compile(r"\s*(?:x)?\s*<tt")
    with pytest.raises(AssertionError):
        assert_linear(lambda text: spaces.match(text), [" "])
    assert_linear(is_ttml, [" "])
