"""The picture of an edit shows the right things, and needs no display."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from a3t.errors import InputError
from a3t.projects.export import edit_view

sf = pytest.importorskip("soundfile")

RATE = 16000


def word(text: str, start: float, end: float) -> dict[str, object]:
    return {"text": text, "start": start, "end": end, "score": 1.0, "phones": []}


def make_edit(folder: Path, offset: float = 0.0) -> tuple[Path, Path, dict[str, Any]]:
    """ "one two three four" after `offset` s: two is replaced, half a second longer; four goes."""
    words = ["", "one", "two", "three", "four"]
    starts = [0.0, *(offset + k for k in range(5))]
    at = [
        word(text, *span)
        for text, span in zip(words, zip(starts, starts[1:], strict=False), strict=True)
    ]

    def samples(seconds: float) -> int:
        return round((offset + seconds) * RATE)

    record = {
        "source": {"sample_rate": RATE, "samples": samples(4.5)},
        "text": "One two three four.",
        "new_text": "One too many three.",
        "edits": [
            {
                "op": "replace",
                "old_words": "two",
                "new_words": "too many",
                "source": [samples(0.98), samples(2.02)],
                "output": [samples(0.98), samples(2.52)],
            },
            {
                "op": "delete",
                "old_words": "Four.",
                "new_words": "",
                "source": [samples(3.0), samples(4.0)],
                "output": [samples(3.5), samples(3.51)],
            },
        ],
        "alignment": {"words": at},
    }
    noise = np.random.default_rng(8).normal(scale=0.05, size=(samples(4.5), 2))
    source, edited = folder / "in.wav", folder / "in.edited.wav"
    sf.write(source, noise, RATE)
    sf.write(edited, noise[: samples(4.01)], RATE)
    return source, edited, record


def test_words_move_along_and_edits_are_marked(tmp_path: Path) -> None:
    source, edited, record = make_edit(tmp_path)
    before, after = edit_view.sides_of(source, edited, record)
    assert [(w.text, w.op) for w in before.shown_labels] == [
        ("one", None),
        ("two", "replace"),
        ("three", None),
        ("four", "delete"),
    ]
    assert [(w.text, w.op) for w in after.shown_labels] == [
        ("one", None),
        ("too many", "replace"),
        ("three", None),
    ]
    assert after.shown_labels[2].start == pytest.approx(2.5)
    assert [(m.op, m.start, m.end) for m in before.marks] == [
        ("replace", pytest.approx(0.98), pytest.approx(2.02)),
        ("delete", pytest.approx(3.0), pytest.approx(4.0)),
    ]
    assert [m.wordless for m in before.marks + after.marks] == [False, False, False, True]
    assert after.marks[1].end == pytest.approx(3.51)
    assert before.samples.shape == (round(4.5 * RATE),)


def test_a_neighbour_under_an_edits_margin_keeps_its_place() -> None:
    labels = edit_view.Label("letter", 1.0, 1.6, "replace"), edit_view.Label("a", 1.05, 1.1)
    side = edit_view.Side("", "", np.zeros(RATE * 2, np.float32), RATE, 0.0, (), labels)
    assert [label.text for label in side.shown_labels] == ["a", "letter"]


def test_of_a_long_recording_the_part_around_the_edit_is_shown(tmp_path: Path) -> None:
    source, edited, record = make_edit(tmp_path, offset=40.0)
    before, after = edit_view.sides_of(source, edited, record)
    assert before.start == after.start
    assert before.end - before.start <= edit_view.LONGEST
    assert before.start < before.marks[0].start < before.marks[1].end < before.end
    assert before.text == "… one two three four …"


def test_a_picture_is_drawn_without_pyplot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    source, edited, record = make_edit(tmp_path)
    out = tmp_path / "edit.png"
    code = (
        "import json, sys; from pathlib import Path;"
        "from a3t.projects.export.pictures import draw_edit;"
        "source, edited, out = map(Path, sys.argv[1:4]);"
        "draw_edit(source, edited, json.loads(sys.argv[4]), out);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    arguments = [*map(str, (source, edited, out)), json.dumps(record)]
    subprocess.run([sys.executable, "-c", code, *arguments], check=True)
    assert out.read_bytes().startswith(b"\x89PNG")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "edit.png",
        "in.edited.wav",
        "in.wav",
    ]


def test_nothing_changed_is_drawn_too(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    from a3t.projects.export.pictures import edit_figure

    source, _, record = make_edit(tmp_path)
    same = dict(record, edits=[])
    assert len(edit_figure(source, source, same).axes) == 4


def test_what_is_no_sound_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    from a3t.projects.export.pictures import draw_edit

    _, edited, record = make_edit(tmp_path)
    (tmp_path / "text.wav").write_text("no sound")
    with pytest.raises(InputError, match="is not audio"):
        draw_edit(tmp_path / "text.wav", edited, record, tmp_path / "out.png")
    assert not (tmp_path / "out.png").exists()
