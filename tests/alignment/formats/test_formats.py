"""Alignments as files: they survive writing and reading, and other readers open them."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from praatio import textgrid

from alignment import Alignment, Phone, Word, pause
from alignment.errors import InputError
from alignment.formats import read_alignment, write_alignment
from tests.alignment.conftest import Check

# What a format keeps: times to within this many seconds, whether scores.
KEEPS = {
    ".TextGrid": (1e-9, False, False),
    ".json": (0.0, True, True),
    ".lab": (1e-7, False, True),
    ".ctm": (1.1e-4, True, True),
    ".txt": (1e-6, False, False),
}


def same(read: Alignment, written: Alignment, ending: str) -> None:
    within, word_scores, phone_scores = KEEPS[ending]
    assert read.duration == pytest.approx(written.duration, abs=within + 1e-12)
    assert [w.text for w in read.words] == [w.text for w in written.words]
    assert [p.symbol for p in read.phones] == [p.symbol for p in written.phones]
    for mine, theirs in zip(
        (*read.words, *read.phones), (*written.words, *written.phones), strict=True
    ):
        assert mine.start == pytest.approx(theirs.start, abs=within + 1e-12)
        assert mine.end == pytest.approx(theirs.end, abs=within + 1e-12)
    scores = zip(read.spoken, written.spoken, strict=True)
    for word, given_word in scores:
        assert word.score == (
            pytest.approx(given_word.score, abs=1e-4) if word_scores else word.score
        )
        for phone, other in zip(word.phones, given_word.phones, strict=True):
            assert phone.score == pytest.approx(other.score if phone_scores else 1.0, abs=1e-4)


@st.composite
def alignments(draw: st.DrawFn) -> Alignment:
    """Words of phones with stress, pauses here and there, times to 0.1 ms."""
    words: list[Word] = []
    clock = 0
    for _ in range(draw(st.integers(1, 6))):
        if draw(st.booleans()) and not (words and words[-1].is_pause):
            words.append(pause(clock / 1e4, (clock + 2500) / 1e4))
            clock += 2500
        phones = []
        for symbol in draw(
            st.lists(st.sampled_from(["AH0", "S", "IY1", "NG"]), min_size=1, max_size=4)
        ):
            step = draw(st.integers(100, 4000))
            score = draw(st.integers(0, 100)) / 100
            phones.append(Phone(symbol, clock / 1e4, (clock + step) / 1e4, score))
            clock += step
        text = draw(st.sampled_from(["a", "it's", "naïve", "superlative", "sp", "o'clock"]))
        if text == "sp":
            text = "spa"
        words.append(Word(text, phones[0].start, phones[-1].end, 0.75, tuple(phones)))
    if draw(st.booleans()):
        words.append(pause(clock / 1e4, (clock + 900) / 1e4))
        clock += 900
    return Alignment(tuple(words), clock / 1e4, 0.9)


@pytest.mark.parametrize("ending", KEEPS)
@settings(
    derandomize=True,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(alignment=alignments())
def test_round_trip(ending: str, tmp_path: Path, alignment: Alignment) -> None:
    path = tmp_path / f"talk one{ending}"
    write_alignment(alignment, path)
    same(read_alignment(path), alignment, ending)
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(".")]


def test_praat_tiers_are_read_alike_by_another_reader(tmp_path: Path, aligned: Alignment) -> None:
    write_alignment(aligned, tmp_path / "x.TextGrid")
    grid = textgrid.openTextgrid(str(tmp_path / "x.TextGrid"), includeEmptyIntervals=True)
    assert tuple(grid.tierNames) == ("words", "phones")
    words, phones = (grid.getTier(name).entries for name in grid.tierNames)
    assert [entry.label for entry in words if entry.label] == [w.text for w in aligned.spoken]
    assert [entry.label for entry in phones] == [p.symbol for p in aligned.phones]
    assert words[0].start == phones[0].start == 0.0
    assert words[-1].end == phones[-1].end == grid.maxTimestamp == aligned.duration


def test_ctm_and_labels_have_their_formats(tmp_path: Path, aligned: Alignment) -> None:
    for ending in (".ctm", ".lab", ".txt"):
        write_alignment(aligned, tmp_path / f"x{ending}")
    first = aligned.spoken[0]
    assert (tmp_path / "x.ctm").read_text().splitlines()[0].split() == [
        *("x", "1", f"{first.start:.4f}", f"{first.end - first.start:.4f}"),
        *(first.text, f"{first.score:.4f}"),
    ]
    htk = (tmp_path / "x.lab").read_text().splitlines()
    assert all(re.fullmatch(r"\d+ \d+ [A-Zsp]+\d? \d\.\d{4}( [a-z']+)?", line) for line in htk)
    assert int(htk[-1].split()[1]) == round(aligned.duration * 1e7)
    labels = [line.split("\t") for line in (tmp_path / "x.txt").read_text().splitlines()]
    assert [label for _, _, label in labels] == [word.text for word in aligned.spoken]
    assert len((tmp_path / "x.phones.ctm").read_text().splitlines()) == len(aligned.phones)


MFA = """File type = "ooTextFile"
Object class = "TextGrid"

0.0
2.0
<exists>
2
"IntervalTier"
"jane - words"
0.0
2.0
3
0.0
0.5
""
0.5
1.2
"see"
1.2
2.0
""
"IntervalTier"
"jane - phones"
0.0
2.0
4
0.0
0.5
"sil"
0.5
0.8
"S"
0.8
1.2
"IY1"
1.2
2.0
"spn"
"""


def test_the_short_textgrid_of_one_mfa_speaker(tmp_path: Path) -> None:
    (tmp_path / "a.TextGrid").write_text(MFA)
    read = read_alignment(tmp_path / "a.TextGrid")
    assert [(w.text, w.start, w.end) for w in read.words] == [
        ("", 0.0, 0.5),
        ("see", 0.5, 1.2),
        ("", 1.2, 2.0),
    ]
    assert [p.symbol for p in read.phones] == ["sp", "S", "IY1", "sp"]


def test_labels_in_seconds(tmp_path: Path) -> None:
    (tmp_path / "a.lab").write_text("0.0 0.5 sil\n0.5 0.75 S see\n0.75 1.0 IY1\n1.0 1.5 pau\n")
    read = read_alignment(tmp_path / "a.lab")
    assert [(w.text, w.start, w.end) for w in read.spoken] == [("see", 0.5, 1.0)]
    assert read.duration == 1.5


WORD = '{"text": "a", "start": 0, "end": 1, "phones": [%s]}'
PHONE = '{"symbol": "AH0", "start": 0, "end": 1}'
BAD = {
    "missing.TextGrid": None,
    "x.docx": "text",
    "noise.TextGrid": "\x00\x01 nothing",
    "empty.TextGrid": "",
    "tiers.TextGrid": MFA.replace("jane - phones", "notes"),
    "ipa.TextGrid": MFA.replace("IY1", "iː"),
    "stress.TextGrid": MFA.replace("IY1", "IY"),
    "speakers.TextGrid": MFA.replace("jane - phones", "tom - words"),
    "silent.TextGrid": MFA.replace('"see"', '""'),
    "noise.json": "{",
    "list.json": "[1]",
    "lacks.json": '{"words": [], "duration": 1}',
    "deep.json": "[" * 100_000,
    "gap.json": '{"duration": 2, "words": [%s]}' % (WORD % PHONE),
    "empty.json": '{"duration": 1, "words": [%s]}' % (WORD % ""),
    "nan.json": '{"duration": 1, "words": [%s]}' % (WORD % PHONE.replace("1", "NaN")),
    "ipa.json": ('{"duration": 1, "words": [%s]}' % (WORD % PHONE)).replace("AH0", "ə"),
    "short.lab": "0 1",
    "phones.lab": "0 5000000 S\n5000000 10000000 IY1\n",
    "words.lab": "some words here",
    "alone.ctm": "x 1 0.0 1.0 see 1.0\n",
    "alone.txt": "0.0\t1.0\tsee\n",
    "latin.lab": b"0 1 \xff\xfe",
    "digits.json": '{"duration": 1, "words": [%s]}' % (WORD % PHONE.replace("1", "9" * 400)),
    "thousands.json": '{"duration": %s, "words": []}' % ("9" * 5000),
    "endless.json": '{"duration": Infinity, "words": [%s]}' % (WORD % PHONE),
    "bytes.json": b'{"duration": 1, "words": "\xff\xfe"}',
    "digits.lab": f"0 {'9' * 400} S 1 see\n",
    "endless.lab": "0 inf S 1 see\n",
    "bytes.TextGrid": b"\xff\xfe\xff\x00\xff",
    "digits.TextGrid": MFA.replace("1.2", "9" * 400),
}  # fmt: skip


def test_an_unreadable_file_gives_one_sentence(
    tmp_path: Path, one_sentence: Check, subtests: pytest.Subtests
) -> None:
    for number, (name, content) in enumerate(BAD.items()):
        with subtests.test(name):
            path = tmp_path / str(number) / name  # no other's file of phones is beside it
            path.parent.mkdir()
            if isinstance(content, bytes):
                path.write_bytes(content)
            elif content is not None:
                path.write_text(content)
            with pytest.raises(InputError) as caught:
                read_alignment(path)
            one_sentence(caught.value)


def test_tables_with_times_that_are_none(
    tmp_path: Path, one_sentence: Check, subtests: pytest.Subtests
) -> None:
    for time in ["9" * 400, "9" * 5000, "inf", "nan", "1e999", "-1", "\xff"]:
        for ending in [".ctm", ".txt"]:
            with subtests.test(time=time, ending=ending):
                fields = {".ctm": "x 1 0.0 {} {} 1.0\n", ".txt": "0.0\t{}\t{}\n"}[ending]
                for name, label in ((f"a{ending}", "see"), (f"a.phones{ending}", "S")):
                    (tmp_path / name).write_bytes(fields.format(time, label).encode("latin-1"))
                with pytest.raises(InputError) as caught:
                    read_alignment(tmp_path / f"a{ending}")
                one_sentence(caught.value)


def test_where_it_cannot_be_written(
    tmp_path: Path, aligned: Alignment, one_sentence: Check, subtests: pytest.Subtests
) -> None:
    for name in ["x.wav", "x", "none/x.TextGrid"]:
        with subtests.test(name=name):
            with pytest.raises(InputError) as caught:
                write_alignment(aligned, tmp_path / name)
            one_sentence(caught.value)
            assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, aligned: Alignment, monkeypatch: pytest.MonkeyPatch, one_sentence: Check
) -> None:
    path = tmp_path / "x.json"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left") as caught:
        write_alignment(aligned, path)
    one_sentence(caught.value)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
