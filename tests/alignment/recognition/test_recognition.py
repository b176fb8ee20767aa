"""Recognition without a transcript: with the new text as a prior, and by a chosen recogniser."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from alignment import AlignmentError
from alignment.recognition import recognise, whisper, whisper_model
from alignment.recognition.lattice import END_WORD, Arc
from alignment.recognition.network_recogniser import Settling
from alignment.recognition.ngrams import NGrams, load_ngrams
from tests.alignment.conftest import Check, Lookup, Speech

SAID = "and you always want to see it in the superlative degree".split()


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        ("and you always want to see it in the comparative degree", {*range(8), 10}),
        ("and you want to see it in the superlative degree", {0, 1, *range(3, 11)}),
        ("and you always want to see it in the dark green superlative degree", {*range(11)}),
    ],
)
def test_the_new_text_helps_to_hear_the_old(
    new: str, kept: set[int], speech: Speech, lookup: Lookup
) -> None:
    expected = new.split()
    heard = recognise(*speech, expected, lookup(expected)).text.split()
    assert [word for k, word in enumerate(SAID) if k in kept] == [
        word for word in heard if word in {SAID[k] for k in kept}
    ]
    assert "comparative" not in heard
    assert "green" not in heard


def test_a_word_that_only_the_new_text_knows(speech: Speech, lookup: Lookup) -> None:
    expected = [*SAID[:9], "zuperlatiffe", "degree"]
    said = {**lookup(expected), "zuperlatiffe": lookup(["superlative"])["superlative"]}
    heard = recognise(*speech, expected, said).text.split()
    assert set(SAID) - {"superlative"} <= set(heard)
    assert len(set(heard) & {"superlative", "zuperlatiffe"}) == 1


def test_without_a_prior_words_are_heard_too(speech: Speech) -> None:
    heard = recognise(*speech, (), {}).text.split()
    assert len(set(heard) & set(SAID)) >= 9


def test_words_have_times_in_their_order(speech: Speech) -> None:
    samples, rate = speech
    words = recognise(samples, rate, SAID, {}).words
    assert [word.text for word in words] == SAID
    edges = [edge for word in words for edge in (word.start, word.end)]
    assert edges == sorted(edges)
    assert 0 <= edges[0] < edges[-1] <= len(samples) / rate + 0.02


@pytest.mark.parametrize(
    "samples", [np.zeros(16_000), np.sin(np.arange(32_000) / 20), np.full(16_000, np.nan)]
)
def test_no_speech_is_refused(samples: np.ndarray, one_sentence: Check) -> None:
    with pytest.raises(AlignmentError) as caught:
        recognise(samples, 16_000, SAID, {})
    one_sentence(caught.value)


TEXT = "he went home".split()


@pytest.fixture(scope="module")
def ngrams() -> NGrams:
    return load_ngrams()


def chosen(
    ngrams: NGrams, other: str, gain: float, free: Sequence[str] = (), sure: float = 0.9
) -> tuple[str, str]:
    """The first word that is chosen, and the rival's, if `other` sounds `gain` nats better."""
    number = {word: k for k, word in enumerate(ngrams.words)}
    text = [number[word] for word in TEXT]
    lattice = [
        Arc(0, -1, text[0], 0.0),
        Arc(1, -1, number[other], gain),
        *(Arc(2, before, text[1], 0.0) for before in (0, 1)),
        Arc(3, 2, text[2], 0.0),
        Arc(4, 3, END_WORD, 0.0),
    ]
    ways = {
        number[word]: {
            way
            for k, way in zip(ngrams.pronounced.tolist(), ngrams.pronunciations, strict=True)
            if k == number[word]
        }
        for word in (*TEXT, other)
    }
    settling = Settling(text, [(number[word], sure) for word in free], ngrams, ways)
    records = settling(lattice)
    assert records[1:] == [2, 3]
    rival = ngrams.words[settling.rival[0]] if settling.rival else ""
    return (other if records[0] == 1 else TEXT[0]), rival


def test_the_sound_decides_and_the_loser_is_named(ngrams: NGrams) -> None:
    assert chosen(ngrams, "she", 15.0) == ("she", "")
    assert chosen(ngrams, "she", -5.0) == ("he", "she")


def test_what_is_heard_freely_counts_by_its_confidence(ngrams: NGrams) -> None:
    near = 12.0
    assert chosen(ngrams, "she", near, ["she", "went", "home"])[0] == "she"
    assert chosen(ngrams, "she", near, TEXT) == ("he", "she")
    assert chosen(ngrams, "she", near, TEXT, sure=0.1)[0] == "she"


@pytest.mark.parametrize(("old", "near"), [("you", "we"), ("want", "wanted")])
def test_a_near_word_of_the_new_text_is_not_heard(
    old: str, near: str, speech: Speech, lookup: Lookup
) -> None:
    said = "and you always want to see it in the superlative degree".split()
    new = [near if word == old else word for word in said]
    assert recognise(*speech, new, lookup(new)).text.split() == said


Put = Callable[[str], Path]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Puts a model's file where fetched ones are; the package seems to be installed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("A3T_RECOGNISER")
    monkeypatch.setattr(whisper, "is_installed", lambda: True)

    def put(name: str) -> Path:
        folder = whisper.fetched_model(name)
        folder.mkdir(parents=True)
        (folder / "model.bin").touch()
        return folder

    return put


def test_the_best_fetched_model_is_used_unless_another_is_named(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert whisper_model("auto") is None and whisper_model("network") is None
    tiny = put("tiny.en")
    base = put("base.en")
    assert whisper_model("auto") == whisper_model("whisper") == base
    assert whisper_model("tiny.en") == whisper_model(str(tiny)) == tiny
    monkeypatch.setenv("A3T_RECOGNISER", "tiny.en")
    assert whisper_model("auto") == tiny
    assert whisper_model("network") is None
    monkeypatch.setenv("A3T_RECOGNISER", "network")
    assert whisper_model("auto") is None


def test_what_is_not_there_is_named(put: Put, tmp_path: Path) -> None:
    for name in ("small.en", "sphinx4", str(tmp_path)):
        with pytest.raises(AlignmentError, match=name):
            whisper_model(name)
    with pytest.raises(AlignmentError, match="a3t fetch-recogniser"):
        whisper_model("whisper")


def test_without_the_package_only_who_asks_for_whisper_is_refused(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("base.en")
    monkeypatch.setattr(whisper, "is_installed", lambda: False)
    assert whisper_model("auto") is None
    with pytest.raises(AlignmentError, match="a3t\\[whisper\\]"):
        whisper_model("base.en")
