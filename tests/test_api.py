"""The editor from Python: every method of it, and editors in threads."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from a3t import Editor
from tests.conftest import ARCTIC

NEVER = ARCTIC.replace("always", "never")


def test_transcribing_and_aligning(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    talk = tmp_path / "talk.wav"
    talk.write_bytes(arctic.read_bytes())
    talk.with_suffix(".txt").write_text(ARCTIC)
    assert editor.transcribe(talk).text == ARCTIC
    aligned = editor.align(talk)
    assert [word.text for word in aligned.spoken] == list(editor.transcribe(talk).spoken)
    assert aligned == editor.align(arctic, ARCTIC) == editor.plan(talk, new_text=NEVER).alignment


def test_candidates(editor: Editor, arctic: Path) -> None:
    made = editor.candidates(editor.plan(arctic, new_text=NEVER, text=ARCTIC), 2)
    assert [result.candidate and result.candidate["rank"] for result in made] == [1, 2]
    assert not np.array_equal(made[0].patches[0].samples, made[1].patches[0].samples)


@pytest.mark.usefixtures("nothing_remembered")
def test_editors_in_threads_give_the_same_results_as_one(editor: Editor, arctic: Path) -> None:
    texts = [NEVER, ARCTIC.replace("degree", "form")]
    alone = [
        editor.edit(arctic, new_text=text, text=ARCTIC, seed=k).patches
        for k, text in enumerate(texts)
    ]
    together: dict[int, tuple[object, ...]] = {}

    def work(k: int) -> None:
        together[k] = Editor.load().edit(arctic, new_text=texts[k], text=ARCTIC, seed=k).patches

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, patches in enumerate(alone):
        for one, other in zip(patches, together[k], strict=True):
            assert np.array_equal(one.samples, other.samples)  # type: ignore[attr-defined]
