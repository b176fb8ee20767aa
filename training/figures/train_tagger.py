"""Train Proteno's tagger: python -m training.figures.train_tagger CONFIG --made FILE --out DIR

FILE is of training.figures.made_sentences. The tagger is the paper's BiLSTM: of each token the
word's embedding and which classes accept it. Where several classes say what was said, any of them
is right. The same command resumes.

Its classes: a few that are coded, the others generated from data (Tyagi et al., *Proteno: Text
Normalization with Limited Data for Fast Deployment in Text to Speech Systems*, NAACL 2021). A class
accepts tokens and says them; a token gets a class that accepts it. Where no class says what the
data says, one is made that accepts this token alone.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from a3t.learning.loop import CHECKPOINT, Losses
from a3t.text.normaliser import numbers
from training.configuration import read_config, settings
from training.figures.made_sentences import MadeSentence, read_made
from training.programs import Program, option
from training.training_runs import TrainingSchedule, carry_out, initial_weights, require_done

MOST_DIGITS = 9
_SUFFIXES = ("st", "nd", "rd", "th")


def _is_number(token: str) -> bool:
    return token.isdecimal() and len(token) <= MOST_DIGITS


# Of each coded class: what it accepts, and how it says that.
CODED: dict[str, tuple[Callable[[str], bool], Callable[[str], str]]] = {
    "self": (str.isalpha, str.lower),
    "nothing": (lambda token: not token.isalnum() or token in _SUFFIXES, lambda token: ""),
    "cardinal": (_is_number, numbers.cardinal),
    "ordinal": (_is_number, numbers.ordinal),
    "digits": (_is_number, numbers.spell_digits),
    "year": (lambda token: _is_number(token) and len(token) == 4, numbers.year),
    "money": (
        lambda token: token[0] in numbers.CURRENCIES and _is_number(token[1:]),
        lambda token: numbers.money(token[1:], token[0]),
    ),
}


class GeneratedClasses:
    """The coded classes and those that ``pairs`` of tokens and what is said for them need."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self.names = list(CODED)
        self._own: dict[str, dict[int, str]] = {}  # token -> generated class -> what it says
        for token, spoken in pairs:
            if spoken not in self.said(token).values():
                self._own.setdefault(token, {})[len(self.names)] = spoken
                self.names.append(f"{token} {spoken}")

    def said(self, token: str) -> dict[int, str]:
        """The classes that accept a token, by number, and how each says it."""
        coded = {k: say(token) for k, (accepts, say) in enumerate(CODED.values()) if accepts(token)}
        return coded | self._own.get(token, {})


WORDS = "words.json"  # the tagger's words and classes, in its folder
_OTHERS = ("<unk>", "<1>", "<2>", "<3>", "<4>", "<5+>")  # words and figures by their length


@dataclass(frozen=True)
class TaggerData:
    """batch: sentences a step. fewest: occurrences of a word that has an embedding. share: of the
    sentences for training."""

    batch: int = 32
    fewest: int = 3
    share: float = 1.0


class FigureTagger(nn.Module):
    """Scores (B, T, C) of classes; B sentences of T tokens."""

    def __init__(self, words: int, classes: int, size: int = 64, hidden: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words + 1, size, padding_idx=words)
        self.accepting = nn.Linear(classes, size)
        self.lstm = nn.LSTM(size, hidden, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * hidden, classes)

    def forward(self, words: Tensor, accepted: Tensor) -> Tensor:
        """(B, T) and (B, T, C) of 0 and 1 -> logs of the classes' probabilities among those that
        accept a token, -inf for the others; where none does, 0."""
        x = self.embedding(words) + self.accepting(accepted)
        scores = self.output(self.lstm(x)[0])
        kept = (accepted > 0) | (accepted.sum(-1, keepdim=True) == 0)
        return scores.masked_fill(~kept, -torch.inf).log_softmax(-1)


class TaggedFigures:
    """Sentences as a tagger reads them."""

    def __init__(self, words: Sequence[str], classes: GeneratedClasses) -> None:
        self.words, self.classes = list(words), classes
        self._numbers = {word: k for k, word in enumerate(words)}

    def number(self, token: str) -> int:
        """A token's word; figures that are rare by their length."""
        found = self._numbers.get(token.lower())
        if found is None:
            found = min(len(token), len(_OTHERS) - 1) if token.isdecimal() else 0
        return found

    @cache  # noqa: B019 - one object, as long as the program
    def places(self, sentence: MadeSentence) -> tuple[list[int], list[list[int]], list[list[int]]]:
        """Each token's word, the classes that accept it, and those that say what was said."""
        words, accepted, right = [], [], []
        for place, token in enumerate(sentence.tokens, -sentence.first):
            said = self.classes.said(token)
            wanted = sentence.spoken[place] if 0 <= place < len(sentence.spoken) else None
            words.append(self.number(token))
            accepted.append(list(said))
            right.append([k for k, spoken in said.items() if spoken == wanted])
        return words, accepted, right

    def batch(self, sentences: Sequence[MadeSentence]) -> tuple[Tensor, Tensor, Tensor]:
        """Words (B, T), classes that accept (B, T, C) and those that say what was said, of the
        figures' tokens."""
        longest = max(len(each.tokens) for each in sentences)
        shape = (len(sentences), longest, len(self.classes.names))
        words = np.full(shape[:2], len(self.words))
        accepted, right = np.zeros(shape, np.float32), np.zeros(shape, bool)
        for row, each in enumerate(sentences):
            numbers, taken, wanted = self.places(each)
            words[row, : len(numbers)] = numbers
            for place, (a, r) in enumerate(zip(taken, wanted, strict=True)):
                accepted[row, place, a] = 1.0
                right[row, place, r] = True
        return torch.from_numpy(words), torch.from_numpy(accepted), torch.from_numpy(right)


class FigureTraining:
    """A tagger on sentences, by its configuration."""

    def __init__(self, config: dict[str, Any], sentences: Sequence[MadeSentence]) -> None:
        self.data = settings(TaggerData, config.get("data"))
        self.schedule = settings(TrainingSchedule, config["training"])
        self.sentences = sentences[: max(1, round(self.data.share * len(sentences)))]
        pairs = [
            pair
            for each in self.sentences
            for pair in zip(each.tokens[each.first :], each.spoken, strict=False)
        ]
        counts = Counter(token.lower() for each in self.sentences for token in each.tokens)
        words = [word for word, count in sorted(counts.items()) if count >= self.data.fewest]
        self.read = TaggedFigures([*_OTHERS, *words], GeneratedClasses(pairs))
        self.pairs = list(dict.fromkeys(pairs))
        torch.manual_seed(self.schedule.seed)
        sizes = len(self.read.words), len(self.read.classes.names)
        self.model = FigureTagger(*sizes, **config["model"])

    def losses(self, step: int) -> Losses:
        """Nats a token of the figures."""
        drawn = np.random.default_rng((self.schedule.seed, step))
        rows = drawn.integers(len(self.sentences), size=self.data.batch)
        words, accepted, right = self.read.batch([self.sentences[k] for k in rows])
        scores = self.model(words, accepted).masked_fill(~right, -torch.inf)
        return {"total": -scores[right.any(-1)].logsumexp(-1).mean()}

    def validate(self) -> dict[str, float]:
        return {}


class TrainedTagger:
    """The tagger that a training left in a folder."""

    def __init__(self, run: Path) -> None:
        kept = json.loads((run / WORDS).read_text(encoding="utf-8"))
        self.read = TaggedFigures(kept["words"], GeneratedClasses(map(tuple, kept["pairs"])))
        sizes = len(self.read.words), len(self.read.classes.names)
        self.model = FigureTagger(*sizes, **read_config(run / "config.yaml")["model"])
        self.model.load_state_dict(initial_weights(str(run / CHECKPOINT)))
        self.sentences = int(kept["sentences"])

    @torch.no_grad()
    def say(self, sentence: MadeSentence) -> str:
        """The words said for a sentence's figure; nothing for a token that no class accepts."""
        words, accepted, _ = self.read.batch([sentence])
        best = self.model.eval()(words, accepted)[0].argmax(-1).tolist()
        places = range(sentence.first, sentence.first + len(sentence.spoken))
        parts = (self.read.classes.said(sentence.tokens[k]).get(best[k], "") for k in places)
        return " ".join(filter(None, parts))


def work(options: argparse.Namespace) -> None:
    config = read_config(options.config)
    config["data"] = (config.get("data") or {}) | {"share": options.share}
    training = FigureTraining(config, [s for s in read_made(options.made) if s.set == "train"])
    options.out.mkdir(parents=True, exist_ok=True)
    kept = {"words": training.read.words, "pairs": training.pairs}
    kept |= {"sentences": len(training.sentences)}
    (options.out / WORDS).write_text(json.dumps(kept), encoding="utf-8")
    classes = len(training.read.classes.names)
    facts: dict[str, Any] = {"sentences": len(training.sentences), "classes": classes}
    require_done(carry_out(training, options.out, config, **facts))


main = Program(
    work,
    option("config", type=Path, metavar="CONFIG"),
    option("--made", type=Path, required=True, metavar="FILE"),
    option("--out", type=Path, required=True, metavar="DIR"),
    option("--share", type=float, default=1.0, help="of the sentences for training"),
)


if __name__ == "__main__":
    raise SystemExit(main())
