"""The picture of an edit shows the right things, and needs no display."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from a3t.errors import InputError
from a3t.projects.export import edit_view

sf = pytest.importorskip("soundfile")

RATE = 16000


def word(text: str, start: float, end: float) -> dict[str, object]:
    return {"text": text, "start": start, "end": end, "score": 1.0, "phones": []}


def make_edit(folder: Path, offset: float = 0.0) -> tuple[Path, Path, Path]:
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
                "old_words": ["two"],
                "new_words": ["too", "many"],
                "source": [samples(0.98), samples(2.02)],
                "output": [samples(0.98), samples(2.52)],
            },
            {
                "op": "delete",
                "old_words": "Four.",  # as it is written; one string is understood, too
                "new_words": "",
                "source": [samples(3.0), samples(4.0)],
                "output": [samples(3.5), samples(3.51)],
            },
        ],
        "alignment": {"words": at},
    }
    noise = np.random.default_rng(8).normal(scale=0.05, size=(samples(4.5), 2))
    source, edited, out = folder / "in.wav", folder / "in.edited.wav", folder / "in.edit.json"
    sf.write(source, noise, RATE)
    sf.write(edited, noise[: samples(4.01)], RATE)
    out.write_text(json.dumps(record))
    return source, edited, out


def test_words_move_along_and_edits_are_marked(tmp_path: Path) -> None:
    source, edited, record = make_edit(tmp_path)
    before, after = edit_view.sides_of(source, edited, edit_view.read_record(record))
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
    before, after = edit_view.sides_of(source, edited, edit_view.read_record(record))
    assert before.start == after.start
    assert before.end - before.start <= edit_view.LONGEST
    assert before.start < before.marks[0].start < before.marks[1].end < before.end
    assert before.text == "… one two three four …"


def test_a_picture_is_drawn_without_pyplot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    paths = [str(path) for path in make_edit(tmp_path)]
    out = tmp_path / "edit.png"
    code = (
        "import sys; from a3t.projects.export.pictures import draw_edit; draw_edit(*sys.argv[1:]);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, *paths, str(out)], check=True)
    assert out.read_bytes().startswith(b"\x89PNG")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "edit.png",
        "in.edit.json",
        "in.edited.wav",
        "in.wav",
    ]


def test_nothing_changed_is_drawn_too(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    from a3t.projects.export.pictures import edit_figure

    source, _, record = make_edit(tmp_path)
    same = dict(edit_view.read_record(record), edits=[])
    assert len(edit_figure(source, source, same).axes) == 4


def test_files_that_are_not_records_or_sounds_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `demo` is not installed")
    from a3t.projects.export.pictures import draw_edit

    source, edited, record = make_edit(tmp_path)
    for wrong in (
        "[]", "{}", "not json", '{"edits": [1]}', '{"edits": [{}], "source": {}}', '{"a":' * 5000,
        '{"edits": [], "source": {"sample_rate": 0, "samples": 5}}',
        '{"edits": [{"source": [0, 9], "output": ["a", 2]}], '
        '"source": {"sample_rate": 16000, "samples": 5}}',
    ):  # fmt: skip
        (tmp_path / "wrong.json").write_text(wrong)
        with pytest.raises(InputError, match="not the record of an edit"):
            draw_edit(source, edited, tmp_path / "wrong.json", tmp_path / "out.png")
    with pytest.raises(InputError, match="is not audio"):
        draw_edit(record, edited, record, tmp_path / "out.png")
    assert not (tmp_path / "out.png").exists()
