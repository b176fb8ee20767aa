"""python -m alignment: output formats by suffix, and errors for bad input."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from a3t.commands import align as command
from alignment import Alignment
from alignment.formats import read_alignment

TEXT = "And you always want to see it in the superlative degree."


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert command.main(arguments) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("a3t: ")
    assert said.err.count("\n") == 1
    assert said.err.rstrip().endswith(".")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    return said.err


def test_a_textgrid_beside_the_recording(talk: Path, aligned: Alignment) -> None:
    assert command.main([str(talk), "--text", TEXT]) == 0
    read = read_alignment(talk.with_suffix(".TextGrid"))
    assert [word.text for word in read.spoken] == [word.text for word in aligned.spoken]
    assert read.duration == aligned.duration
    assert sorted(path.name for path in talk.parent.iterdir()) == ["talk.TextGrid", "talk.wav"]


def test_a_textgrid_that_is_there_is_replaced_only_by_name(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corrected = talk.with_suffix(".TextGrid")
    corrected.write_text("corrected by hand")
    assert "--out" in refused([str(talk), "--text", TEXT], capsys, talk.parent)
    assert command.main([str(talk), "--text", TEXT, "--out", str(corrected)]) == 0
    assert read_alignment(corrected).spoken


def test_json_on_standard_output(
    talk: Path, aligned: Alignment, capsys: pytest.CaptureFixture[str]
) -> None:
    (talk.parent / "said.txt").write_text(TEXT)
    assert command.main([str(talk), "--text", f"@{talk.parent / 'said.txt'}", "--json"]) == 0
    read = Alignment.from_json(json.loads(capsys.readouterr().out))
    assert [w.text for w in read.spoken] == [w.text for w in aligned.spoken]
    assert not talk.with_suffix(".TextGrid").exists()


def test_the_text_beside_the_recording(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    talk.with_suffix(".vtt").write_text(f"WEBVTT\n\n00:00.000 --> 00:04.000\n{TEXT}\n")
    assert command.main([str(talk), "--out", str(talk.with_suffix(".json"))]) == 0
    assert TEXT in capsys.readouterr().err


def test_a_users_own_pronunciation_is_used(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (talk.parent / "my.dict").write_text("zuperlatiffe\t0.9\tS UW0 P ER1 L AH0 T IH0 V # as said\n")
    arguments = [str(talk), "--text", TEXT.replace("superlative", "Zuperlatiffe"), "--json"]
    arguments += ["--dict", str(talk.parent / "my.dict"), "--pronounce", "See=S IY2"]
    assert command.main(arguments) == 0
    said = Alignment.from_json(json.loads(capsys.readouterr().out))
    phones = {word.text: [p.symbol for p in word.phones] for word in said.spoken}
    assert phones["zuperlatiffe"] == "S UW0 P ER1 L AH0 T IH0 V".split()
    assert phones["see"] == ["S", "IY2"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--text", "привет мир"],
        ["--text", "the weather in these mountains is often bad"],
        ["--text", "@nowhere.srt"],
        ["--text", TEXT, "--out", "x.docx"],
        ["--text", TEXT, "--dict", "nowhere.dict"],
        ["--text", TEXT, "--pronounce", "see=S Ü1"],
        ["--text", TEXT, "--jobs", "0"],
    ],
)
def test_unusable_input_is_refused(
    arguments: list[str],
    talk: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(talk.parent)
    refused([str(talk), *arguments], capsys, talk.parent)


def test_the_recording_is_never_overwritten(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    renamed = talk.rename(talk.with_suffix(".lab"))
    refused([str(renamed), "--text", TEXT, "--out", str(renamed)], capsys, talk.parent)


def test_a_text_or_a_list_that_is_given_is_never_overwritten(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = talk.with_name("given.lab")
    given.write_text(TEXT)
    for arguments in (["--text", f"@{given}"], ["--text", TEXT, "--words", str(given)]):
        assert "input file itself" in refused(
            [str(talk), *arguments, "--out", str(given)], capsys, talk.parent
        )


@pytest.mark.parametrize("arguments", [[], ["x.wav", "--nonsense"], ["x.wav", "--aligner", "x"]])
def test_wrong_usage_is_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main(arguments)
    assert stopped.value.code == 2


def corpus(folder: Path, arctic: Path) -> None:
    for name, text in (("a/one", TEXT), ("two", TEXT.upper()), ("wrong", "It rained all day.")):
        path = folder / f"{name}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(arctic, path)
        path.with_suffix(".txt").write_text(text)
    shutil.copy(arctic, folder / "textless.wav")
    (folder / "broken.wav").write_text("hello")
    (folder / "broken.lab").write_text(TEXT)


def test_a_corpus_is_aligned_and_resumed(
    arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus(tmp_path / "in", arctic)
    arguments = ["corpus", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert command.main(arguments) == 1
    assert capsys.readouterr().err.startswith("a3t: 2 aligned, 0 already there, 3 failed")
    made = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*"))
    assert made == ["a/one.TextGrid", "alignment-failures.tsv", "two.TextGrid"]
    rows = (tmp_path / "out" / "alignment-failures.tsv").read_text().splitlines()
    assert [row.split("\t")[0] for row in rows[1:]] == ["broken.wav", "textless.wav", "wrong.wav"]
    assert '"rained"' in rows[3]

    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.TextGrid")}
    for name in ("wrong", "textless", "broken"):
        (tmp_path / "in" / f"{name}.wav").unlink()
    assert command.main(arguments) == 0
    assert capsys.readouterr().err.startswith("0 aligned, 2 already there, 0 failed")
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert not (tmp_path / "out" / "alignment-failures.tsv").exists()

    text = tmp_path / "in" / "two.txt"
    later = times[tmp_path / "out" / "two.TextGrid"] + 10**9
    os.utime(text, ns=(later, later))
    assert command.main(arguments) == 0
    assert capsys.readouterr().err.startswith("1 aligned, 1 already there, 0 failed")


@pytest.mark.slow
def test_two_workers_give_the_same_result_as_one(arctic: Path, tmp_path: Path) -> None:
    corpus(tmp_path, arctic)
    for jobs in ("1", "2"):
        done = subprocess.run(
            [
                *(sys.executable, "-m", "alignment", "corpus", str(tmp_path)),
                *("--out", str(tmp_path / jobs), "--jobs", jobs),
            ],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1, done.stderr
    files = sorted(path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*.*"))
    assert len(files) == 3
    for name in files:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_a_stretch_that_is_not_heard_is_named(aligned: Alignment) -> None:
    assert command.not_heard(aligned) == []
    words = list(aligned.words)
    places = [k for k, word in enumerate(words) if word.text][2:7]
    for place in places:
        words[place] = replace(words[place], score=0.1)
    doubted = replace(aligned, words=tuple(words))
    [sentence] = command.not_heard(doubted)
    start, end = words[places[0]].start, words[places[-1]].end
    assert f'{start:.1f} to {end:.1f} s: "always want to see it" (5 words)' in sentence
    # Its words are not named once more, one by one; others are.
    assert command.other_doubts(doubted) == command.other_doubts(aligned)
    words[-2] = replace(words[-2], score=0.2)
    beyond = command.other_doubts(replace(aligned, words=tuple(words)))
    assert [doubt.text for doubt in beyond if doubt.text] == [words[-2].text]


def test_corpora_that_cannot_be_used(
    talk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(["corpus", str(tmp_path / "none")], capsys, tmp_path)
    refused(["corpus", str(tmp_path), "--jobs", "0"], capsys, tmp_path)
    talk.unlink()
    refused(["corpus", str(tmp_path)], capsys, tmp_path)
