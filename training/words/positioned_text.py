"""Documents as numbered words, each with Segatron's three positions.

    python -m training.words.positioned_text CONFIG TEXT… --wordnet DIR --out DIR

TEXT: files of one paragraph a line, ``*.txt`` or ``*.txt.xz``. Names with ``dev`` or ``test`` in
them are held out; all others are for training. ``NAME-index.tsv`` beside ``NAME-train.txt``, with
the columns file, first_line and last_line, says where documents begin; without one, a file is a
document. Marks are tokens, and so is a paragraph's end; letters are lower case.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from a3t.errors import InputError
from training.configuration import read_config, settings
from training.programs import Program, option
from training.text_lines import text_lines
from training.words.wordnet import WordNet

UNKNOWN, NUMBER, END = "<unk>", "<num>", "<p>"  # END: of a paragraph
PARTS = ("train", "dev", "test")
_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\d+(?:[.,:]\d+)*|[^\w\s]+?")
_ENDED = re.compile(r"(?<=[.?!…])([\"”’)]*)\s+(?=[\"“‘(]*[A-Z])")
_SHORT = re.compile(r"\b(?:Mr|Mrs|Dr|St|Messrs|Prof|Rev|Capt|Col|Gen|Lt|[A-Z])\.$")


@dataclass(frozen=True)
class VocabularySettings:
    """The settings of a vocabulary.

    words: the size of the vocabulary, at most. fewest: occurrences of a word in it. depth: of a
    hypernym. rare: occurrences in a million at which a noun is still replaced by its class; the
    paper's 6,000 of the 103 million words of WikiText-103.
    """

    words: int = 16_000
    fewest: int = 3
    depth: int = 6
    rare: float = 58.0


@dataclass(frozen=True)
class Positioned:
    """Words by number (n,), and positions (n, 3).

    They are of the token in its sentence, the sentence in its paragraph, the paragraph in its
    document, each from 0.
    """

    words: np.ndarray
    positions: np.ndarray


@dataclass(frozen=True)
class WordList:
    """The words, then the classes; counts of the words.

    classes: the number of each word's class, or its own. nouns: whether each word is a noun.
    """

    words: tuple[str, ...]
    counts: np.ndarray
    classes: np.ndarray
    nouns: np.ndarray

    @property
    def size(self) -> int:
        """The number of words, without classes."""
        return len(self.counts)


def sentences(paragraph: str) -> list[list[str]]:
    """Yield the tokens of each sentence of a paragraph; the last one ends with END."""
    parts: list[str] = []
    for part in _ENDED.sub(r"\1\n", paragraph).split("\n"):
        if parts and _SHORT.search(parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    found = [_TOKEN.findall(part.replace("’", "'").lower()) for part in parts]
    found = [[NUMBER if t[0].isdigit() else t for t in tokens] for tokens in found if tokens]
    if found:
        found[-1].append(END)
    return found


def documents(path: Path) -> Iterator[list[str]]:
    """Yield the paragraphs of each document of a file."""
    lines = [line.strip() for line in text_lines(path)]
    index = path.with_name(re.sub(r"-(train|dev|test)\.txt(\.xz)?$", "-index.tsv", path.name))
    if index == path or not index.is_file():
        yield lines
        return
    with open(index, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["file"] == path.name:
                yield lines[int(row["first_line"]) - 1 : int(row["last_line"])]


def positioned(path: Path) -> tuple[list[str], np.ndarray]:
    """Return the tokens of a file and their positions, (n, 3)."""
    tokens: list[str] = []
    places: list[tuple[int, int, int]] = []
    for paragraphs in documents(path):
        for p, paragraph in enumerate(filter(None, paragraphs)):
            for s, sentence in enumerate(sentences(paragraph)):
                tokens += sentence
                places += [(t, s, p) for t in range(len(sentence))]
    return tokens, np.array(places, np.int32).reshape(-1, 3)


def word_list(counts: Counter[str], chosen: VocabularySettings, wordnet: WordNet) -> WordList:
    """List the words that occur often enough, by frequency, and the classes of the rare nouns."""
    often = [(-count, word) for word, count in counts.items() if count >= chosen.fewest]
    words = [UNKNOWN, *(word for _, word in sorted(often)[: chosen.words - 1])]
    most = chosen.rare * counts.total() / 1e6
    found = {
        number: name
        for number, word in enumerate(words)
        if word[0].isalpha() and counts[word] <= most
        if (name := wordnet.hypernym(word, chosen.depth))
    }
    names = {name: len(words) + k for k, name in enumerate(sorted(set(found.values())))}
    classes = np.arange(len(words), dtype=np.int32)
    classes[list(found)] = [names[name] for name in found.values()]
    nouns = np.array([word[0].isalpha() and wordnet.is_noun(word) for word in words])
    numbers = [
        counts.total() - sum(counts[word] for word in words),
        *(counts[w] for w in words[1:]),
    ]
    return WordList((*words, *names), np.array(numbers), classes, nouns | (classes >= len(words)))


def prepare(texts: Iterable[Path], chosen: VocabularySettings, wordnet: WordNet, out: Path) -> None:
    """Write what `load_part` and `load_words` read; raise InputError if a part has no words."""
    parts: dict[str, list[tuple[list[str], np.ndarray]]] = {part: [] for part in PARTS}
    for path in texts:
        part = next((part for part in PARTS[1:] if part in path.name), PARTS[0])
        parts[part].append(positioned(path))
    for part, found in parts.items():
        if not any(tokens for tokens, _ in found):
            raise InputError(f"No words for {part}: give files for training, dev and test.")
    listed = word_list(Counter(w for tokens, _ in parts["train"] for w in tokens), chosen, wordnet)
    numbers = {word: k for k, word in enumerate(listed.words[: listed.size])}
    out.mkdir(parents=True, exist_ok=True)
    for part, found in parts.items():
        words = [numbers.get(word, 0) for tokens, _ in found for word in tokens]
        places = np.concatenate([positions for _, positions in found])
        np.savez(out / f"{part}.npz", words=np.array(words, np.int32), positions=places)
    arrays = {name: getattr(listed, name) for name in ("counts", "classes", "nouns")}
    np.savez(out / "words.npz", **arrays)
    (out / "words.json").write_text(json.dumps(listed.words), encoding="utf-8")
    facts: dict[str, Any] = {part: int(sum(len(t) for t, _ in f)) for part, f in parts.items()}
    replaced = listed.classes >= listed.size
    facts |= {"words": listed.size, "classes": len(listed.words) - listed.size}
    facts |= {"replaced": int(replaced.sum()), "of them": int(listed.counts[replaced].sum())}
    print(json.dumps(facts), flush=True)


def load_part(folder: Path, part: str) -> Positioned:
    """Load one of PARTS, as `prepare` wrote it."""
    with np.load(folder / f"{part}.npz") as arrays:
        return Positioned(arrays["words"], arrays["positions"])


def load_words(folder: Path) -> WordList:
    """Load the vocabulary, as `prepare` wrote it."""
    words = tuple(json.loads((folder / "words.json").read_text(encoding="utf-8")))
    with np.load(folder / "words.npz") as arrays:
        return WordList(words, arrays["counts"], arrays["classes"], arrays["nouns"])


def work(options: argparse.Namespace) -> None:
    """Prepare the texts that the options name."""
    chosen = settings(VocabularySettings, read_config(options.config).get("vocabulary"))
    prepare(options.texts, chosen, WordNet(options.wordnet), options.out)


main = Program(
    work,
    option("config", type=Path, metavar="CONFIG"),
    option("texts", type=Path, nargs="+", metavar="TEXT"),
    option("--wordnet", type=Path, default=Path("/usr/share/wordnet"), metavar="DIR"),
    option("--out", type=Path, required=True, metavar="DIR"),
)


if __name__ == "__main__":
    raise SystemExit(main())
