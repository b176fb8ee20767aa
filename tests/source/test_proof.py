"""Proof-listening: planted errors are found where they are, right readings have none."""

import csv
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from a3t.audio.reading.recording import Recording
from a3t.commands.check import main
from a3t.errors import InputError
from a3t.source.proof import _sounds, clipped, stretch_of
from a3t.source.records import FoundTranscript
from a3t.text.transcript import Transcript
from alignment import Alignment, Word
from tests.conftest import ARCTIC

BOOK = (
    "It was noon. Nobody came to the door of the old house by the river. He waited for an hour. "
    "Then he walked back through the rain, and said nothing about it. "
)


def test_planted_errors_are_listed_with_their_times(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = ARCTIC.replace("always", "never").replace("degree", "superlative degree")
    table, labels = tmp_path / "x.csv", tmp_path / "x.txt"
    command = [str(arctic), "--text", script, "--csv", str(table), "--labels", str(labels)]
    assert main([*command, "--json"]) == 1
    listed = json.loads(capsys.readouterr().out)
    kinds = {each["kind"]: each for each in listed}
    assert {"misread", "omitted"} <= kinds.keys() and len(listed) < 5
    misread, omitted = kinds["misread"], kinds["omitted"]
    assert (misread["written"], misread["said"]) == ("never", "always")
    assert 0.6 < misread["start"] < misread["end"] < 1.3 and omitted["written"] == "superlative"
    rows = list(csv.DictReader(table.open()))
    assert [row["kind"] for row in rows] == [each["kind"] for each in listed]
    assert "misread: always (never)" in labels.read_text().splitlines()[0]


def test_the_script_is_never_overwritten(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.txt"
    script.write_text(ARCTIC)
    for option in ("--csv", "--labels"):
        assert main([str(arctic), "--text", f"@{script}", option, str(script)]) == 1
        assert "input file itself" in capsys.readouterr().err and script.read_text() == ARCTIC


def test_a_right_reading_has_no_remarks(arctic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(arctic), "--text", ARCTIC]) == 0
    assert not capsys.readouterr().out


def test_a_word_that_is_heard_without_the_text_is_not_unclear() -> None:
    words = Word("see", 0.0, 0.5, 0.2, ()), Word("it", 0.5, 1.0, 0.3, ())
    for heard, unclear in (("see it", []), ("see him", ["it"]), ("sea eat", ["see", "it"])):
        found = _sounds(Alignment(words, 1.0), Transcript.from_text(heard), 2.0)
        assert [each.written for each in found] == unclear


def test_sound_at_full_scale(tmp_path: Path) -> None:
    rate = 16_000
    sound = 0.1 * np.sin(np.arange(4 * rate) / 20)
    sound[rate : rate + 40] = 1.0
    sound[rate + 1000 : rate + 1040] = -1.0
    sound[3 * rate] = 1.0  # a peak alone
    for subtype in ("PCM_16", "FLOAT"):
        sf.write(tmp_path / "x.wav", sound, rate, subtype)
        (found,) = clipped(Recording.open(tmp_path / "x.wav"))
        assert found.start == pytest.approx(1.0, abs=1e-3)
        assert found.end == pytest.approx(1.0625, abs=1e-2)


@pytest.mark.parametrize("said", ["he walked back through the rain and said nothing", "He waited."])
def test_each_chapter_finds_its_part_of_the_book(
    said: str, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Transcript.from_text(
        " ".join(f"This is page {n} of a long story." for n in range(9)) + f" {BOOK}"
    )
    heard = FoundTranscript(Transcript.from_text(said))
    monkeypatch.setattr("a3t.source.proof.recognised", lambda *_, **__: heard)
    if len(heard.transcript.words) > 3:
        part = stretch_of(Recording.open(arctic), book, None)
        assert part.text == "Then he walked back through the rain, and said nothing about it."
    else:
        with pytest.raises(InputError, match="nothing of the text"):
            stretch_of(Recording.open(arctic), Transcript.from_text("One two three. " * 40), None)


def spelled(number: int) -> str:
    """A sentence of nine words that no other number has."""
    sound = "".join("aeioubdgklmnprstvwz"[int(digit)] for digit in f"{number * 7919:08d}")
    return f"The {sound} went to {sound[::-1]} by the {sound}{sound} road."


@pytest.mark.parametrize("punctuated", [True, False])
@pytest.mark.parametrize("cuts", [(60,), (25, 90), (33, 66, 99), (58.5,), (100,)])
def test_parts_of_a_book_hold_nothing_of_each_other(
    cuts: tuple[float, ...], punctuated: bool, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts are of any length, in order; every tenth word is misheard."""
    book = Transcript.from_text(" ".join(spelled(k) for k in range(1, 121)))
    if not punctuated:
        book = Transcript.of_spoken(book.spoken)
    places = [0, *(round(cut * 9) for cut in cuts), len(book.words)]
    parts = []
    for first, last in pairwise(places):
        words = [w if k % 10 != 4 else "um" for k, w in enumerate(book.spoken[first:last])]
        heard = FoundTranscript(Transcript.of_spoken(words))
        monkeypatch.setattr("a3t.source.proof.recognised", lambda *_, heard=heard, **__: heard)
        parts.append(stretch_of(Recording.open(arctic), book, None).spoken)
    assert parts == [book.spoken[first:last] for first, last in pairwise(places)]


@pytest.mark.parametrize("span", [(9, 1080), (0, 1060), (20, 1070)])
def test_a_reading_of_a_whole_text_lacks_a_sentence_at_its_end(
    span: tuple[int, int], arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Transcript.from_text(" ".join(spelled(k) for k in range(1, 121)))
    heard = FoundTranscript(Transcript.of_spoken(book.spoken[slice(*span)]))
    monkeypatch.setattr("a3t.source.proof.recognised", lambda *_, **__: heard)
    assert stretch_of(Recording.open(arctic), book, None) == book
