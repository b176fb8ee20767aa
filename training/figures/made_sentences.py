"""Sentences whose figures were words: python -m training.figures.made_sentences TEXT… --out FILE

Text says "twenty-three", "April 5" or "1,984"; the sentence gets the figure 23, 4/5 or 1984, and
what was said is known token by token. Files with ``dev`` or ``test`` in their names are a set of
their own, ``other``: other books and documents. Of the rest every fifth paragraph is ``held``.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from zlib import crc32

from a3t.text.normaliser import numbers
from training.programs import Program, option
from training.text.punctuated_text import read_paragraphs
from training.text.train_figures import HEARD, HELD_OUT, SaidFigure, said_figures

SETS = ("train", "held", "other")
# Proteno's tokenizer: spaces, then figures, letters and signs apart, but a sum of money whole.
_GRANULE = re.compile(r"[$£€]\d+|\d+|[^\W\d_]+(?:['’][^\W\d_]+)*|\S")
_VALUES = {numbers.cardinal(n): n for n in (*range(10, 1000), *range(1000, 100_000, 50))}
_PLACES = {numbers.ordinal(n): n for n in range(4, 100)}
_NAMES = sorted({w for said in (*_VALUES, *_PLACES) for w in said.split()}, key=len, reverse=True)
_PHRASE = re.compile(
    rf"(?<![\d.,])\b(?P<n>(?:{'|'.join(_NAMES)})(?:(?:[ -]and)?[ -](?:{'|'.join(_NAMES)}))*|\d+)\b"
    r"(?P<unit> dollars| pounds| per ?cent)?(?![\w-])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class MadeSentence:
    """A figure in its sentence: the granular tokens, and what is said for each of the figure's,
    which stand from `first` on; `said` has where it came from."""

    said: SaidFigure
    tokens: tuple[str, ...]
    first: int
    spoken: tuple[str, ...]
    set: str

    @property
    def words(self) -> str:
        """All that is said for the figure."""
        return numbers.said(*self.spoken)


def granules(text: str) -> list[str]:
    """Proteno's granular tokens: C3PO -> C 3 PO."""
    return _GRANULE.findall(text)


def words_of(kind: str, reading: str, figure: str) -> list[str]:
    """The words said for each granular token of a figure of some reading."""
    if kind == "whole":
        return [numbers.year(figure) if reading == "year" else numbers.cardinal(figure)]
    if kind == "money":
        return [numbers.money(figure[1:], figure[0])]
    if kind == "percent":
        return [numbers.cardinal(figure[:-1]), "percent"]
    if kind == "ordinal":
        return [numbers.ordinal(figure[:-2]), ""]
    if kind == "number":
        head, comma, tail = figure.partition(",")
        if not comma:
            return [numbers.cardinal(head)]
        rest = numbers.cardinal(tail) if int(tail) else ""
        return [f"{numbers.cardinal(head)} thousand", "", rest]
    above, below = re.split(r"[/.]", figure)
    sign = {"out of": "out of", "decimal": "point"}.get(reading, "")
    first = numbers.cardinal(above)
    if reading == "date":
        first, second = numbers.MONTHS[int(above) - 1], numbers.ordinal(below)
    elif reading == "decimal":
        second = numbers.spell_digits(below)
    elif reading == "out of":
        second = numbers.cardinal(below)
    else:
        pair = (int(above), int(below))
        whole = numbers.clock(*pair) if reading == "time" else numbers.fraction(*pair)
        second = whole.removeprefix(f"{first} ")
    return [first, sign, second]


def plain_figures(paragraphs: Iterable[str], rng: random.Random) -> Iterator[SaidFigure]:
    """Figures that can be said in one way only, where the text has words."""
    for paragraph in paragraphs:
        held = crc32(paragraph.encode()) % HELD_OUT == 0
        for match in _PHRASE.finditer(paragraph):
            said = re.sub(r"[ -]and[ -]|[ -]", " ", match["n"].lower())
            unit = (match["unit"] or "").strip().replace(" ", "")
            value = _VALUES.get(said)
            if said.isdigit() and unit == "percent" and not said.startswith("0"):
                value = int(said)
            if said in _PLACES and not unit:
                kind, figure = "ordinal", f"{_PLACES[said]}{_ending(_PLACES[said])}"
            elif value is None or value > 99_999:
                continue
            elif unit == "percent":
                kind, figure = "percent", f"{value}%"
            elif unit:
                kind, figure = "money", f"{'$' if unit == 'dollars' else '£'}{value}"
            else:
                kind, figure = "number", f"{value:,}" if value > 9999 else str(value)
                if 1000 <= value <= 9999:  # 1984 without its comma is of train_figures' kinds
                    figure = f"{value:,}"
            first, last = match.span()
            left, right = paragraph[max(0, first - HEARD) : first], paragraph[last : last + HEARD]
            yield SaidFigure(kind, kind, figure, left, right, held)


def _ending(place: int) -> str:
    return "th" if 10 < place < 20 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")


def made(said: SaidFigure, other: bool) -> MadeSentence:
    """The sentence about a figure, cut at whole words on either side."""
    before = said.left.partition(" ")[2] if len(said.left) == HEARD else said.left
    after = said.right.rpartition(" ")[0] if len(said.right) == HEARD else said.right
    left = granules(before)
    tokens = (*left, *granules(said.figure), *granules(after))
    spoken = tuple(words_of(said.kind, said.reading, said.figure))
    return MadeSentence(said, tokens, len(left), spoken, SETS[2 if other else int(said.held)])


def chosen(sentences: Iterable[MadeSentence], most: int, seed: int = 1) -> list[MadeSentence]:
    """At most so many sentences of each set, kind and reading (a fifth as many to test with), in
    random order."""
    rng = random.Random(seed)
    groups: dict[tuple[str, str, str], list[MadeSentence]] = {}
    for each in sentences:
        groups.setdefault((each.set, each.said.kind, each.said.reading), []).append(each)
    found: list[MadeSentence] = []
    for key, group in sorted(groups.items()):
        rng.shuffle(group)
        found += group[: most if key[0] == SETS[0] else most // 5]
    rng.shuffle(found)
    return found


def read_made(path: Path) -> list[MadeSentence]:
    """The sentences of a file that this program wrote."""
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [
        MadeSentence(
            SaidFigure(*row["said"]), tuple(row["tokens"]), row["first"], tuple(row["spoken"]),
            row["set"],
        )
        for row in rows
    ]  # fmt: skip


def work(options: argparse.Namespace) -> None:
    rng = random.Random(1)
    found = []
    for path in options.texts:
        other = "dev" in path.name or "test" in path.name
        paragraphs = read_paragraphs(path)
        for figures in (said_figures, plain_figures):
            found += [made(said, other) for said in figures(paragraphs, rng)]
    sentences = chosen(found, options.most)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(asdict(each) | {"said": tuple(each.said)}) for each in sentences)
    options.out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(json.dumps({name: sum(s.set == name for s in sentences) for name in SETS}), flush=True)


main = Program(
    work,
    option("texts", type=Path, nargs="+", metavar="TEXT"),
    option("--out", type=Path, required=True, metavar="FILE"),
    option("--most", type=int, default=2000, metavar="N", help="of each kind and reading"),
)


if __name__ == "__main__":
    raise SystemExit(main())
