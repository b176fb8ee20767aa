"""Twice the input is about twice the work, for everything that reads a stranger's text.

Subtitles' tags and the comments of sound files have their own cases beside their rooms.
"""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from a3t.commands import edit
from a3t.commands.editing.edit_list import read_jobs
from a3t.errors import InputError
from a3t.plan.edit_plan import PlannedEdit
from a3t.plan.edit_sites import merge_touching, place_edits, turns_at
from a3t.plan.edit_windows import windows_around
from a3t.plan.planner import timed, timeline
from a3t.plan.request import EditRequest
from a3t.plan.reuse import RecordedTexts
from a3t.plan.revision import Revision
from a3t.plan.usual_pauses import usual_pauses
from a3t.plan.word_grid import WordFrames, on_grid
from a3t.projects.project_edit import PlanFile
from a3t.projects.replay import read_record
from a3t.source.transcripts import text_of
from a3t.text.comparison.edit_script import edit_script
from a3t.text.comparison.respelling import respelled
from a3t.text.markup import check_marks
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.formats import read_alignment, write_alignment
from alignment.formats.dictionary import read_dictionary
from alignment.formats.tables import LabelledInterval, assemble, require_whole
from alignment.formats.text_file import read_text
from alignment.result import Phone, Word, pause
from tests.fuzz.corpus import RECORD
from tests.fuzz.work import work
from tests.text.normaliser.test_normalise import LONG

Made = Callable[[int], Callable[[], object]]  # a call on an input of a size
ONCE = 1000  # lines of work that don't grow


def assert_linear(of: Made, size: int) -> None:
    """`of(n)` is a call on an input of size n, which is not refused: it is read to its end."""
    work(of(size // 4))  # what is loaded once
    short, long = work(of(size)), work(of(2 * size))
    assert long <= 2.3 * short + ONCE, f"{short} for {size}, {long} for twice that"


PIECES = {
    *LONG.values(), "{\\", "(", "*", "* ", "*a* ", "[pause", "[pause 0.1] ", "[a 1] ", "[Music] ",
    "(laughs) ", "read ", "they read ", "really record ", "12:30 ", "\n", '"', "“", "’", "&#",
    "www.a.b/", "a@b ",
}  # fmt: skip


def test_marks(subtests: pytest.Subtests) -> None:
    """A refusal is work as well: a text may end with a mark half written."""

    def checked(text: str) -> None:
        with contextlib.suppress(InputError):
            check_marks(text, text)
        with contextlib.suppress(InputError):
            Transcript.from_text(text)

    def of(piece: str) -> Made:
        return lambda n: lambda: checked("so " + piece * n)

    for piece in sorted(PIECES):
        with subtests.test(piece):
            assert_linear(of(piece), 48)


WORDS: dict[str, Callable[[int], tuple[str, str]]] = {
    "the same": lambda n: ("we met " * n, "we met " * n),
    "spelling": lambda n: ("colour we e-mail " * n, "color we email " * n),
    "every second word": lambda n: ("we met them " * n, "we saw them " * n),
    "pauses": lambda n: ("we met " * n, "we [pause 0.1] met " * n),
    "stress": lambda n: ("we met " * n, "we *met* " * n),
    "homographs": lambda n: ("they read " * n, "they record " * n),
    "added": lambda n: ("so we met", "so we " + "really " * n + "met"),
    "removed": lambda n: ("so we " + "really " * n + "met", "so we met"),
}


@pytest.mark.parametrize("case", WORDS)
def test_comparing_texts(case: str) -> None:
    def texts(n: int) -> tuple[Transcript, Transcript]:
        old, new = (Transcript.from_text(text) for text in WORDS[case](n))
        return old, new

    def of(function: Callable[[Transcript, Transcript], object]) -> Callable[[int], object]:
        def made(n: int) -> Callable[[], object]:
            old, new = texts(n)
            return lambda: function(old, new)

        return made  # type: ignore[return-value]

    for function in (
        lambda old, new: edit_script(old.spoken, new.spoken),
        respelled,
        Revision.of,
        lambda old, new: Pronouncer().pronounce(new.spoken, [w.written for w in new.words]),
    ):
        assert_linear(of(function), 40)  # type: ignore[arg-type]


class Steady:
    """A duration network for which every phone takes 8 frames."""

    def frames(self, phones: list[str], words: list[int]) -> list[float]:
        return [8.0] * len(phones)


def aligned(words: int) -> Alignment:
    """Words of two phones and 0.2 s each, with a pause after every fifth and at the end."""
    said: list[Word] = []
    clock = 0.0
    for k in range(words):
        middle, end = clock + 0.1, clock + 0.2
        phones = Phone("W", clock, middle), Phone("IY1", middle, end)
        said.append(Word("we", clock, end, 1.0, phones))
        clock = end
        if k % 5 == 4 or k == words - 1:
            said.append(pause(clock, clock + 0.3))
            clock += 0.3
    return Alignment(tuple(said), clock)


@pytest.mark.parametrize("every", [1, 3])
def test_planning(every: int) -> None:
    """From a revision to its windows, the networks apart: each edit and each phone once."""

    def of(n: int) -> Callable[[], object]:
        alignment = aligned(n * every + 2)
        old = ["we"] * len(alignment.spoken)
        new = ["never" if k % (every + 1) == every else word for k, word in enumerate(old)]
        before, after = (Transcript.from_text(" ".join(text)) for text in (old, new))
        revision = Revision.of(before, after)

        def plan() -> None:
            frames = round(alignment.duration * 80)
            grid = on_grid(alignment, frames)
            words = WordFrames.of(grid, len(old), frames)
            said = Pronouncer().as_recorded(after, alignment.spoken)
            script = merge_touching(revision.edits, words)
            places = place_edits(script, words, before, after, revision.pauses)
            moments = timeline(grid, places, said, after, usual_pauses(before, grid))
            request = EditRequest(new_text="never")
            timed(moments, grid, Steady(), request, {}, after)  # type: ignore[arg-type]
            windows_around([edited(place.frames) for place in places], grid, frames)

        return plan

    assert_linear(of, 40)


@pytest.mark.parametrize("line", ["we say it now and never {k}", "we we we we we we {k}"])
def test_moved_words(line: str) -> None:
    """Every second sentence changes places with the next one."""

    def of(n: int) -> Callable[[], object]:
        said = [line.format(k="abcdefghij"[k % 10]) + "." for k in range(2 * n)]
        moved = [said[k ^ 1] for k in range(2 * n)]
        before, after = (Transcript.from_text(" ".join(text)) for text in (said, moved))
        script = Revision.of(before, after).edits
        return lambda: RecordedTexts((before,)).matches(script, after)

    assert_linear(of, 40)


def test_turns_of_named_speakers() -> None:
    def of(n: int) -> Callable[[], object]:
        lines = [f"{'ANNA' if k % 2 else 'BOB'}: we we" for k in range(n + 1)]
        new = [f"{line} never" for line in lines]
        before, after = (Transcript.from_text("\n".join(text)) for text in (lines, new))
        revision = Revision.of(before, after)
        alignment = aligned(len(before.spoken))
        frames = round(alignment.duration * 80)
        words = WordFrames.of(on_grid(alignment, frames), len(before.spoken), frames)
        script = merge_touching(revision.edits, words)
        places = place_edits(script, words, before, after, revision.pauses)
        return lambda: turns_at(places, before, after, words)

    assert_linear(of, 100)


def edited(source: tuple[int, int]) -> PlannedEdit:
    return PlannedEdit("replace", (0, 1), (0, 1), "we", "never", source, (), (0, 0), (0, 0))


FILES: list[tuple[Callable[[Path], object], str, str, str, str]] = [
    # reader, ending, beginning, what is repeated, end
    (text_of, "srt", "", "1\n00:00:00,000 --> 00:00:01,500\n<i>and you</i> always\n\n", ""),
    (text_of, "vtt", "WEBVTT\n\n", "00:00.000 --> 00:01.500\nand you &amp; always\n\n", ""),
    (text_of, "vtt", "WEBVTT\n\n", "00:00.000 --> 00:01.500\n", "we"),
    (text_of, "json", '{"segments": [{"text": "a"}', ', {"text": " we met"}', "]}"),
    (text_of, "vtt", "WEBVTT\n\n", "00:00.000 --> 00:00.010\nand you\nalways and\n\n", ""),
    (text_of, "srt", "1\n00:00:00,000 --> 00:00:01,500\n", "and you always ", ""),
    (text_of, "ass", "[Events]\n", "Dialogue: 0,0:00:00.00,0:00:01.50,x,BOB,0,0,0,,and\n", ""),
    (text_of, "txt", "", "Anna  0:01\nBOB: and you [2] always\n\n", ""),
    (text_of, "txt", "0:01 ", "[2] (", ""),
    (text_of, "txt", "", "0.5\t1.0\tand\n", ""),
    (read_text, "txt", "", "and you always\n", ""),
    (read_dictionary, "dict", "", "and AE1 N D\n", ""),
    (read_dictionary, "dict", "and", " AE1", ""),
]


def test_reading_texts(tmp_path: Path, subtests: pytest.Subtests) -> None:
    def of(read: Callable[[Path], object], ending: str, begins: str, piece: str, ends: str) -> Made:
        def made(n: int) -> Callable[[], object]:
            path = tmp_path / f"{n}.{ending}"
            path.write_text(begins + piece * n + ends)
            return lambda: read(path)

        return made

    for case in FILES:
        with subtests.test(f"{case[1]}: {case[3]}"):
            assert_linear(of(*case), 60)


def test_reading_alignments(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """TextGrids apart: see the next test."""

    def of(ending: str) -> Made:
        def made(n: int) -> Callable[[], object]:
            path = tmp_path / f"{n}{ending}"
            write_alignment(aligned(n), path)
            assert len(read_alignment(path).spoken) == n
            return lambda: read_alignment(path)

        return made

    for ending in (".json", ".lab", ".ctm", ".txt"):
        with subtests.test(ending):
            assert_linear(of(ending), 60)


def test_assembling_words_and_phones() -> None:
    """Our work on a TextGrid; praatio reads the file itself and searches from offsets."""

    def of(n: int) -> Callable[[], object]:
        words = [LabelledInterval(k / 5, (k + 1) / 5, "we") for k in range(n)]
        phones = [LabelledInterval(k / 10, (k + 1) / 10, ("W", "IY1")[k % 2]) for k in range(2 * n)]
        return lambda: require_whole(assemble(words, phones, n / 5, Path("x")), Path("x"))

    assert_linear(of, 100)


def long_history(n: int) -> str:
    """Versions that share a long alignment and many edits."""
    shared = RECORD | {"alignment": aligned(n).to_json(), "edits": [*RECORD["edits"]] * n}  # type: ignore[misc]
    return json.dumps(shared | {"versions": [{}] * n, "version": 0})


def long_plan(n: int) -> str:
    words: list[object] = [{"word": "a", "seconds": 1.0}]
    edits = [{"words": words * n}] * 3
    return json.dumps({"text": "a", "new_text": "b", "edits": edits, "source": {}})


def long_record(n: int) -> str:
    return json.dumps(RECORD | {"alignment": aligned(n).to_json(), "text": "we " * n})


@pytest.mark.parametrize(
    ("read", "text"),
    [(PlanFile.read, long_plan), (read_record, long_record), (read_record, long_history)],
)
def test_reading_records(
    read: Callable[[Path], object], text: Callable[[int], str], tmp_path: Path
) -> None:
    def of(n: int) -> Callable[[], object]:
        path = tmp_path / f"{n}.json"
        path.write_text(text(n))
        return lambda: read(path)

    assert_linear(of, 50)


@pytest.mark.parametrize("ending", ["tsv", "jsonl"])
def test_reading_lists(ending: str, tmp_path: Path) -> None:
    def of(n: int) -> Callable[[], object]:
        path = tmp_path / f"{n}.{ending}"
        lines = [f"talk.wav\tand you\tout{k}.wav" for k in range(n)]
        if ending == "jsonl":
            names = ("wav", "new_text", "out")
            lines = [json.dumps(dict(zip(names, x.split("\t"), strict=True))) for x in lines]
        else:
            lines.insert(0, "wav\tnew_text\tout")
        path.write_text("\n".join(lines))
        given = ["--manifest", str(path), "--out-dir", str(tmp_path / "out")]
        return lambda: read_jobs(edit.parser().parse_args(given), edit.parser())

    assert_linear(of, 20)


def test_a_quadratic_function_is_noticed() -> None:
    def found_twice(n: int) -> Callable[[], object]:
        numbers = list(range(n))
        return lambda: [k for k in numbers if not any(j == k + 1 for j in numbers)]

    with pytest.raises(AssertionError):
        assert_linear(found_twice, 200)
    with pytest.raises(AssertionError):
        assert_linear(lambda n: lambda: [("a" * n).find("b") for _ in range(n)], 2000)
