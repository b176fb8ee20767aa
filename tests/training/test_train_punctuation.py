"""Training a punctuation model: what text becomes, what is learnt from it, and going on."""

from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from a3t.text.punctuation.restoring import load
from a3t.text.punctuation.words_and_tags import CASES, NUMBER, PAUSE_LENGTHS, TAGS
from training import training_runs
from training.text.export_punctuation import export
from training.text.neighbour_vectors import neighbour_vectors
from training.text.punctuated_text import IGNORED, Spoilt, TextWindows, read_tagged, tagged
from training.text.punctuation_scores import OVERALL, scores, tags_of
from training.text.train_punctuation import (
    changed,
    load_run,
    train,
)

SIGNS = {"O": "", "COMMA": ",", "PERIOD": ".", "QUESTION": "?"}
TINY: dict[str, Any] = {
    "vocabulary": {"words": 40, "buckets": 32},
    "encoder": {"size": 16, "layers": 1, "kernel": 3, "unlisted": 0.0, "dropout": 0.0},
    "ffa": {"heads": 2, "hidden": 16, "fusion_heads": 2, "fusion_hidden": 16, "dropout": 0.0},
    "training": {"batch": 4, "seconds": 1.0, "rate": 0.02, "bfloat16": False},
}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A processor on which every step takes 20 ms."""
    monkeypatch.setattr(training_runs.time, "process_time", count(0.0, 0.02).__next__)


def shown(paragraphs: list[str]) -> str:
    text = tagged(paragraphs)
    return " ".join(
        word + SIGNS[TAGS[tag]] for word, tag in zip(text.words, text.tags, strict=True)
    )


@pytest.mark.parametrize(
    "written, expected",
    [
        ("“Well,” he said—quietly—“go!” And we did.", "well, he said, quietly, go. and we did."),
        ("Mr. J. Smith came; who knows why?", "mr j smith came. who knows why?"),
        ("“What?” she asked. It cost $5.", "what? she asked. it cost <number>."),
        ("a high-functioning, autistic man", "a high functioning, autistic man."),
        ("“Oh!” he cried: it’s late…", "oh, he cried, it's late."),
        ("He left -- as ever -- at once.", "he left, as ever, at once."),
    ],
)
def test_text_becomes_words_with_tags(written: str, expected: str) -> None:
    assert shown([written]) == expected


def test_only_capitals_within_a_sentence_tell_anything() -> None:
    text = tagged(["Ann met Bob. “Yes,” said BBC men, “Come to Rome.”"])
    told = dict(zip(text.words, text.cases.tolist(), strict=True))
    assert [told[w] for w in ("ann", "yes", "come")] == [IGNORED] * 3
    assert CASES[told["bob"]] == CASES[told["rome"]] == "capital"
    assert CASES[told["bbc"]] == "capitals" and CASES[told["met"]] == "lower"


def test_clitics_of_a_test_set_go_with_their_words(tmp_path: Path) -> None:
    path = tmp_path / "test.tsv"
    path.write_text("i\tO\n'm\tO\nself-made\tCOMMA\ndo\tO\nn't\tQUESTION\n", encoding="utf-8")
    text = read_tagged(path)
    assert text.words == ("i'm", "self", "made", "don't")
    assert [TAGS[tag] for tag in text.tags] == ["O", "O", "COMMA", "QUESTION"]


def windows(spoilt: Spoilt, pauses: np.ndarray | None = None) -> TextWindows:
    paragraphs = [f"we w{'abcdefghij'[k % 10]}x came, and left. did you go?" for k in range(200)]
    return TextWindows(tagged(paragraphs), 32, 6, spoilt, pauses)


def test_windows_are_the_same_for_a_step_and_lose_no_mark() -> None:
    whole = windows(Spoilt(windows=0.0))
    first, again, other = whole.batch(1, 5), whole.batch(1, 5), whole.batch(1, 6)
    assert first.texts == again.texts != other.texts
    assert [len(text) for text in first.texts] == [32] * 6
    for text, tags in zip(first.texts, first.tags, strict=True):
        due = {"came": 1, "left": 2, "go": 3}
        assert [due.get(word, 0) for word in text] == tags.tolist()
    spoilt = windows(Spoilt(windows=1.0, rate=0.5)).batch(1, 5)
    assert any(text != as_is for text, as_is in zip(spoilt.texts, first.texts, strict=True))
    assert spoilt.tags.shape == (6, 32) and abs((spoilt.tags > 0).mean() - 1 / 3) < 0.15


def test_pauses_are_drawn_as_often_as_people_made_them() -> None:
    table = np.zeros((4, PAUSE_LENGTHS))
    table[0, 1] = table[1, 3] = table[2, 5] = table[3, 7] = 1.0
    heard = windows(Spoilt(windows=0.0, silent=0.0), table).batch(1, 1)
    assert (heard.pauses == np.array([1, 3, 5, 7])[heard.tags]).all()
    assert (windows(Spoilt(silent=1.0), table).batch(1, 1).pauses == 0).all()


def test_scores_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import precision_recall_fscore_support

    rng = np.random.default_rng(0)
    found, due = rng.integers(0, 4, 500), rng.integers(0, 4, 500)
    ours = scores(found, due)
    for label, name in ((1, "COMMA"), (2, "PERIOD"), (3, "QUESTION"), (None, OVERALL)):
        labels = [1, 2, 3] if label is None else [label]
        precision, recall, f1, _ = precision_recall_fscore_support(
            due, found, labels=labels, average="micro", zero_division=0
        )
        mine = ours[name]
        assert (mine.precision, mine.recall, mine.f1) == pytest.approx(
            (100 * precision, 100 * recall, 100 * f1)
        )


def test_words_with_the_same_neighbours_are_alike() -> None:
    rng = np.random.default_rng(0)
    # 0 and 1 stand between 2 and 3; 4 and 5 between 6 and 7.
    ids = np.concatenate([[2, rng.integers(0, 2), 3, 6, rng.integers(4, 6), 7] for _ in range(400)])
    vectors = neighbour_vectors(ids, 8, 3, neighbours=8)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    alike = vectors @ vectors.T
    assert alike[0, 1] > 0.9 and alike[4, 5] > 0.9 and alike[0, 4] < 0.5


@pytest.mark.slow
@pytest.mark.usefixtures("clock")
def test_learning_going_on_and_shipping(tmp_path: Path) -> None:
    """Rules that can be learnt are, with every mark; what is shipped says the same, and so does
    what begins with it."""
    rng = np.random.default_rng(0)
    sentences = ["we came, and left.", "did you go there?", "so it is.", "they know Rome well."]
    lines = [" ".join(rng.choice(sentences, 12)) for _ in range(60)]
    path, run = tmp_path / "text.txt", tmp_path / "run"
    path.write_text("\n".join(lines), encoding="utf-8")
    brief = {**TINY, "training": {**TINY["training"], "seconds": 0.2}}
    train(brief, [path], run)
    steps = load_run(run)[2]["step"]
    train(TINY, [path], run)  # for the rest of the time
    _, network, state = load_run(run)
    assert state["step"] > steps and state["seconds"] >= 1.0
    text = tagged(lines[:5])
    tags = tags_of(network, text)[0]
    assert scores(tags, text.tags)[OVERALL].f1 > 90
    shipped = export(run, tmp_path / "model", [path])
    assert (tags_of(load(shipped), text)[0] == tags).mean() > 0.99
    assert "F1" in (shipped / "README.md").read_text()
    other = tmp_path / "other.txt"
    other.write_text("Other words, and others.\n" * 9, encoding="utf-8")
    none = {**TINY, "training": {**TINY["training"], "seconds": 0.0}}
    begun = train(none, [other], tmp_path / "on", str(shipped))
    assert (tags_of(begun, text)[0] == tags_of(load(shipped), text)[0]).all()
    lifted = tags_of(load(export(run, tmp_path / "lifted", [], [path])), text)[0]
    due = scores(lifted, text.tags)[OVERALL]
    assert (
        due.f1 >= scores(tags, text.tags)[OVERALL].f1 - 1 and (lifted > 0).sum() >= (tags > 0).sum()
    )


def test_changes_to_a_configuration() -> None:
    config = changed({"ffa": {"heads": 2}}, ["ffa.isa=false", "training.seconds=5", "pauses={}"])
    assert config == {"ffa": {"heads": 2, "isa": False}, "training": {"seconds": 5}, "pauses": {}}


def test_a_figure_is_a_figure() -> None:
    assert tagged(["1999, 5th"]).words == (NUMBER, NUMBER)
