"""recipes/words: every stage, at a tiny size, and the parts that the papers define."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.errors import InputError
from a3t.learning.loop import Losses
from tests.recipes.running import run
from training.training_runs import carry_out
from training.words.positioned_text import Positioned, WordList, positioned, sentences
from training.words.train_transformer_xl import Streams, StreamSettings, XLTraining, nats_of
from training.words.transformer_xl import TransformerXL, XLAttention
from training.words.wordnet import WordNet

DEBIAN = Path(os.environ.get("A3T_WORDNET", "/usr/share/wordnet"))
HYPERNYMS = Path(__file__).with_name("hypernyms.tsv")
# entity > thing > substance > metal > heavy metal > iron, lead; and a second, short way to iron
CHAIN = ["entity", "thing", "substance", "metal", "heavy_metal", "iron"]
CONFIG = {
    "model": {"size": 12, "layers": 2, "heads": 2, "hidden": 12, "memory": 5, "segatron": True},
    "data": {"streams": 3, "window": 4},
    "hypernyms": {"share": 0.5, "chance": 1.0},
    "training": {"steps": 12, "warmup": 2, "decay": 4, "epoch": 6},
}


def small_wordnet(folder: Path) -> Path:
    """A WordNet of a few nouns, in the files' format."""
    above = {name: [k - 1] for k, name in enumerate(CHAIN) if k}
    above |= {"entity": [], "iron": [0, 4], "lead": [4]}
    names = [*CHAIN, "lead"]
    index, data = ["  1 the licence  "], ["  1 the licence  "]
    for k, name in enumerate(names):
        pointers = " ".join(f"@ {a:08} n 0000" for a in above[name])
        data.append(f"{k:08} 03 n 01 {name} 0 {len(above[name]):03} {pointers} | a gloss @ 1 n 2")
        index.append(f"{name} n 1 1 @ 1 0 {k:08}")
    for file, lines in {"index": index, "data": data}.items():
        (folder / f"{file}.noun").write_text("\n".join(lines) + "\n")
    (folder / "noun.exc").write_text("leaden lead\n")
    (folder / "cntlist.rev").write_text("iron%1:27:00:: 1 9\niron%2:35:00:: 1 2\nlead%2:1:: 1 5\n")
    return folder


def test_classes_are_hypernyms_at_a_depth(tmp_path: Path) -> None:
    wordnet = WordNet(small_wordnet(tmp_path))
    assert wordnet.hypernym("iron", 5) == wordnet.hypernym("leads", 5) == "heavy_metal.n.01"
    assert wordnet.hypernym("leaden", 6) == "lead.n.01" and wordnet.hypernym("metal", 6) is None
    assert wordnet.is_noun("irons") and not wordnet.is_noun("lead")


def test_paths_are_sorted_by_name_and_instances_come_last(tmp_path: Path) -> None:
    """As NLTK sorted them, whatever the file's order is."""
    small_wordnet(tmp_path)
    data = tmp_path / "data.noun"
    # From iron to thing, whose file place is later and whose name is later too, then to substance.
    line = "00000005 03 n 01 iron 0 003 @i 00000000 n 0000 @ 00000004 n 0000 @ 00000003 n 0000"
    rows = data.read_text().splitlines()
    rows = [f"{line} | a gloss" if row.startswith("00000005 ") else row for row in rows]
    data.write_text("\n".join(rows) + "\n")
    wordnet = WordNet(tmp_path)
    assert wordnet.hypernym("iron", 2) == "thing.n.01"
    assert wordnet.hypernym("iron", 5) == "heavy_metal.n.01"  # before "metal", and "entity" last
    named = [[wordnet._name(offset) for offset in path] for path in wordnet._paths("00000005")]
    assert [path[-2] for path in named] == ["heavy_metal.n.01", "metal.n.01", "entity.n.01"]


@pytest.mark.skipif(not DEBIAN.is_dir(), reason="wordnet-base is not installed")
def test_two_hundred_classes_are_nltks() -> None:
    """Made by NLTK's reader on these files, its hypernyms sorted as in releases 3.5 to 3.6.5.

    Half of them get another class by the file's order.
    """
    wordnet = WordNet(DEBIAN)
    rows = [line.split("\t") for line in HYPERNYMS.read_text().splitlines()]
    assert len(rows) == 200
    assert [[word, wordnet.hypernym(word, 6)] for word, _ in rows] == rows


@pytest.mark.skipif(not DEBIAN.is_dir(), reason="wordnet-base is not installed")
def test_classes_are_the_papers() -> None:
    """Figures 3.1 and 3.2 of the thesis."""
    wordnet = WordNet(DEBIAN)
    assert wordnet.hypernym("magnesium", 6) == "metallic_element.n.01"
    assert wordnet.hypernym("torch", 6) == "instrumentality.n.03"
    assert wordnet.hypernym("stadium", 6) == "structure.n.01"


def test_positions_count_within_sentence_paragraph_and_document(tmp_path: Path) -> None:
    assert sentences("“Is it?” said Mr. Bell. No: 3.50!") == [
        [*"“ is it ? ” said mr . bell .".split()],
        [*"no : <num> ! <p>".split()],
    ]
    path = tmp_path / "b-test.txt"
    path.write_text("Go on. Now.\nYes.\nOther.\n")
    (tmp_path / "b-index.tsv").write_text(
        "file\tfirst_line\tlast_line\nb-test.txt\t1\t2\nb-test.txt\t3\t3\n"
    )
    tokens, places = positioned(path)
    assert " ".join(tokens) == "go on . now . <p> yes . <p> other . <p>"
    assert places[[2, 3, 6, 9]].tolist() == [[2, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("segatron", [False, True])
def test_scores_by_position_are_those_of_the_equation(segatron: bool) -> None:
    """(q + v) W_R R, R made for each pair, by thirds for Segatron (equation 2.3)."""
    torch.manual_seed(0)
    attention = XLAttention(12, 2, 0.0)
    network = TransformerXL(4, segatron, size=12, heads=2)
    places = torch.randint(0, 40, (1, 7, 3))
    query = torch.randn(1, 2, 3, 6)
    found = attention._by_position(query, network.waves(places))
    own = places if segatron else torch.arange(7)[None, :, None]
    each = 6 // own.shape[-1]
    for i in range(3):
        for j in range(7):
            apart = (own[0, 4 + i] - own[0, j])[:, None] * 10_000.0 ** (-torch.arange(each) / each)
            relative = torch.cat([apart.flatten().sin(), apart.flatten().cos()])
            wanted = torch.einsum(
                "hd,hd->h", query[0, :, i], (attention.relative.weight @ relative).view(2, 6)
            )
            assert torch.allclose(found[0, :, i, j], wanted, atol=1e-4)


def test_no_word_sees_a_later_one_and_memory_reaches_further_back() -> None:
    torch.manual_seed(0)
    network = TransformerXL(9, True, size=12, layers=2, heads=2, hidden=12, memory=4).eval()
    words, places = torch.randint(0, 9, (1, 8)), torch.randint(0, 5, (1, 8, 3))
    changed = words.clone()
    changed[0, 6] = (words[0, 6] + 1) % 9
    before, after = (network(w, places, network.nothing(1))[0] for w in (words, changed))
    assert torch.equal(before[:, :6], after[:, :6]) and not torch.equal(before[:, 6], after[:, 6])
    _, memory = network(words[:, :4], places[:, :4], network.nothing(1))
    second, _ = network(words[:, 4:], places, memory)
    assert torch.allclose(second, before[:, 4:], atol=1e-5)


def small_training() -> XLTraining:
    random = np.random.default_rng(1)
    words = random.integers(0, 6, 90).astype(np.int32)
    text = Positioned(words, np.stack([np.arange(90) % k for k in (4, 8, 90)], 1).astype(np.int32))
    classes = np.array([0, 1, 2, 6, 6, 5], np.int32)
    listed = WordList((*"uvwxyz", "c.n.01"), np.arange(6), classes, classes > 5)
    return XLTraining(CONFIG, listed, text, text)


def test_classes_replace_rare_nouns_in_the_first_steps(tmp_path: Path) -> None:
    training = small_training()
    assert [training.of_classes(step) for step in range(12)] == [True] * 6 + [False] * 6
    training.losses(0)["total"].backward()
    touched = training.network.embedding.weight.grad.abs().sum(1) > 0
    assert touched.tolist() == [True, True, True, False, False, True, True]


@pytest.mark.slow
def test_a_resumed_training_remembers_what_it_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = carry_out(small_training(), tmp_path / "whole")
    first = small_training()
    losses = first.losses

    def stopped_at_6(step: int) -> Losses:
        if step == 6:
            signal.raise_signal(signal.SIGTERM)
        return losses(step)

    monkeypatch.setattr(first, "losses", stopped_at_6)
    with pytest.raises(InputError, match="step 7"):  # a recipe goes on to no other row
        carry_out(first, tmp_path / "parts")
    second = carry_out(small_training(), tmp_path / "parts")
    assert second.done
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, second.model.state_dict()[name]), name


def test_chances_of_the_words_add_up_to_one() -> None:
    training = small_training()
    text = Streams(Positioned(np.arange(6, dtype=np.int32), np.zeros((6, 3), np.int32)),
                   StreamSettings(streams=1, window=5))  # fmt: skip
    nats, tokens = nats_of(training.network.eval(), text, 6)
    assert tokens.tolist() == [1, 2, 3, 4, 5] and np.isfinite(nats).all()
    vectors = torch.randn(1, 12).expand(6, -1)
    each = training.network.loss(vectors, torch.arange(6), slice(6))
    assert float(torch.exp(-each.detach()).sum()) == pytest.approx(1, abs=1e-5)


@pytest.mark.slow
def test_all_stages(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.mkdir()
    lines = "The iron fell. “Was it lead?” he said.\nNo, it was iron.\n" * 40
    for part in ("train", "dev", "test"):
        (text / f"b-{part}.txt").write_text(lines, encoding="utf-8")
    options = ["--text", text, "--wordnet", small_wordnet(tmp_path), "--seeds", "1"]
    options += ["--config", "conf/tiny.yaml", "--work", tmp_path / "work"]
    done = run("words", *options)
    assert done.returncode == 0, done.stderr
    table = (tmp_path / "work" / "exp" / "tiny" / "perplexities.md").read_text(encoding="utf-8")
    assert [line.split(" | ")[1] for line in table.splitlines()[2:]] == ["1"] * 4
    assert "| rare nouns |" in table
