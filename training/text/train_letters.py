"""Train the network that guesses words in no dictionary.

    python -m training.text.train_letters RUN --to FOLDER

Letters in, for each letter the phones that it makes out: a recurrent network in both directions
over the letters and one linear layer, on the letters' own phones as `letter_alignment` finds them
in CMUdict and in misaki's lexicon. A twentieth of the words is never trained on; with them goes
every word that begins with one of them, so that a plural does not tell how its singular is said.
RUN has the checkpoint, so that the same command resumes, and FOLDER gets the model.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections import Counter
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import torch
from torch import Tensor, nn

from a3t.learning.loop import Losses
from a3t.pretrained import save_checkpoint
from a3t.text.pronunciation.letter_to_sound import (
    FOLDER,
    LETTERS,
    LetterNetwork,
)
from a3t.text.pronunciation.lexicon import Pronunciation, lookup
from alignment.arpabet import strip_stress
from training.devices import refuse_missing
from training.programs import Program, option
from training.text.letter_alignment import Chunks, Pair, align, learn_costs
from training.text.make_lexicon import cmudict_words
from training.text.misaki import misaki_words
from training.training_runs import TrainingSchedule, carry_out

HELD_OUT = 20  # one word in so many
_RAREST = 25  # times that a chunk must occur to be an output
_BATCH = 256  # words
_EMBEDDING, _HIDDEN, _LAYERS = 48, 160, 2
_CARD = """# letter-to-sound

Guesses the pronunciation of a word from its letters.

- **Parameters**: {parameters:,}, as 16-bit floats: {hidden} × 2 recurrent units (GRU) in {layers}
  layers, and {classes} outputs (the phones that one letter can stand for). The guess is the
  best sequence with exactly one primary stress.
- **Data**: trained on {words:,} words of CMUdict (Carnegie Mellon University, BSD) and of misaki's
  American lexicon (hexgrad, Apache-2.0).
- **Steps**: {steps:,} of {batch} words at most, {minutes:.0f} minutes of one core:
  `python -m training.text.train_letters`.
- **Measured quality** on {held:,} words that it never saw (nor any that begins with one),
  against the nearest pronunciation in the lexicon, errors: {quality}.
- **Licence of the weights**: Apache-2.0.
"""


def lexicon() -> dict[str, list[Pronunciation]]:
    """Return plain words of a–z, with all their phones.

    They are in CMUdict, or people checked them in misaki's.
    """
    words = {word for word in (*cmudict_words(), *misaki_words()) if word.isalpha()}
    table = {}
    for word in sorted(words):
        if word.isascii() and 2 <= len(word) <= 24 and not _is_spelled(word):
            table[word] = [phones for phones in lookup(word) if phones]
    return {word: ways for word, ways in table.items() if ways}


def _is_spelled(word: str) -> bool:
    """Return whether a word is initials such as "bbc": no letter can be a vowel."""
    return not any(letter in "aeiouy" for letter in word)


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """Split (to train on, held out) by a hash; longer words go with the word they begin with."""
    held = {word for word in words if _hash(word) % HELD_OUT == 0}
    stems = {word for word in held if len(word) >= 4}

    def leaks(word: str) -> bool:
        return any(word[:end] in stems for end in range(4, len(word)))

    return [w for w in words if w not in held and not leaks(w)], sorted(held)


def _hash(word: str) -> int:
    return int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")


class Tagger(nn.Module):
    """Letters (B, T) of which 0 is padding -> scores of chunks (B, T, C)."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(len(LETTERS) + 1, _EMBEDDING, padding_idx=0)
        self.gru = nn.GRU(
            _EMBEDDING, _HIDDEN, _LAYERS, batch_first=True, bidirectional=True, dropout=0.2
        )
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(2 * _HIDDEN, classes)

    def forward(self, letters: Tensor) -> Tensor:
        # Words of one length stand together in a batch, so there is no padding to pack.
        """Score the chunks of each letter."""
        scores: Tensor = self.out(self.drop(self.gru(self.embed(letters))[0]))
        return scores


class LetterTraining:
    """Words of one length at a time, each once in an epoch: cross-entropy of the letters' phones.

    Parameters
    ----------
    examples : list of (word, chunks)
        Words with the chunk of phones that each letter makes, all of them among ``classes``.
    classes : list of chunk
        The outputs.
    judged : dict
        Words by which a validation judges, with their pronunciations.
    epochs : int
        How often each word is seen.
    """

    def __init__(
        self,
        examples: list[tuple[str, Chunks]],
        classes: list[tuple[str, ...]],
        judged: dict[str, list[Pronunciation]],
        epochs: int,
        device: str = "cpu",
    ) -> None:
        self.judged, self.device, self.examples = judged, device, examples
        self.config = {"classes": [" ".join(chunk) for chunk in classes], "layers": _LAYERS}
        index = {chunk: place for place, chunk in enumerate(classes)}
        self.letters = [torch.tensor([LETTERS.index(x) + 1 for x in word]) for word, _ in examples]
        self.targets = [torch.tensor([index[chunk] for chunk in own]) for _, own in examples]
        self.epoch = lru_cache(maxsize=1)(self._epoch)
        self.each = len(self.epoch(0))
        steps = epochs * self.each
        self.schedule = TrainingSchedule(
            steps, rate=3e-3, warmup=min(500, steps // 4), decay=steps // 2, epoch=self.each, seed=1
        )
        torch.manual_seed(self.schedule.seed)
        self.model = Tagger(len(classes)).to(device)

    def _epoch(self, number: int) -> list[list[int]]:
        """Return the examples of each step of an epoch, in a random order."""
        rng, by_length = random.Random(number), dict[int, list[int]]()
        for k in rng.sample(range(len(self.examples)), len(self.examples)):
            by_length.setdefault(len(self.letters[k]), []).append(k)
        groups = [
            group[first : first + _BATCH]
            for group in by_length.values()
            for first in range(0, len(group), _BATCH)
        ]
        rng.shuffle(groups)
        return groups

    def losses(self, step: int) -> Losses:
        """Return the nats a letter of a step."""
        group = self.epoch(step // self.each)[step % self.each]
        letters, targets = (
            torch.stack([each[k] for k in group]).to(self.device)
            for each in (self.letters, self.targets)
        )
        scores = self.model(letters).flatten(0, 1)
        return {"total": nn.functional.cross_entropy(scores, targets.flatten())}

    def validate(self) -> dict[str, float]:
        """Return the errors of the words to judge by, per cent."""
        return errors(self.network(), self.judged)

    def network(self) -> LetterNetwork:
        """Return the network as it ships."""
        arrays = {k: v.float().cpu().numpy() for k, v in tensors_of(self.model).items()}
        return LetterNetwork(arrays, self.config)


def tensors_of(model: Tagger) -> dict[str, Tensor]:
    """Return the weights under the names that the numpy network reads."""
    names = {"embed.weight": "embed", "out.weight": "out.weight", "out.bias": "out.bias"}
    state = model.state_dict()
    return {names.get(key, key): value.detach().half() for key, value in state.items()}


def errors(network: LetterNetwork, pairs: dict[str, list[Pronunciation]]) -> dict[str, float]:
    """Return phone and word errors (%), with stress and without it."""
    from rapidfuzz.distance import Levenshtein

    wrong = Counter[str]()
    for word, ways in pairs.items():
        said = network.pronounce(word)
        for name, bare in (("with stress", False), ("without stress", True)):
            guess = [strip_stress(p) for p in said] if bare else list(said)
            due = [[strip_stress(p) for p in way] if bare else list(way) for way in ways]
            distance, length = min((Levenshtein.distance(guess, way), len(way)) for way in due)
            wrong[f"phones {name}"] += distance
            wrong[f"length {name}"] += length
            wrong[f"words {name}"] += distance > 0
    return {
        f"{kind} {name}": 100 * wrong[f"{kind} {name}"] / total
        for name in ("with stress", "without stress")
        for kind, total in (("phones", wrong[f"length {name}"]), ("words", len(pairs)))
    }


def work(args: argparse.Namespace) -> None:
    """Train, or resume training, and write the model."""
    refuse_missing(args.device)
    import_module("rapidfuzz.distance")  # missing, it is named before the training
    rng = random.Random(1)
    table = lexicon()
    train, held = split(list(table))
    rng.shuffle(train)
    train = train[: args.words]
    pairs: list[Pair] = [(word, way) for word in train for way in table[word][:2]]
    costs = learn_costs(rng.sample(pairs, min(30_000, len(pairs))))
    aligned = [(word, align(word, way, costs)) for word, way in pairs]
    counts = Counter(chunk for _, chunks in aligned if chunks for chunk in chunks)
    classes = sorted(chunk for chunk, count in counts.items() if count >= _RAREST)
    examples = [(w, c) for w, c in aligned if c and set(c) <= set(classes)]
    judged = {word: table[word] for word in held[:: max(1, len(held) // 800)]}
    training = LetterTraining(examples, classes, judged, args.epochs, args.device)
    trained = carry_out(
        training, args.run, words=len(train), held_out=len(held), outputs=len(classes)
    )
    training.model.load_state_dict(trained.average)
    quality = _shown(errors(training.network(), {word: table[word] for word in held}))
    card = _CARD.format(
        hidden=_HIDDEN,
        layers=_LAYERS,
        parameters=sum(p.numel() for p in training.model.parameters()),
        classes=len(classes),
        words=len(train),
        held=len(held),
        quality=quality,
        steps=trained.step,
        batch=_BATCH,
        minutes=trained.spent / 60,
    )
    print(quality)
    save_checkpoint(args.to, training.config, tensors_of(training.model), card)


main = Program(
    work,
    option("run", type=Path, metavar="RUN"),
    option("--to", type=Path, default=FOLDER, metavar="FOLDER"),
    option("--epochs", type=int, default=18),
    option("--words", type=int, default=None, help="train on only so many words, for a trial"),
    option("--device", default="cpu", help="cpu (default), cuda or cuda:N"),
)


def _shown(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f} %" for name, value in found.items())


if __name__ == "__main__":
    raise SystemExit(main())
