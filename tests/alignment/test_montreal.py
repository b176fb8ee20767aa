"""The Montreal Forced Aligner's side, against a stand-in that writes what MFA writes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from alignment import AlignmentError, by_name
from alignment.montreal import MontrealAligner
from alignment.records import Alignment

Lookup = Callable[[Sequence[str]], Mapping[str, Sequence[Sequence[str]]]]
Check = Callable[[BaseException], None]
Speech = tuple[np.ndarray, int]

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
sound = wave.open(corpus + "/speech.wav")
assert (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) == (16000, 1, 2)
end = sound.getnframes() / sound.getframerate()
words = open(corpus + "/speech.lab", encoding="utf-8").read().split()
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
lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", f"xmax = {{end}}"]
lines += ["tiers? <exists>", "size = 2", "item []:"]
for number, (name, tier) in enumerate(zip(("words", "phones"), tiers), 1):
    lines += [f"    item [{{number}}]:", '        class = "IntervalTier"']
    lines += [f'        name = "{{name}}"', "        xmin = 0", f"        xmax = {{end}}"]
    lines += [f"        intervals: size = {{len(tier)}}"]
    for k, (a, b, label) in enumerate(tier, 1):
        lines += [f"        intervals [{{k}}]:", f"            xmin = {{a}}"]
        lines += [f"            xmax = {{b}}", f'            text = "{{label}}"']
pathlib.Path(out).mkdir(parents=True)
pathlib.Path(out, "speech.TextGrid").write_text("\\n".join(lines) + "\\n")
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
    aligner = by_name("mfa")
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


def test_models_are_named(stand_in: Callable[..., Path], speech: Speech, tmp_path: Path) -> None:
    path = stand_in()
    (tmp_path / "my.dict").write_text("and\tAH0 N D\n")
    aligner = MontrealAligner("my_model", str(tmp_path / "my.dict"))
    result = aligner.align(*speech, ["and"], {})
    assert [phone.symbol for phone in result.spoken[0].phones] == ["AH0", "N", "D"]
    arguments = (path.parent / "arguments").read_text().splitlines()
    assert arguments[-3:-1] == [str(tmp_path / "my.dict"), "my_model"]


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
        by_name("mfa")
    one_sentence(caught.value)
    monkeypatch.setenv("A3T_MFA", str(tmp_path / "gone"))
    with pytest.raises(AlignmentError, match="gone") as caught:
        by_name("mfa")
    one_sentence(caught.value)


def test_an_executable_that_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, speech: Speech, one_sentence: Check
) -> None:
    (tmp_path / "mfa").write_text("#!/nothing/here\n")
    (tmp_path / "mfa").chmod(0o755)
    monkeypatch.setenv("A3T_MFA", str(tmp_path / "mfa"))
    with pytest.raises(AlignmentError, match="can't be run") as caught:
        by_name("mfa").align(*speech, ["and"], {"and": [["AE1", "N", "D"]]})
    one_sentence(caught.value)


def test_another_name(one_sentence: Check) -> None:
    with pytest.raises(AlignmentError, match="kaldi") as caught:
        by_name("kaldi")
    one_sentence(caught.value)
