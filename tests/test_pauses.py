"""Inserted pauses: their length, their sound, and that everything else is unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.editor import Editor
from a3t.errors import InputError
from tests.conftest import ARCTIC

PLACES = {
    "between words": ARCTIC.replace("want", "want [pause 0.4]"),
    "first": f"[pause 0.4] {ARCTIC}",
    "last": f"{ARCTIC} [pause 0.4]",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_pause_lengthens_the_recording_by_itself(
    place: str, editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    result = editor.edit(arctic, new_text=PLACES[place], text=ARCTIC)
    out = soundfile.read(result.save(tmp_path / "out.wav"))[0]
    source = soundfile.read(arctic)[0]
    assert len(out) - len(source) == round(0.4 * 16000)
    (edit,) = result.record["edits"]
    first, last = edit["output"]
    kept = np.delete(source, slice(*edit["source"]))
    assert np.array_equal(np.delete(out, slice(first, last)), kept)
    tone = out[first + 320 : last - 320]
    power = np.square(source).reshape(-1, 160)[: len(source) // 160].mean(1)
    assert 0 < np.sqrt(np.square(tone).mean()) < 4 * np.sqrt(np.quantile(power, 0.1))


def test_a_pause_among_new_words_is_quiet(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    new = ARCTIC.replace("always", "never [pause 0.5] ever")
    result = editor.edit(arctic, new_text=new, text=ARCTIC)
    out = soundfile.read(result.save(tmp_path / "out.wav"))[0]
    (edit,) = result.record["edits"]
    words = [(word["word"], word["seconds"]) for word in edit["words"]]
    assert [word for word, _ in words] == ["never", "[pause]", "ever"] and words[1][1] == 0.5
    made = np.square(out[slice(*edit["output"])])
    quiet = np.convolve(made, np.ones(6400) / 6400, "valid").min()  # 0.4 s of it
    assert quiet < made.mean() / 30


def test_marks_that_mean_nothing_are_refused(editor: Editor, arctic: Path) -> None:
    for mark in ("[emphasis]", "[pause -1]", "[pause 100]"):
        with pytest.raises(InputError, match=r"mark|valid pause"):
            editor.plan(arctic, new_text=ARCTIC.replace("see", f"{mark} see"), text=ARCTIC)
