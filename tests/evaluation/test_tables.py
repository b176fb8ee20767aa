"""The thesis's tables: tasks, judging, failures, resuming, intervals and the page."""

import math
from argparse import Namespace
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from a3t.errors import InputError
from a3t.grid import HOP
from a3t.model.variance.durations import DurationPredictor
from a3t.text.pronunciation.pronouncer import Pronouncer
from evaluation.clips import HeldOutClip
from evaluation.command_line import main
from evaluation.edits import listing
from evaluation.harness.declared_tables import Row
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import Measurement, Setting
from evaluation.systems.interface import Gap, System
from evaluation.systems.named import RUNS
from evaluation.systems.simple import MeanSpectrum
from evaluation.tables import comparison, thesis_tables
from evaluation.tables.comparison import TaskOfSystem, compared, version_key
from evaluation.tables.judging import GapJudge
from evaluation.tables.table_command import (
    failed,
    further_systems,
    refuse_taken_names,
)
from evaluation.tables.tasks import (
    GapTask,
    TaskMaker,
    edit_task,
)
from evaluation.tables.thesis_tables import A3T, paired, seeds_table, with_differences
from tests.evaluation.conftest import WORDS
from training.corpora import Clip


def test_every_task_is_one_gap(tasks: dict[str, GapTask], item: HeldOutClip) -> None:
    for kind, task in tasks.items():
        first, last = task.gap.frame_span
        assert task.gap.durations.sum() == len(task.gap.mel)
        assert not task.gap.mel[first:last].any()
        inside = task.gap.durations[slice(*task.gap.phone_span)].sum()
        assert inside == last - first, kind
    assert tasks["edit"].spoken == ("and", "quiet", "you", "always")
    assert tasks["edit"].before == WORDS
    assert sorted(set(tasks["edit"].gap.words.tolist())) == [0, 1, 2, 3]
    prompt = tasks["prompt"]
    assert prompt.gap.frame_span[0] == len(item.mel)
    np.testing.assert_array_equal(prompt.gap.phones[9:], item.phones)
    assert prompt.gap.words.max() == 5


def test_a_replaced_word_goes_and_its_neighbours_stay(item: HeldOutClip) -> None:
    predictor = DurationPredictor(width=16, hidden=16, blocks=1).eval()
    task = edit_task(
        item, "e", "replace", (1, 2), ["river", "paper"], list(WORDS), predictor, Pronouncer()
    )
    assert task.spoken == ("and", "river", "paper", "always")
    np.testing.assert_array_equal(task.gap.phones[:3], item.phones[:3])
    np.testing.assert_array_equal(task.gap.phones[-3:], item.phones[6:])
    assert task.gap.words[-1] == 3
    start, resume = task.gap.frame_span[0] * HOP, task.resume
    assert (start, resume) == (
        int(item.durations[:3].sum()) * HOP,
        int(item.durations[:6].sum()) * HOP,
    )
    end = edit_task(item, "e", "end", (2, 3), ["river"], list(WORDS), predictor, Pronouncer())
    assert end.gap.frame_span[1] == len(end.gap.mel) - (len(item.mel) - item.durations.sum())


def make_row(task: str, system: str, seen: bool = True, **figures: Any) -> Row:
    return {"task": task, "kind": "given", "edit": "", "seen": seen, "system": system, **figures}


def test_an_interval_by_hand() -> None:
    values = np.random.default_rng(0).normal(5, 1, 200)
    found = Interval.of([*values, math.nan])
    assert found.count == 200 and found.value == pytest.approx(values.mean())
    error = values.std(ddof=1) / math.sqrt(200)  # the normal theory's, at this size
    assert found.low == pytest.approx(values.mean() - 1.96 * error, abs=0.03)
    assert found.high == pytest.approx(values.mean() + 1.96 * error, abs=0.03)
    assert f"{Interval.of([]):.2f}" == "–" and f"{Interval.of([3.0]):.2f}" == "3.00"


def test_differences_are_taken_clip_by_clip() -> None:
    rows = [make_row(f"c{k}", A3T, mcd=5.0 + k) for k in range(4)]
    rows += [make_row(f"c{k}", "EditSpeech", mcd=7.0 + k) for k in range(1, 4)]
    found = paired(rows, A3T, "EditSpeech")
    assert (found.value, found.count) == (-2.0, 3)
    rows = [
        make_row("c", "copy-synthesis", wer=0.2),
        make_row("c", A3T, wer=0.5),
        make_row("d", A3T, wer=1),
    ]
    different = {(r["task"], r["system"]): r["wer"] for r in with_differences(rows)}
    assert different["c", A3T] == pytest.approx(0.3)
    assert math.isnan(different["d", A3T])


def test_margins_are_of_the_tasks_that_there_are() -> None:
    rows = [make_row(task, A3T, mcd=5.0) for task in "abc"]
    rows += [make_row(task, "Baseline 3", mcd=7.0 + k) for k, task in enumerate("abc")]
    rows += [make_row("a", "copy-synthesis", mcd=3.0)]
    lines = thesis_tables.margins(rows).splitlines()
    assert lines[-1] == "| Baseline 3 | given | -3.00 (-4.00 to -2.00) | – |"
    assert not any("predicted" in line or "copy-synthesis" in line for line in lines)


def test_what_failed_is_counted_and_in_no_mean() -> None:
    rows = [
        make_row("a", A3T, mcd=4.0),
        make_row("b", A3T, mcd=6.0),
        make_row("c", A3T, error="it broke"),
    ]
    rows += [make_row(name, "mean spectrum", mcd=9.0, seen=False) for name in "abc"]
    text = thesis_tables.table_of(thesis_tables.TABLES["4.3"], rows)
    assert "| A3T (this project's) | 2 | 1 | 5.00 | – |" in text
    assert "| mean spectrum | 3 | – | – | 9.00 (9.00 to 9.00) |" in text


def test_trainings_are_compared_seed_by_seed() -> None:
    first, second = RUNS["a3t_thesis"], RUNS["no_alignment_embedding"]
    figures = {first: 5.0, f"{first}, seed 1": 6.0, second: 8.0, f"{second}, seed 1": 8.5, A3T: 4}
    rows = [
        make_row(task, name, mcd=m + k)
        for name, m in figures.items()
        for k, task in ((-1, "a"), (1, "b"))
    ]
    shown = seeds_table(rows)
    assert f"| {first} | 2 | 5.00, 6.00 | 5.50 (5.00 to 6.00) | – |" in shown
    assert f"| {second} | 2 | 8.00, 8.50 | 8.25 (8.00 to 8.50) | +2.75 (+2.50 to +3.00) |" in shown
    assert (
        "| A3T (this project's) |" not in shown and seeds_table([make_row("a", A3T, mcd=1.0)]) == ""
    )
    lines = thesis_tables.table_of(thesis_tables.TABLES["4.2"], rows).splitlines()
    assert [line.split(" | ")[0].strip("| ") for line in lines[4:]] == [*figures]
    own = [line for line in lines if second in line]
    assert len(own) == 2 and all("10.73" in line for line in own)


class Broken(System):
    name = "theirs"

    def fill(self, gap: Gap) -> np.ndarray:
        raise RuntimeError("out of memory")


def test_a_failing_system_fails_alone(
    tasks: dict[str, GapTask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyworld", reason="the extra `eval` is not installed")
    systems: dict[str, System] = {"mean spectrum": MeanSpectrum(), "theirs": Broken()}
    monkeypatch.setattr(comparison, "load_system", lambda name, folder: systems[name])
    monkeypatch.setattr(GapJudge, "figures", lambda self, made, spoken=None: {"mcd": 1.0})
    work = [tasks["given"], tasks["edit"]]

    def items(setting: Setting) -> list[TaskOfSystem]:
        setting.known["sounds"] = True
        return list(compared(work, dict.fromkeys(systems), "griffin-lim", setting))

    measurement = Measurement(items, comparison.judge, key=version_key)
    rows = measurement.rows(setting := measurement.setting(tmp_path))
    assert len(rows) == 6 and not any(row["system"] == "theirs" for row in rows)
    assert setting.left_out[0][1] == "arctic.given, theirs: RuntimeError('out of memory')"
    assert [row["task"] for row in failed(setting)] == ["arctic.given", "edit-1"]
    assert (tmp_path / "sounds" / "mean-spectrum" / "edit-1.flac").is_file()


def test_figures_are_out_of_date_when_anything_is_other(
    tasks: dict[str, GapTask], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = Measurement(lambda _: (), comparison.judge).setting(tmp_path)

    def key(task: GapTask, vocoder: str = "builtin") -> str:
        return version_key([*compared([task], {"mean spectrum": None}, vocoder, setting)][-1])

    given = tasks["given"]
    before = key(given)
    assert before.startswith("arctic.given, mean spectrum ") and key(given) == before
    assert key(given, "griffin-lim") != before
    longer = replace(given.gap, durations=given.gap.durations + 1)
    assert key(replace(given, gap=longer)) != before
    monkeypatch.setattr(comparison, "MEASURED", -1)
    assert key(given) != before


class Maker(TaskMaker):
    """Makes tasks of one clip, without corpora."""

    def __init__(self, item: HeldOutClip | None) -> None:
        text = "Seven words are spoken in this clip."
        self.clips = {"one": Clip("kathleen", "kathleen", Path("one.wav"), text, 3.0)}
        self.split = lambda clip: "test_unseen"
        self.left_out, self._aligned = [], {"kathleen-one": item}
        self.predictor = DurationPredictor(width=16, hidden=16, blocks=1).eval()
        self.pronouncer = Pronouncer()


def test_listed_edits_that_cannot_be_made_are_counted_with_their_reason(
    item: HeldOutClip, tmp_path: Path
) -> None:
    listed = [
        listing.ListedEdit(f"report-{k}", "report", "replace", "v", clip, *span, "river")
        for k, (clip, span) in enumerate([("one", (1, 2)), ("gone", (1, 2)), ("one", (6, 8))])
    ]
    path = tmp_path / "list.tsv"
    lines = ["\t".join(map(str, astuple(edit))) for edit in listed]
    path.write_text("\n".join(["head", *lines]), encoding="utf-8")
    maker = Maker(item)
    assert [task.name for task in maker.edits(9, path)] == ["report-0"]
    assert [reason for _, reason in maker.left_out] == [
        "report-1: its clip gone is not in the corpora",
        "report-2: its clip has 7 words, not 8",
    ]


def test_a_table_of_nothing_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["table", "4.2", "--out", str(tmp_path / "out"), "--data", str(tmp_path)]
    assert main([*command, "--runs", str(tmp_path / "none")]) == 1
    assert "no folder of trained systems" in capsys.readouterr().err
    assert main([*command, "--runs", str(tmp_path)]) == 1
    assert "has no split.tsv" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    with pytest.raises(SystemExit):
        main(["table", "9.9", "--runs", str(tmp_path), "--out", str(tmp_path)])
    with pytest.raises(InputError, match="write NAME=MODEL"):
        further_systems(Namespace(system=["nonsense"]))


@pytest.mark.parametrize("name", ["A3T", "a3t", "Recording", "copy synthesis", "…"])
def test_a_system_is_not_called_like_another(name: str) -> None:
    with pytest.raises(InputError, match="another system has this name"):
        refuse_taken_names(["A3T"], [name])
    refuse_taken_names(["A3T"], ["Theirs", "Theirs 2"])
    with pytest.raises(InputError, match="given twice"):
        further_systems(Namespace(system=["X=small", "X=other"]))
