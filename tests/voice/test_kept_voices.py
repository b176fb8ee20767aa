"""Learnt voices are kept, and unfinished learning resumes."""

import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import torch

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.voice.adaptation_data import AdaptationSpeech
from a3t.voice.unfinished_learning import UNFINISHED, workplace
from tests.children import in_child
from tests.conftest import ARCTIC
from tests.voice.conftest import QUICK


def learn(wav: Path, cache: Path, progress: Callable[[str], None] | None = None) -> str:
    editor = Editor.load()
    recording = Recording.open(wav)
    speech = AdaptationSpeech(recording, editor.align(recording, ARCTIC))
    editor.voices, editor.progress = cache, progress
    voice = editor.learner.learnt(speech, QUICK)
    assert voice is not None
    return voice.sha256


def test_killed_in_the_middle_learning_goes_on_to_the_same_voice(
    arctic: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"

    def kill(step: str) -> None:
        if step == "learn 2 3":
            os.kill(os.getpid(), signal.SIGKILL)

    child = in_child(lambda: learn(arctic, cache, kill))
    child.join()
    assert child.exitcode == -signal.SIGKILL
    (unfinished,) = cache.iterdir()
    kept = torch.load(unfinished / "run" / "checkpoint.pt", weights_only=True)["step"]
    assert unfinished.suffix == UNFINISHED and 0 < kept < 3
    steps: list[str] = []
    voice = learn(arctic, cache, steps.append)
    assert [step for step in steps if " " in step] == [f"learn {k} 3" for k in range(kept, 3)]
    assert voice == learn(arctic, tmp_path / "whole")
    (left,) = cache.iterdir()
    assert left.is_file()


def test_two_learn_apart_and_what_is_never_finished_is_deleted(tmp_path: Path) -> None:
    def work(number: int) -> AbstractContextManager[Path]:
        return workplace(tmp_path / f"{number}.safetensors")

    with work(0) as one, work(0) as other:
        assert one.parent == tmp_path != other.parent
    assert not one.exists() and not other.exists()
    for number in range(5):
        with suppress(KeyboardInterrupt), work(number) as folder:
            os.utime(folder, (number, number))
            raise KeyboardInterrupt
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {f"{number}{UNFINISHED}" for number in (2, 3, 4)}
    (tmp_path / "file").touch()
    with workplace(tmp_path / "file" / "x.safetensors") as folder:  # can't be
        assert folder.is_dir() and tmp_path not in folder.parents
