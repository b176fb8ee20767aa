"""The nouns of WordNet 3.0 and their hypernyms, read from its dictionary files.

Debian's package ``wordnet-base`` has them in /usr/share/wordnet; wndb(5WN) describes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from a3t.errors import InputError
from training.text_lines import text_lines

# Endings of plurals and what they come from, in the order of morphy(7WN).
ENDINGS = (
    ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
    ("shes", "sh"), ("men", "man"), ("ies", "y"),
)  # fmt: skip
# Frequent words that WordNet has as nouns (the month, the pronoun's capitals) and text hardly does.
NO_NOUNS = frozenset("a i it he in at as or us will may might can being while yes mrs mr".split())


class WordNet:
    """The nouns of WordNet in ``folder``.

    >>> WordNet(Path("/usr/share/wordnet")).hypernym("magnesium", 6)  # doctest: +SKIP
    'metallic_element.n.01'

    Raises InputError if the folder lacks its files.
    """

    def __init__(self, folder: Path) -> None:
        names = ("index.noun", "data.noun", "noun.exc", "cntlist.rev")
        for name in names:
            if not (folder / name).is_file():
                raise InputError(f"{folder} has no {name}: name WordNet's folder of files.")
        index, data, irregular, counted = (text_lines(folder / name) for name in names)
        self._senses = dict(_indexed(index))
        self._names: dict[str, str] = {}  # offset -> first lemma of the synset
        # offset -> offsets of its hypernyms, and of those of which it is an instance
        self._above: dict[str, tuple[list[str], list[str]]] = {}
        for line in data:
            if not line.startswith(" "):  # the licence
                fields = line.split(" | ")[0].split()
                lemmas = int(fields[3], 16)
                pointers = fields[5 + 2 * lemmas :]
                self._names[fields[0]] = fields[4].lower()
                both = list(zip(pointers[::4], pointers[1::4], strict=False))
                kinds, instances = ([o for s, o in both if s == sign] for sign in ("@", "@i"))
                self._above[fields[0]] = (kinds, instances)
        self._irregular = {fields[0]: fields[1:] for fields in map(str.split, irregular)}
        self._counts: dict[str, list[int]] = {}  # lemma -> [of nouns, of the rest]
        for key, _, count in map(str.split, counted):
            lemma, _, kind = key.partition("%")
            self._counts.setdefault(lemma, [0, 0])[kind[:1] != "1"] += int(count)

    def lemmas(self, word: str) -> list[str]:
        """Return the nouns, in WordNet's spelling, of which a word is a form; itself first."""
        found = [word, *self._irregular.get(word, ())]
        if word not in self._irregular and not word.endswith("ss"):
            found += [word[: -len(a)] + b for a, b in ENDINGS if word.endswith(a)]
        return [lemma for lemma in dict.fromkeys(found) if lemma in self._senses]

    def is_noun(self, word: str) -> bool:
        """Return whether WordNet counts the word as a noun more often than as anything else."""
        if word in NO_NOUNS:
            return False
        counts = [self._counts.get(lemma, (0, 0)) for lemma in self.lemmas(word)]
        return sum(noun for noun, _ in counts) > sum(other for _, other in counts)

    def hypernym(self, word: str, depth: int) -> str | None:
        """Return the class of a word: the synset number ``depth`` from the root.

        It is on the first path that is long enough, of its most frequent sense that has one (the
        paper's code 1, with the order of paths that its NLTK had).
        """
        for lemma in self.lemmas(word):
            for offset in self._senses[lemma]:
                for path in self._paths(offset):
                    if len(path) >= depth:
                        return self._name(path[depth - 1])
        return None

    def _paths(self, offset: str) -> Iterator[list[str]]:
        """Yield every way from the root to a synset, both included, in NLTK's order.

        Releases 3.5 to 3.6.5, the paper's, sort hypernyms by name and then the synsets of which
        this one is an instance; the files have another order, and so have later releases.
        """
        kinds, instances = self._above[offset]
        if not kinds and not instances:
            yield [offset]
        for above in (*sorted(kinds, key=self._name), *sorted(instances, key=self._name)):
            yield from ([*path, offset] for path in self._paths(above))

    def _name(self, offset: str) -> str:
        lemma = self._names[offset]
        return f"{lemma}.n.{1 + self._senses[lemma].index(offset):02}"


def _indexed(lines: Iterator[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each lemma with the offsets of its synsets, the most frequent sense first."""
    for line in lines:
        if not line.startswith(" "):
            fields = line.split()
            yield fields[0], fields[-int(fields[2]) :]
