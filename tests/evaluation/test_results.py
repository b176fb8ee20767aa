"""RESULTS.md: its parts are kept and resumed; every measure is a command that describes itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from a3t.errors import InputError
from evaluation.command_line import COMMANDS, main, module_of
from evaluation.harness.declared_tables import figure_name
from evaluation.results import pages
from evaluation.results.pages import PARTS

TEMPLATE = pages.TEMPLATE.read_text(encoding="utf-8")


def every_figure(value: Any) -> dict[str, dict[str, Any]]:
    """Each figure that the template wants, all with one value."""
    parts: dict[str, dict[str, Any]] = {}
    for _, part, key, *_ in pages.PLACE.findall(TEMPLATE):
        parts.setdefault(part, {})[key] = value
    return parts | {"run": dict.fromkeys(("weights", "commit", "processor", "date"), "x")}


def test_the_template_wants_figures_of_every_part_and_of_no_other() -> None:
    assert every_figure(1).keys() == {*PARTS, "run"}


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_a_measurement_with_such_options(name: str, tmp_path: Path) -> None:
    part = PARTS[name]
    measurement = module_of(part.command).MEASUREMENT
    measurement.setting(tmp_path, **dict(part.options), **dict.fromkeys(part.counts, 3))


def test_the_template_calls_figures_that_the_tables_have() -> None:
    for _, part, key, *_ in pages.PLACE.findall(TEMPLATE):
        if part == "run":
            continue
        measurement = module_of(PARTS[part].command).MEASUREMENT
        heads = {
            figure_name(column.head) for table in measurement.tables for column in table.columns
        }
        name = key.removesuffix(pages.VALUE)
        found = any(f".{name}".endswith(f".{head}") for head in heads)
        assert found or measurement.figured, f"{part}.{key}"


@pytest.mark.parametrize("value", [3.0, [3.0, 2.0, 4.0, 7]])
def test_the_page_is_short_and_filled(value: object) -> None:
    page = pages.filled(TEMPLATE, every_figure(value))
    assert page.count("\n") <= 150 and "{" not in page
    assert "3.00" in page and ("2.00 to 4.00" in page) == isinstance(value, list)


def test_aims_that_are_missed_are_listed() -> None:
    template = "| a measure | {p.x:.1f} | {aim p.x >= 2} |\n\n{missed}\n"
    assert pages.filled(template, {"p": {"x": 2.0}}) == "| a measure | 2.0 | ≥ 2 |\n\nNone.\n"
    missed = pages.filled(template, {"p": {"x": [1.0, 0.0, 2.0, 9]}})
    assert "**≥ 2**" in missed and missed.endswith("- a measure: 1 (≥ 2)\n")


def test_what_is_missing_is_left_out() -> None:
    template = (
        "## Head\n\nOf {a.n:.0f}:\n\n| x | y |\n|---|---|\n| 1 | {a.x:.1f} |\n| 2 | {b.y:.0f} |\n"
    )
    assert pages.filled(template, {"a": {"n": 3, "x": 1.5}}).count("|") == 9
    assert "| 2 |" not in pages.filled(template, {"a": {"n": 3, "x": 1.5}})
    assert pages.filled(template, {}) == "## Head\n"
    none = pages.filled(template, {"a": {"n": 3, "x": None}, "b": {"y": 2}})
    assert "| 2 | 2 |" in none and "| 1 |" not in none


def test_parts_are_resumed_and_never_run_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[str] = []

    class Stub:
        hears = False

        def __init__(self, name: str, figures: dict[str, Any]) -> None:
            self.name, self.found = name, figures

        def figures(self, *_: object) -> dict[str, Any]:
            ran.append(self.name)
            if not self.found:
                raise failure
            return self.found

    failure: BaseException = InputError("This metric needs the package pesq.")
    waits = {"alone,-second-edit.median,-s": 0.5, "people-at-once.longest,-s": float("nan")}
    parts = {"page": Stub("page", waits), "speed": Stub("speed", {})}
    monkeypatch.setattr(pages, "PARTS", parts)
    monkeypatch.setattr(pages, "minutes_of", lambda names: 3.0)
    command = ["results", "--out", str(tmp_path), "--parts", "page,speed"]
    assert main(command) == 0
    written = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "speed (This metric needs the package pesq)" in written
    assert "second edit | – | 0.5" in written
    assert "longest wait" not in written  # no figure
    failure = KeyboardInterrupt()
    assert main(command) == 130
    assert ran == ["page", "speed", "speed"]
    assert "1 of 2 parts are there; the others take about 3 minutes" in capsys.readouterr().out
    part = json.loads((tmp_path / "page.json").read_text(encoding="utf-8"))
    (tmp_path / "page.json").write_text(json.dumps(part | {"weights": {"small": "others"}}))
    assert main(command) == 1
    assert "other weights" in capsys.readouterr().err
    (tmp_path / "page.json").write_text("{")
    assert main(command) == 1
    assert main(["results", "--out", str(tmp_path), "--parts", "nothing"]) == 1
    assert "There is no part nothing" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_describes_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    shown = capsys.readouterr().out
    assert end.value.code == 0 and f"python -m evaluation {name}" in shown
    assert len(shown.split("\n\n")[1]) > 20  # the module's own words


def test_the_commands_are_listed_and_others_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert all(name in capsys.readouterr().out for name in ("results",))
    assert main(["nothing"]) == 2
    assert "usage: python -m evaluation NAME" in capsys.readouterr().err
