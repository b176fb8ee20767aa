"""Learn which reading of an ambiguous figure is meant: python -m training.text.train_figures TEXT …

The sentences are made from text, by writing what is said for sure in a way that is not: "1,984
copies" without its comma, "two thirds of" as 2/3, "April 5" as 4/5, "10:30" and "10.30 am" as
10.30; and from short lists for what text hardly has, recipes and marks. A fifth of the paragraphs
is held out, and what is reported was measured on those, beside what the rules alone say.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from a3t.text.normaliser.context import FOLDER, READINGS, Context, Weights, features, likeliest
from a3t.text.normaliser.figures import FIVES
from a3t.text.normaliser.numbers import MONTHS
from a3t.text.normaliser.tokens import PAUSES, token_at, tokens_of
from training.programs import Program, option
from training.text.punctuated_text import read_paragraphs
from training.text.train_homographs import feature_matrix

HELD_OUT = 5  # one paragraph in so many
_LEAST = 3  # examples that a feature must occur in
_MOST = 700  # weights of a reading
_TURNED = 0.005  # of what the rules have right, how much may be turned wrong
_NAMED = "one two three four five six seven eight nine ten".split()
_PARTS = "half third quarter fifth sixth seventh eighth ninth tenth".split()
_MONTH = "|".join(MONTHS)
_FEW = rf"\d\d?|{'|'.join(_NAMED)}"
_MEASURED = "%|[ -](?:per cent|percent|million|billion|trillion|times|points?|percentage)"
HEARD = 60  # characters on either side that are looked at
_SAID = tuple(
    (kind, reading, re.compile(pattern, re.IGNORECASE))
    for kind, reading, pattern in (
        ("whole", "year", r"(?<![\d,.$£€/:-])(?:1\d|20)\d\d(?![\d%]|[,./:-]\d)"),
        ("whole", "number", r"(?<![\d,.$£€/:-])(?:\d{1,3},\d{3}|[1-9]\d\d)(?![\d%]|[,./:-]\d)"),
        ("slash", "date", rf"\b(?P<m>{_MONTH}) (?P<d>\d\d?)(?:st|nd|rd|th)?\b(?!,? \d|[:.]\d)"),
        ("slash", "date", rf"\b(?P<d>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<m>{_MONTH})\b(?! \d)"),
        ("slash", "part", rf"\b(?P<a>a|{'|'.join(_NAMED)})[ -](?P<p>{'|'.join(_PARTS)})s? of\b"),
        ("slash", "part", rf"\b(?P<a>{'|'.join(_NAMED[1:])})[ -](?P<p>{'|'.join(_PARTS)})s\b"),
        ("slash", "out of", rf"\b(?P<a>{_FEW}) out of (?:the )?(?P<b>{_FEW})\b"),
        ("dotted", "time", r"(?<![\d.,$£€])(?P<h>\d\d?):(?P<n>[0-5]\d)(?! ?[ap]\.?m|[\d:])"),
        ("dotted", "time", r"(?<![\d.,$£€])(?P<h>\d\d?)\.(?P<n>[0-5]\d) ?[ap]\.?m\b\.?"),
        ("dotted", "decimal", rf"(?<![\d.,])(?P<h>\d\d?)\.(?P<n>\d)\d?(?={_MEASURED})"),
        ("dotted", "decimal", r"(?<![\d.,])(?P<h>\d\d?)\.(?P<n>\d)(?![\d.])"),
    )
)  # fmt: skip
_LISTS = {
    "part": (
        "add,use,need,pour,measure,plus,with,about,of,another,and,mix in,ran,walked,drove,the last",
        "cup,cup of,cups of,tsp,teaspoon,tbsp,tablespoon,oz,ounce,pound,pound of,mile,inch,inch of,"
        "hour,of the,of a,of all,of them,of my,of users,of people,share,majority,size,full,price",
    ),
    "out of": (
        "rated it,scored,gave it,got,a score of,a solid,a rating of,it's a,only,we got,i give it,"
        "he went,shot,a perfect,reviewed it,averages",
        "stars,star,from me,on the test,on the quiz,points,for effort,on my list,overall,"
        "in the exam,from the critics,reviews,attempts,this time,for sure,at best",
    ),
    "date": (
        "on,by,since,until,before,after,starting,from,due,due on,dated,born,effective,is on,was on,"
        "through,scheduled for,ends,monday,friday,sunday,tuesday",
        "we,i,at,in,the,and,he,they,she,for,meeting,release,episode,deadline,morning,show,until,"
        "when,because,email,email from,"
    ),
}  # fmt: skip

EXAMPLES = {"whole": "1984", "slash": "4/5", "dotted": "10.30"}
_CARD = """# figures

Chooses the reading of an ambiguous figure by its neighbours: 1984 copies, on 4/5, at 10.30.

- **Model**: logistic regression on the figure and two words on either side; {weights:,} weights.
  It chooses only among readings that the rules allow, and only when it is sure: it changes at most
  0.5 % of the figures that the rules read rightly.
- **Data**: {examples:,} figures in books and speeches in the public domain, US official briefings
  and interviews, and UK public inquiries (contains public sector information licensed under the
  Open Government Licence v3.0), rewritten ambiguously where the text is not ("1,984" without its
  comma, or another number made one of four figures, "two thirds of" as 2/3, "April 5" as 4/5,
  "10:30" as 10.30); and lists. Only weights are here.
- **Measured** on every fifth paragraph, which it never saw; % right:

| figure | reading | figures | rules alone | chosen |
|---|---|---|---|---|
{rows}

- **Made by** `python -m training.text.train_figures TEXT …`.
- **Licence of the weights**: Apache-2.0.
"""


@dataclass(frozen=True)
class MarkedFigure:
    """A figure of some kind, with its right reading."""

    kind: str
    reading: str
    figure: str
    features: tuple[str, ...]
    admissible: tuple[str, ...]
    held: bool
    listed: bool = False


class SaidFigure(NamedTuple):
    """A figure that text says for sure, `written` ambiguously, with the text on either side."""

    kind: str
    reading: str
    figure: str
    left: str
    right: str
    held: bool


def said_figures(paragraphs: Iterable[str], rng: random.Random) -> Iterator[SaidFigure]:
    """The figures that paragraphs say for sure."""
    for paragraph in paragraphs:
        held = crc32(paragraph.encode()) % HELD_OUT == 0
        for kind, reading, pattern in _SAID:
            for match in pattern.finditer(paragraph):
                figure = written(kind, reading, match, rng)
                if figure:
                    first, last = match.span()
                    if match[0].endswith(" of"):
                        last -= len(" of")
                    left = paragraph[max(0, first - HEARD) : first]
                    right = paragraph[last : last + HEARD]
                    yield SaidFigure(kind, reading, figure, left, right, held)


def examples(paragraphs: Iterable[str], rng: random.Random) -> Iterator[MarkedFigure]:
    """Examples: what the paragraphs say for sure, written as figures, and the lists."""
    yield from map(marked, said_figures(paragraphs, rng))
    for reading, (before, after) in _LISTS.items():
        for ahead in before.split(","):
            for behind in after.split(","):
                figure = _of_list(reading, rng)
                held = crc32(f"{ahead} {behind}".encode()) % HELD_OUT == 0
                listed = SaidFigure("slash", reading, figure, f"so {ahead} ", f" {behind}", held)
                yield replace(marked(listed), listed=True)


def written(kind: str, reading: str, match: re.Match[str], rng: random.Random) -> str:
    """The ambiguous form of what a pattern found; "" if there is none."""
    if kind == "whole":
        figure = int(match[0].replace(",", ""))
        # The words beside it shall decide: some years are long ago, and half of the numbers look
        # like years of today.
        if reading == "number" and not 1010 <= figure < 2100:
            figure = rng.randint(1900, 2029) if rng.random() < 0.5 else rng.randint(1010, 1899)
        elif reading == "year" and rng.random() < 0.15:
            figure = rng.randint(1010, 1899)
        return str(figure) if _differ(figure) else ""
    if kind == "dotted":
        return f"{match['h']}.{match['n'].ljust(2, rng.choice('05'))}"
    if reading == "date":
        return f"{MONTHS.index(match['m'].lower()) + 1}/{match['d']}"
    above = _value(match["a"])
    below = _value(match["b"]) if reading == "out of" else 2 + _PARTS.index(match["p"].lower())
    return f"{above}/{below}" if above <= below else ""


def _differ(figure: int) -> bool:
    """True if four figures are said otherwise as a year than as a number."""
    return 1010 <= figure < 2100 and figure % 100 > 0 and not 2000 < figure < 2010


def _value(word: str) -> int:
    bare = word.lower()
    return int(bare) if bare.isdigit() else 1 if bare == "a" else 1 + _NAMED.index(bare)


def _of_list(reading: str, rng: random.Random) -> str:
    if reading == "date":
        return f"{rng.randint(1, 12)}/{rng.randint(1, 31)}"
    if reading == "out of":
        below = rng.choice((5, 5, 10, 10, 4, 6, 8, 12, 20))
        return f"{rng.randint(1, below)}/{below}"
    return rng.choice(("1/2", "1/2", "1/3", "2/3", "1/4", "3/4", "1/8", "5/8", "3/5", "1/5"))


def marked(said: SaidFigure) -> MarkedFigure:
    """A figure with its features and the readings that the rules allow."""
    kind, reading, figure, left, right, held = said
    before = tokens_of(left.partition(" ")[2] if len(left) == HEARD else left)
    closing = re.match(r"\S*", right)[0]  # type: ignore[index]
    after = tokens_of(right[len(closing) :])
    context = Context(
        before=token_at(before, len(before) - 1).core,
        before_that=token_at(before, len(before) - 2).core,
        after=token_at(after, 0).core,
        after_that=token_at(after, 1).core,
        pause_before=bool(before) and before[-1].pauses,
        pause_after=any(sign in PAUSES for sign in closing[closing.startswith(".") :]),
    )
    admissible = READINGS[kind]
    if kind == "dotted" and figure[-2:] not in FIVES:
        admissible = admissible[:1]
    if kind == "slash":
        above, below = map(int, figure.split("/"))
        can = {"part": True, "date": above <= 12 and below <= 31, "out of": above <= below}
        admissible = tuple(each for each in admissible if can[each])
    return MarkedFigure(kind, reading, figure, tuple(features(figure, context)), admissible, held)


def learn(group: Sequence[MarkedFigure]) -> tuple[Weights, float]:
    """Weights of each reading of a kind, and the least probability by which to take one."""
    counts = Counter(name for example in group for name in set(example.features))
    names = [name for name, count in counts.items() if count >= _LEAST]
    x = feature_matrix([example.features for example in group], names)
    labels = np.array([example.reading for example in group])
    model = LogisticRegression(C=0.5, max_iter=500, class_weight="balanced")
    shares = cross_val_predict(model, x, labels, cv=5, method="predict_proba")
    model.fit(x, labels)
    usual = READINGS[group[0].kind][0]
    place = [*model.classes_].index(usual)
    rest = np.delete(shares, place, axis=1).max(axis=1)[labels == usual]
    sure = max(0.5, round(float(np.quantile(rest, 1 - _TURNED)), 3))
    weights: dict[str, dict[str, float]] = {}
    for reading in READINGS[group[0].kind]:
        place = [*model.classes_].index(reading)
        if len(model.classes_) > 2:
            row, constant = model.coef_[place], model.intercept_[place]
        else:  # scikit-learn has one row for two classes, of the log odds of the second
            row, constant = place * model.coef_[0], place * model.intercept_[0]
        best = sorted(zip(names, row, strict=True), key=lambda pair: -abs(pair[1]))[:_MOST]
        weights[reading] = {"": round(float(constant), 2)} | {
            name: round(float(weight), 2) for name, weight in best if abs(weight) >= 0.05
        }
    return weights, sure


def by_rule(example: MarkedFigure) -> str:
    """The readings that the rules alone take."""
    figure = example.figure
    if example.kind == "slash":
        above, below = map(int, figure.split("/"))
        if above <= 12 and (below == 1 or (13 <= below <= 31 and below not in (16, 20))):
            return "date"
    return READINGS[example.kind][0]


def by_weights(example: MarkedFigure, weights: Weights, sure: float) -> str:
    """The readings that the weights take, and the rules' where these are unsure."""
    best, share = likeliest(weights, example.features, example.admissible)
    return best if share >= sure and len(example.admissible) > 1 else by_rule(example)


def work(args: argparse.Namespace) -> None:
    found = list(
        examples([line for path in args.text for line in read_paragraphs(path)], random.Random(1))
    )
    table: dict[str, dict[str, Any]] = {}
    rows: list[str] = []
    for kind, readings in READINGS.items():
        weights, sure = learn([e for e in found if e.kind == kind and not e.held])
        table[kind] = {"sure": sure, "weights": weights}
        for reading in readings:
            held = [
                e
                for e in found
                if (e.kind, e.reading) == (kind, reading) and e.held and not e.listed
            ]
            learnt = np.mean([by_weights(e, weights, sure) == reading for e in held])
            rules = np.mean([by_rule(e) == reading for e in held])
            rows.append(
                f"| {EXAMPLES[kind]} | {reading} | {len(held):,} | {100 * rules:.1f} | "
                f"{100 * learnt:.1f} |"
            )
            print(rows[-1], "sure", sure, flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    (args.out / "weights.json").write_text(text + "\n", encoding="utf-8")
    count = sum(len(w) for entry in table.values() for w in entry["weights"].values())
    learnt_from = sum(not e.held for e in found)
    card = _CARD.format(weights=count, examples=learnt_from, rows="\n".join(rows))
    (args.out / "README.md").write_text(card, encoding="utf-8")


main = Program(
    work,
    option("text", type=Path, nargs="+"),
    option("--out", type=Path, default=FOLDER),
)


if __name__ == "__main__":
    raise SystemExit(main())
