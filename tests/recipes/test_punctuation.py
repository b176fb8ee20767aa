"""recipes/punctuation: every stage, at a tiny size."""

from pathlib import Path

import pytest
import yaml

from a3t.text.punctuation.restoring import load
from a3t.text.punctuation.words_and_tags import PAUSE_LENGTHS, TAGS, Vocabulary
from tests.recipes.running import RECIPES, run
from training.text.train_punctuation import TaggerTraining, network_of

RECIPE = RECIPES / "punctuation"


@pytest.mark.parametrize("config", sorted(path.stem for path in (RECIPE / "conf").glob("*.yaml")))
def test_configurations_are_ones(config: str) -> None:
    settings = yaml.safe_load((RECIPE / "conf" / f"{config}.yaml").read_text(encoding="utf-8"))
    TaggerTraining(**settings["training"])
    words = Vocabulary(tuple(f"w{k}" for k in range(50)), settings["vocabulary"]["buckets"])
    if "pretrained" in settings["encoder"]:  # gigabytes of a hub's: tests/training has tiny ones
        return
    assert sum(x.numel() for x in network_of(settings, words).parameters()) > 100_000
    for row in settings.get("pauses", {}).values():
        assert len(row) == PAUSE_LENGTHS and sum(row) == pytest.approx(1, abs=0.001)
    assert set(settings.get("pauses", TAGS)) == set(TAGS)


@pytest.mark.slow
def test_all_stages(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.mkdir()
    lines = "We came, and left at once. Did you go there, Ann? So it is: we know.\n" * 400
    (text / "books-train.txt").write_text(lines, encoding="utf-8")
    (text / "books-test.txt").write_text(lines[:2000], encoding="utf-8")
    (text / "talks-test.tsv").write_text("we\tO\ncame\tCOMMA\nand\tO\nleft\tPERIOD\n" * 40)
    work = tmp_path / "work"
    options = ["--text", text, "--work", work, "--seconds", "3", "--row_seconds", "3"]
    done = run("punctuation", *options)
    assert done.returncode == 0, done.stderr
    table = (work / "exp" / "scores.md").read_text(encoding="utf-8")
    for row in ("ffa", "neither_3", "no_isa"):
        assert table.count(f"\n| {row} |") == 2
    assert load(work / "exp" / "packed" / "ffa").encoder is not None
