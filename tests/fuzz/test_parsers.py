"""Every parser of what others made, on inputs made from a seed: a result, or one sentence.

A case may take 10 seconds of processor time. A3T_FUZZ_SECONDS goes on for that long from a random
seed, which a failure names: `make fuzz MINUTES=10`.
"""

import json
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from a3t.audio.output.patches import Patch
from a3t.audio.output.provenance import provenance_of
from a3t.audio.output.writing import write_edited
from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.commands.editing.edit_list import read_jobs
from a3t.errors import InputError
from a3t.projects.project_edit import PlanFile
from a3t.projects.replay import read_record
from a3t.projects.store.folder import REQUEST
from a3t.projects.store.packed_project import manifest_of, unpack
from a3t.projects.takes import Take
from a3t.source.transcripts import sidecar, text_of
from a3t.text.markup import check_marks
from a3t.text.transcript import Transcript
from alignment.formats import read_alignment
from alignment.formats.dictionary import read_dictionary
from app.studio.project_listening import transcript_in
from tests.fuzz import corpus
from tests.fuzz.corpus import inputs

LONGEST = 10.0  # seconds of processor time for a file


def _alignment(path: Path) -> None:
    ends = [phone.end for phone in read_alignment(path).phones]
    assert ends == sorted(ends)


def _text(path: Path) -> None:
    for read in (_alignment, text_of, read_dictionary, transcript_in):
        _one_sentence(read, path)
    _one_sentence(lambda path: sidecar(path.with_suffix(".wav")), path)
    content = path.read_bytes().decode("utf-8", "replace")
    _one_sentence(lambda _: Transcript.from_text(content), path)
    _one_sentence(lambda _: check_marks(content, "and you"), path)


def _sound(path: Path) -> None:
    _one_sentence(provenance_of, path)
    _one_sentence(lambda path: Recording.open(path).read(0, 100), path)
    _one_sentence(_edited, path)


def _edited(path: Path) -> None:
    """A file's metadata goes through an edit."""
    recording = Recording.open(path)
    patch = Patch((10, 20), np.zeros((30, recording.channels)))
    out = path.with_name(f"edited{path.suffix}")
    try:
        write_edited(recording, [patch], out, "a comment")
    finally:
        assert not list(path.parent.glob(".unfinished-*"))
    assert Recording.open(out).channels == recording.channels
    out.unlink()


def _list(path: Path) -> None:
    given = ["--manifest", str(path), "--out-dir", str(path.parent / "out")]
    _one_sentence(lambda _: read_jobs(edit.parser().parse_args(given), edit.parser()), path)


def _project(path: Path) -> None:
    stage = path.with_suffix("")
    stage.mkdir()
    try:
        _one_sentence(manifest_of, path)
        _one_sentence(lambda path: unpack(path, stage, 10_000_000), path)
        for take in stage.glob("takes/*/*"):  # what was let in is whole
            if (take / REQUEST).exists():
                Take.from_json(json.loads((take / REQUEST).read_text()))
            assert {"take.json", "patch.npy", "sound.pcm"} <= {each.name for each in take.iterdir()}
    finally:
        shutil.rmtree(stage)


READERS: dict[str, Callable[[Path], None]] = {
    "sound": _sound,
    "alignment": lambda path: _one_sentence(_alignment, path),
    "record": lambda path: _one_sentence(read_record, path),
    "plan": lambda path: _one_sentence(PlanFile.read, path),
    "list": _list,
    "project": _project,
    "text": _text,
}


def _one_sentence(read: Callable[[Path], object], path: Path) -> None:
    begun = time.process_time()
    try:
        read(path)
    except InputError as error:
        assert str(error).strip() and "Traceback" not in str(error)
    assert time.process_time() - begun < LONGEST, f"{path.name} took too long"


def run(seed: int, count: int, folder: Path) -> None:
    for kind, name, data in inputs(seed, count):
        path = folder / name
        path.write_bytes(data)
        try:
            READERS[kind](path)
        except Exception as error:
            raise AssertionError(f"seed {seed}, {kind} {name}: {error!r}") from error
        path.unlink()


def test_a_time_of_no_length() -> None:
    """Found by this: a subtitle's time that stands where its words should."""
    assert Transcript.from_text("wait 00:00:00").spoken == ("wait", "zero", "seconds")


def test_a_whole_project_is_let_in(tmp_path: Path) -> None:
    """With its take and its request, so that the lies in it meet what reads them."""
    draw = random.Random()
    draw.random = lambda: 1.0  # type: ignore[method-assign]
    (tmp_path / "talk.a3t.zip").write_bytes(corpus._project(draw))
    stage = tmp_path / "stage"
    stage.mkdir()
    unpack(tmp_path / "talk.a3t.zip", stage, 10_000_000)
    (take,) = stage.glob("takes/*/0")
    assert (take / REQUEST).is_file() and (stage / "words/0000.json").is_file()


def test_hostile_inputs(tmp_path: Path) -> None:
    run(0, 120, tmp_path)


def test_for_as_long_as_is_wanted(tmp_path: Path) -> None:
    seconds = float(os.environ.get("A3T_FUZZ_SECONDS", 0))
    if not seconds:
        pytest.skip("A3T_FUZZ_SECONDS is not set")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        run(random.SystemRandom().randrange(2**32), 100, tmp_path)
