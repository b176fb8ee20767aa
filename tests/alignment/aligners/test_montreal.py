"""The interface to the Montreal Forced Aligner, with a stand-in that writes files like MFA's."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from a3t.commands.align import main as command
from alignment import Alignment, AlignmentError, load_aligner
from alignment.aligners.montreal import MontrealAligner
from alignment.formats import read_alignment
from tests.alignment.conftest import Check, Lookup, Speech

# Reads what it is given as MFA reads it, gives every phone the same time, and notes its arguments.
STAND_IN = """#!{python}
import pathlib, sys, wave
arguments = sys.argv[1:]
log = pathlib.Path(__file__).with_name("arguments")
log.write_text("\\n".join(arguments))
{before}
options, places = [], []
values = {{"--num_jobs", "--output_format", "--temporary_directory"}}
rest = iter(arguments[1:])
for each in rest:
    if each in values:
        next(rest)
    elif not each.startswith("--"):
        places.append(each)
corpus, dictionary, acoustic, out = places
lexicon = {{}}
for line in open(dictionary, encoding="utf-8"):
    word, phones = line.rstrip("\\n").split("\\t")
    lexicon.setdefault(word, phones.split())
for speech in sorted(pathlib.Path(corpus).rglob("*.wav")):
    sound = wave.open(str(speech))
    assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (16000, 1, 2)
    end = sound.getnframes() / sound.getframerate()
    words = open(speech.with_suffix(".lab"), encoding="utf-8").read().split()
    {during}
    step = (end - 0.5) / sum(len(lexicon[word]) for word in words)
    clock, tiers = 0.25, [[(0, 0.25, "")], [(0, 0.25, "sil")]]
    for word in words:
        start = clock
        for phone in lexicon[word]:
            tiers[1].append((clock, clock + step, phone))
            clock += step
        tiers[0].append((start, clock, word))
    tiers[0].append((clock, end, ""))
    tiers[1].append((clock, end, "sil"))
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0"]
    lines += [f"xmax = {{end}}", "tiers? <exists>", "size = 2", "item []:"]
    for number, (name, tier) in enumerate(zip(("words", "phones"), tiers), 1):
        lines += [f"    item [{{number}}]:", '        class = "IntervalTier"']
        lines += [f'        name = "{{name}}"', "        xmin = 0", f"        xmax = {{end}}"]
        lines += [f"        intervals: size = {{len(tier)}}"]
        for k, (a, b, label) in enumerate(tier, 1):
            lines += [f"        intervals [{{k}}]:", f"            xmin = {{a}}"]
            lines += [f"            xmax = {{b}}", f'            text = "{{label}}"']
    target = pathlib.Path(out, speech.relative_to(corpus)).with_suffix(".TextGrid")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\\n".join(lines) + "\\n")
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes the executable and points A3T_MFA at it."""

    def make(before: str = "", during: str = "") -> Path:
        path = tmp_path / "mfa"
        path.write_text(STAND_IN.format(python=sys.executable, before=before, during=during))
        path.chmod(0o755)
        monkeypatch.setenv("A3T_MFA", str(path))
        return path

    return make


def test_the_recording_goes_through_the_program(
    stand_in: Callable[..., Path], speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    path = stand_in()
    aligner = load_aligner("mfa")
    assert aligner.name == "mfa"
    result = aligner.align(*speech, words, lookup(words))
    assert tuple(word.text for word in result.spoken) == words
    for word in result.spoken:
        assert [p.symbol for p in word.phones] == lookup([word.text])[word.text][0]
    assert result.duration == len(speech[0]) / speech[1]
    edges = [0.0, *(phone.end for phone in result.phones)]
    assert [phone.start for phone in result.phones] == pytest.approx(edges[:-1])
    assert edges[-1] == result.duration
    assert result.words[0].is_pause
    assert result.words[0].end == pytest.approx(0.25)
    arguments = (path.parent / "arguments").read_text().splitlines()
    assert arguments[0] == "align"
    assert "english_us_arpa" in arguments


def test_a_corpus_goes_through_it_at_once(
    stand_in: Callable[..., Path], arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = stand_in().parent / "arguments"
    for name, text in (
        ("ann/1", "And you always want to see it."),
        ("ann/2", "See it in the superlative degree."),
        ("bob/1", "Degree!"),
        ("bob/2", "..."),
    ):
        path = tmp_path / "in" / f"{name}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(arctic, path)
        path.with_suffix(".txt").write_text(text)
    out = tmp_path / "out"
    arguments = ["corpus", str(tmp_path / "in"), "--out", str(out), "--aligner", "mfa"]
    assert command([*arguments, "--jobs", "3"]) == 1
    assert capsys.readouterr().err.startswith("a3t: 3 aligned, 0 already there, 1 failed")
    said = [word.text for word in read_alignment(out / "ann" / "2.TextGrid").spoken]
    assert said == "see it in the superlative degree".split()
    assert "bob/2.wav" in (out / "alignment-failures.tsv").read_text()
    noted = log.read_text().splitlines()
    assert noted.count("align") == 1
    assert noted[noted.index("--num_jobs") + 1] == "3"
    assert "--single_speaker" not in noted
    assert command(arguments) == 1
    assert capsys.readouterr().err.startswith("a3t: 0 aligned, 3 already there, 1 failed")


def test_times_stay_on_the_clock_of_another_rate(
    stand_in: Callable[..., Path], speech: Speech, words: tuple[str, ...], lookup: Lookup
) -> None:
    import soxr

    stand_in()
    resampled = soxr.resample(speech[0], speech[1], 44_100)
    first: Alignment = MontrealAligner().align(*speech, words, lookup(words))
    second = MontrealAligner().align(resampled, 44_100, words, lookup(words))
    assert second.duration == len(resampled) / 44_100
    assert [w.start for w in second.words] == pytest.approx(
        [w.start for w in first.words], abs=1e-3
    )


@pytest.mark.parametrize(
    ("before", "during", "named"),
    [
        ('sys.exit("\\x1b[31mno such model\\x1b[0m")', "", "no such model"),
        ("sys.exit(3)", "", "says nothing"),
        ("sys.exit(0)", "", "unaligned"),
        ("", "del words[3]", '"want"'),
        ("", "words.append('and')", '"and"'),
        ("", "words.clear(); lexicon['x'] = ['AH0']; words.append('x')", '"and"'),
        ("", "lexicon['and'] = ['a']", "ARPAbet"),
    ],
)
def test_its_failures_are_one_sentence(
    before: str,
    during: str,
    named: str,
    stand_in: Callable[..., Path],
    speech: Speech,
    words: tuple[str, ...],
    lookup: Lookup,
    one_sentence: Check,
) -> None:
    stand_in(before, during)
    with pytest.raises(AlignmentError, match=named) as caught:
        MontrealAligner().align(*speech, words, lookup(words))
    one_sentence(caught.value)


def test_what_cannot_be_handed_over(
    stand_in: Callable[..., Path], speech: Speech, one_sentence: Check
) -> None:
    stand_in()
    for samples, text in ((speech[0], []), (speech[0], ["x"]), (np.zeros(16_000), ["and"])):
        with pytest.raises(AlignmentError) as caught:
            MontrealAligner().align(samples, speech[1], text, {})
        one_sentence(caught.value)


def test_where_it_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_sentence: Check
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("A3T_MFA", raising=False)
    with pytest.raises(AlignmentError, match=r"mfa-environment\.yml") as caught:
        load_aligner("mfa")
    one_sentence(caught.value)
    monkeypatch.setenv("A3T_MFA", str(tmp_path / "gone"))
    with pytest.raises(AlignmentError, match="gone") as caught:
        load_aligner("mfa")
    one_sentence(caught.value)


def test_an_executable_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, speech: Speech, one_sentence: Check
) -> None:
    (tmp_path / "mfa").write_text("#!/nothing/here\n")
    (tmp_path / "mfa").chmod(0o755)
    monkeypatch.setenv("A3T_MFA", str(tmp_path / "mfa"))
    with pytest.raises(AlignmentError, match="can't be run") as caught:
        load_aligner("mfa").align(*speech, ["and"], {"and": [["AE1", "N", "D"]]})
    one_sentence(caught.value)


def test_another_name(one_sentence: Check) -> None:
    with pytest.raises(AlignmentError, match="kaldi") as caught:
        load_aligner("kaldi")
    one_sentence(caught.value)
