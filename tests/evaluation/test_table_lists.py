"""Lists of edits that are wrong, or of clips that are not there: named, counted, never a crash."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import astuple
from pathlib import Path

import pytest

from a3t.errors import InputError
from a3t.model.variance.durations import DurationPredictor
from a3t.text.pronunciation.pronouncer import Pronouncer
from evaluation.clips import HeldOutClip
from evaluation.command_line import main
from evaluation.edits import listing
from evaluation.tables.table_command import (
    further_systems,
    refuse_taken_names,
)
from evaluation.tables.tasks import TaskMaker
from training.corpora import Clip


class Maker(TaskMaker):
    """Makes tasks of one clip, without corpora."""

    def __init__(self, item: HeldOutClip | None) -> None:
        text = "Seven words are spoken in this clip."
        self.clips = {"one": Clip("kathleen", "kathleen", Path("one.wav"), text, 3.0)}
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
    command = ["table", "4.2", "--out", str(tmp_path / "out"), "--corpora", str(tmp_path)]
    assert main([*command, "--runs", str(tmp_path / "none")]) == 1
    assert "no folder of trained systems" in capsys.readouterr().err
    assert main([*command, "--runs", str(tmp_path)]) == 1
    assert "holds none of these corpora" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    with pytest.raises(SystemExit):
        main(["table", "9.9", "--runs", str(tmp_path), "--out", str(tmp_path)])
    with pytest.raises(InputError, match="write NAME=MODEL"):
        further_systems(Namespace(no_shipped=True, system=["nonsense"]))


@pytest.mark.parametrize("name", ["A3T", "a3t", "Recording", "copy synthesis", "…"])
def test_a_system_is_not_called_like_another(name: str) -> None:
    with pytest.raises(InputError, match="another system has this name"):
        refuse_taken_names(["A3T"], [name])
    refuse_taken_names(["A3T"], ["Theirs", "Theirs 2"])
    with pytest.raises(InputError, match="given twice"):
        further_systems(Namespace(no_shipped=True, system=["X=small", "X=other"]))
