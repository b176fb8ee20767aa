"""Homographs by learnt weights: their features, their rules, and their training data."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from a3t.text.phones import ARPABET
from a3t.text.pronunciation.learnt_homographs import features, shipped
from a3t.text.pronunciation.lexicon import senses
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from training.text.train_homographs import learn, measure, read

# sentence, word, how it is said there; the senses that are always guessed alike otherwise.
SENTENCES = [
    ("She speaks Polish and English.", "polish", "P OW1 L IH0 SH"),
    ("Polish the silver, please.", "polish", "P AA1 L IH0 SH"),
    ("He wants the polish in the tin.", "polish", "P AA1 L IH0 SH"),
    ("I grew up in Reading, near London.", "reading", "R EH1 D IH0 NG"),
    ("Reading is fun.", "reading", "R IY1 D IH0 NG"),
    ("We're live on air.", "live", "L AY1 V"),
    ("They live on a farm.", "live", "L IH1 V"),
    ("content creators love this", "content", "K AA1 N T EH0 N T"),
    ("I am content with it.", "content", "K AH0 N T EH1 N T"),
    ("Just hit record.", "record", "R AH0 K AO1 R D"),
    ("The record was broken.", "record", "R EH1 K ER0 D"),
    ("I sent my résumé yesterday.", "resume", "R EH1 Z AH0 M EY2"),
    ("We resume at noon.", "resume", "R IH0 Z UW1 M"),
]


@pytest.mark.parametrize(("sentence", "word", "phones"), SENTENCES)
def test_sentences(sentence: str, word: str, phones: str) -> None:
    transcript = Transcript.from_text(sentence)
    written = [spoken.written for spoken in transcript.words]
    said = Pronouncer().pronounce(transcript.spoken, written)
    assert " ".join(said[transcript.spoken.index(word)]) == phones


def test_every_learnt_sense_is_a_candidate() -> None:
    words = shipped().words
    assert len(words) > 150
    for word, weights in words.items():
        said = senses(word)
        assert set(weights) <= set(said)
        for phones in said.values():
            assert set(phones) <= set(ARPABET) and phones in Pronouncer().candidates(word)
        assert all(len(sense) <= 65 for sense in weights.values())


def test_no_sentence_is_shipped() -> None:
    """Features are of at most two words and classes of them."""
    for weights in [shipped().shared, *(w for s in shipped().words.values() for w in s.values())]:
        assert all(len(name) < 70 and name.count("=") <= 2 for name in weights)


def test_what_is_looked_at() -> None:
    found = set(features(2, "the old polish was good".split(), "The old Polish, was good.".split()))
    assert {"L1=old", "R1=was", "R1 is be", "capital", "before ,", "near good"} <= found
    assert "capital" not in set(features(0, ["polish"], ["POLISH"]))  # everything is in capitals


def test_learning(tmp_path: Path) -> None:
    """From forty sentences the weights find a word's senses in others like them."""
    rows = ["homograph\twordid\tsentence\tstart\tend"]
    for name in "anna bob carl dora emil fred gina hans ida jon".split():
        for sense, sentence in (
            ("bass", f"{name.title()} played the bass guitar."),
            ("bass_corp", f"{name.title()} caught a bass fish."),
        ):
            start = sentence.index("bass")
            rows.append(f"bass\t{sense}\t{sentence}\t{start}\t{start + 4}")
    path = tmp_path / "sentences.tsv.xz"
    path.write_bytes(lzma.compress("\n".join(rows).encode()))
    examples = read(path)
    assert len(examples) == 20
    model = learn(examples[::2] + examples[1:10:2])
    assert measure(model, examples[11::2])["all"] == 100
