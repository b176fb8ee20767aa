"""Alignments that were made before: read as they were written, and refused if they are not."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from a3t.corpora import Clip
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.training.extract import extract, read_alignments
from alignment import Alignment
from alignment.result import Phone, Word, pause


def make_alignment() -> Alignment:
    phones = (Phone("HH", 0.2, 0.3), Phone("AY1", 0.3, 0.8))
    return Alignment((pause(0.0, 0.2), Word("hi", 0.2, 0.8, 0.9, phones), pause(0.8, 1.0)), 1.0)


@pytest.mark.parametrize("name", ["alignments.jsonl", "alignments.jsonl.xz"])
def test_alignments_come_back_as_they_were_written(name: str, tmp_path: Path) -> None:
    line = json.dumps({"path": "corpus/a.flac", "alignment": make_alignment().to_json()}) + "\n"
    data = line.encode()
    (tmp_path / name).write_bytes(lzma.compress(data) if name.endswith(".xz") else data)
    assert read_alignments(tmp_path / name) == {"corpus/a.flac": make_alignment()}


@pytest.mark.parametrize(
    "text", ["nonsense", '{"path": "a"}', '{"path": "a", "alignment": []}', "[" * 10_000]
)
def test_a_line_that_is_no_alignment_is_named(text: str, tmp_path: Path) -> None:
    good = json.dumps({"path": "a", "alignment": make_alignment().to_json()})
    (tmp_path / "a.jsonl").write_text(f"{good}\n{text}\n")
    with pytest.raises(InputError, match="Line 2"):
        read_alignments(tmp_path / "a.jsonl")


def test_a_file_that_is_not_there_or_broken_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read_alignments(tmp_path / "none.jsonl")
    (tmp_path / "cut.jsonl.xz").write_bytes(lzma.compress(b"{}" * 1000)[:40])
    with pytest.raises(InputError, match="can't be read"):
        read_alignments(tmp_path / "cut.jsonl.xz")


def test_a_given_alignment_is_what_the_features_have() -> None:
    clip = Clip("corpus", "speaker", Path("a.flac"), "hi", 1.0)
    wave = np.random.default_rng(0).standard_normal(SAMPLE_RATE).astype(np.float32) * 0.1
    features = extract(clip, wave, make_alignment())
    assert features["durations"].tolist() == [16, 8, 40, 17]
    assert features["words"].tolist() == [-1, 0, 0, -1]
    with pytest.raises(InputError, match="another recording"):
        extract(clip, wave[: SAMPLE_RATE // 2], make_alignment())
