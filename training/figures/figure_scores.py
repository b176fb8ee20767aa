"""Score what is said for figures: python -m training.figures.figure_scores RUN… --made FILE
--chooser DIR

Per cent of the figures that are said right, and of their words that are wrong: by our rules alone,
by the rules and the chooser of training.text.train_figures (in DIR), and by taggers (RUN…). Only
sentences that none of them learnt from.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from a3t.text.normaliser.context import READINGS
from a3t.text.normaliser.normalise import normalise
from training.figures.made_sentences import SETS, MadeSentence, read_made, words_of
from training.figures.train_tagger import TrainedTagger
from training.programs import Program, option
from training.text.edit_distance import edit_distance
from training.text.train_figures import EXAMPLES, MarkedFigure, by_rule, by_weights, marked

System = Callable[[MadeSentence], str]


def rules(read: Callable[[MarkedFigure], str]) -> System:
    """Our normaliser, with some way to take a reading of an ambiguous figure."""

    def say(sentence: MadeSentence) -> str:
        said = sentence.said
        if said.kind in READINGS:
            return " ".join(filter(None, words_of(said.kind, read(marked(said)), said.figure)))
        return normalised(said.left, said.figure, said.right)

    return say


def normalised(left: str, figure: str, right: str) -> str:
    """The words that the normaliser has for a figure between two texts."""
    text, at = f"{left}{figure}{right}", 0
    for token in normalise(text):
        found = text.find(token.written, at)
        at = found + len(token.written) if found >= 0 else at
        if at > len(left):
            return " ".join(token.words)
    return ""


def table(systems: dict[str, System], sentences: Sequence[MadeSentence]) -> str:
    """A Markdown table: a row for each set, kind and reading, and one with the words wrong."""
    lines = ["| set | figure | reading | figures | " + " | ".join(systems) + " |"]
    lines.append("|---|---|---|---|" + "---|" * len(systems))
    for held in SETS[1:]:
        own = [each for each in sentences if each.set == held]
        said = {name: [say(each) for each in own] for name, say in systems.items()}
        groups = dict.fromkeys((each.said.kind, each.said.reading) for each in own)
        for kind, reading in sorted(groups):
            rows = [
                k for k, s in enumerate(own) if (s.said.kind, s.said.reading) == (kind, reading)
            ]
            right = [sum(found[k] == own[k].words for k in rows) for found in said.values()]
            cells = " | ".join(f"{100 * count / len(rows):.1f}" for count in right)
            lines.append(
                f"| {held} | {EXAMPLES.get(kind, kind)} | {reading} | {len(rows)} | {cells} |"
            )
        if own:
            words = sum(len(each.words.split()) for each in own)
            wrong = (
                sum(edit_distance(e.words.split(), w.split()) for e, w in zip(own, f, strict=True))
                for f in said.values()
            )
            cells = " | ".join(f"{100 * each / words:.1f}" for each in wrong)
            lines.append(f"| {held} | all | words wrong | {len(own)} | {cells} |")
    return "\n".join(lines)


def work(options: argparse.Namespace) -> None:
    sentences = read_made(options.made)
    chooser = json.loads((options.chooser / "weights.json").read_text(encoding="utf-8"))

    def chosen(example: MarkedFigure) -> str:
        entry = chooser[example.kind]
        return by_weights(example, entry["weights"], entry["sure"])

    systems = {"rules": rules(by_rule), "rules, chooser": rules(chosen)}
    for run in options.runs:
        tagger = TrainedTagger(run)
        systems[f"tagger, {tagger.sentences:,} sentences"] = tagger.say
    print(table(systems, sentences), flush=True)


main = Program(
    work,
    option("runs", type=Path, nargs="+", metavar="RUN"),
    option("--made", type=Path, required=True, metavar="FILE"),
    option("--chooser", type=Path, required=True, metavar="DIR"),
)


if __name__ == "__main__":
    raise SystemExit(main())
