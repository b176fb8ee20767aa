"""recipes/figures: every stage, at a tiny size, and Proteno's parts."""

from pathlib import Path
from random import Random

import pytest
import torch

from tests.recipes.running import run
from training.figures.figure_scores import normalised
from training.figures.made_sentences import granules, made, plain_figures
from training.figures.train_tagger import CODED, FigureTraining, GeneratedClasses
from training.text.train_figures import said_figures

SAID = (
    "On April 5 he came, and in 1984 they sold 1,230 copies at 10:30.",
    "It grew 10.5 percent in all, and two thirds of them left with three hundred and five others.",
    "On May 12 it was the twenty-first time in 1915; forty dollars for 1,120 cups at 9:15.",
    "He got four out of five, by three quarters of an inch, with 2.5 percent of fifty per cent.",
)
CONFIG = {
    "model": {"size": 8, "hidden": 8},
    "data": {"batch": 4, "fewest": 1},
    "training": {"steps": 2, "warmup": 1},
}


def test_tokens_are_granular() -> None:
    """The paper's examples, and its exception of currencies."""
    assert granules("C3PO on 1/1/2020, $50") == [*"C 3 PO on 1 / 1 / 2020 , $50".split()]


@pytest.mark.parametrize(
    ("text", "figure", "spoken"),
    [
        ("with three hundred and five others", "305", ["three hundred five"]),
        ("the twenty-first time", "21st", ["twenty first", ""]),
        ("for forty dollars each", "$40", ["forty dollars"]),
        ("of fifty per cent", "50%", ["fifty", "percent"]),
        ("some two thousand men", "2,000", ["two thousand", "", ""]),
        ("on April 5 he came", "4/5", ["april", "", "fifth"]),
        ("with two thirds of them", "2/3", ["two", "", "thirds"]),
        ("he got four out of five", "4/5", ["four", "out of", "five"]),
        ("sold 1,230 copies", "1230", ["one thousand two hundred thirty"]),
        ("at 10:30 sharp", "10.30", ["ten", "", "thirty"]),
        ("grew 10.5 percent", "10.55", ["ten", "point", "five five"]),
    ],
)
def test_figures_and_what_was_said(text: str, figure: str, spoken: list[str]) -> None:
    found = [*said_figures([text], Random(3)), *plain_figures([text], Random(3))]
    sentence = next(
        each for each in (made(said, False) for said in found) if each.said.figure[0] == figure[0]
    )
    if sentence.said.kind != "dotted":  # whose second decimal is drawn
        assert sentence.said.figure == figure and list(sentence.spoken) == spoken
    stop = sentence.first + len(sentence.spoken)
    assert "".join(sentence.tokens[sentence.first : stop]) == sentence.said.figure


def test_classes_are_made_only_where_none_says_it() -> None:
    classes = GeneratedClasses([("4", "april"), ("4", "four"), ("5", "fifth"), ("/", "out of")])
    assert len(classes.names) == len(CODED) + 2
    assert set(classes.said("4").values()) == {"four", "fourth", "april"}
    assert set(classes.said("/").values()) == {"", "out of"}
    assert set(classes.said("6").values()) == {"six", "sixth"} and classes.said("C3") == {}


def test_a_token_gets_only_classes_that_accept_it() -> None:
    sentences = [made(said, False) for said in said_figures(SAID, Random(1))]
    training = FigureTraining(CONFIG, sentences)
    words, accepted, right = training.read.batch(sentences)
    chances = training.model(words, accepted).exp()
    taken = accepted.sum(-1) > 0
    assert torch.allclose(chances.sum(-1)[taken], torch.ones(int(taken.sum())))
    assert not chances[taken][accepted[taken] == 0].any()
    assert (right.sum((1, 2)) >= 1).all() and not right[accepted == 0].any()
    assert training.losses(0)["total"].isfinite()


def test_rules_are_asked_for_the_figure_alone() -> None:
    assert normalised("He paid ", "$40", " on the 21st.") == "forty dollars"
    assert normalised("Of 21 of us, ", "21st", ", I was") == "twenty first"


@pytest.mark.slow
def test_all_stages(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.mkdir()
    lines = [f"{said} That is line {'x' * k}.\n" for k in range(30) for said in SAID]
    (text / "a-train.txt").write_text("".join(lines), encoding="utf-8")
    (text / "b-test.txt").write_text("".join(lines[:8]), encoding="utf-8")
    options = ["--text", text, "--work", tmp_path / "work", "--config", "conf/tiny.yaml"]
    done = run("figures", *options, "--shares", "1", "--most", "20")
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "work" / "exp" / "tiny" / "scores.md").read_text(encoding="utf-8")
    for row in ("held | 4/5 | date", "other | money | money", "held | all | words wrong"):
        assert f"| {row} |" in table
