"""The picture of an edit shows the right things, and needs no display."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.editor import Editor
from a3t.projects.export import pictures
from a3t.rendering.edited import EditedRecording
from tests.conftest import ARCTIC

NEW = "You never want to see it, again, in the superlative degree."


@pytest.fixture(scope="module")
def result(editor: Editor, arctic: Path) -> EditedRecording:
    return editor.edit(arctic, new_text=NEW, text=ARCTIC)


def test_words_move_along_and_edits_are_marked(result: EditedRecording) -> None:
    before, after = pictures.sides_of(result)
    changed = {word.text: word.op for word in before.shown_labels if word.op}
    assert changed == {"and": "delete", "always": "replace"}
    changed = {word.text: word.op for word in after.shown_labels if word.op}
    assert changed == {"never": "replace", "again": "insert"}
    kept = [[word for word in side.shown_labels if not word.op] for side in (before, after)]
    assert [word.text for word in kept[0]] == [word.text for word in kept[1]]
    assert [mark.wordless for mark in before.marks] == [False, False, True]
    assert [mark.wordless for mark in after.marks] == [True, False, False]
    moved = result.map.samples.output_length - result.recording.samples
    last = (before.labels[-1].end - after.labels[-1].end) * before.rate
    assert -last == pytest.approx(moved, abs=1)
    for side in (before, after):
        for word in side.labels:
            middle = (word.start + word.end) / 2
            inside = [mark for mark in side.marks if mark.start <= middle <= mark.end]
            assert word.op is None or word.op in {mark.op for mark in inside}
    assert len(before.samples) == result.recording.samples
    assert len(after.samples) == result.map.samples.output_length


def test_of_a_long_recording_the_part_around_the_edit_is_shown(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    sound, rate = soundfile.read(arctic)
    soundfile.write(tmp_path / "long.wav", np.tile(sound, 4), rate)
    text = " ".join([ARCTIC] * 4)
    result = editor.edit(tmp_path / "long.wav", text=text, new_text=text.removesuffix(" degree."))
    before, after = pictures.sides_of(result)
    assert before.start == after.start > 0
    assert before.end - before.start <= pictures.MAX_PICTURE_S
    assert before.start < before.marks[0].start < before.marks[0].end <= before.end
    assert before.text.startswith("… ") and before.text.endswith(" superlative degree …")
    assert after.text.endswith(" superlative …")


def test_a_picture_is_drawn_without_pyplot(result: EditedRecording, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    from a3t.projects.export.pictures import draw_edit

    imported = "matplotlib.pyplot" in sys.modules
    draw_edit(result, tmp_path / "edit.png")
    assert ("matplotlib.pyplot" in sys.modules) == imported
    assert (tmp_path / "edit.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["edit.png"]


# A process of its own, before matplotlib is loaded, whose home can't be written.
SILENT = """
import logging, sys
import a3t.projects.export.pictures as pictures
with pictures._drawing():
    figure = pictures.new_figure(3.0, 2.0)
    figure.add_subplot().set_title("\u65e5\u672c and $5_$, not 5$ or $")
    figure.savefig(sys.argv[1])
logging.getLogger("matplotlib").warning("It speaks again.")
"""


def test_drawing_is_silent_and_money_is_no_formula(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    home = {"HOME": "/proc/none", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "", "MPLCONFIGDIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", SILENT, str(tmp_path / "a.png")],
        env=os.environ | home, capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "It speaks again.\n")


def test_nothing_changed_is_drawn_too(editor: Editor, arctic: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    from a3t.projects.export.pictures import edit_figure

    same = editor.edit(arctic, text=ARCTIC, new_text=ARCTIC)
    assert len(edit_figure(same).axes) == 4
