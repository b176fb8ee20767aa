"""Train the network that guesses words in no dictionary.

    python -m training.text.train_letters

Letters in, for each letter the phones that it makes out: a recurrent network in both directions
over the letters and one linear layer, on the letters' own phones as `letter_alignment` finds them
in CMUdict and in misaki's lexicon. A twentieth of the words is never trained on; with them goes
every word that begins with one of them, so that a plural does not tell how its singular is said.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from a3t.pretrained import save_checkpoint
from a3t.text.pronunciation.letter_to_sound import (
    FOLDER,
    LETTERS,
    LetterNetwork,
)
from a3t.text.pronunciation.lexicon import Pronunciation, lookup
from alignment.arpabet import strip_stress
from training.programs import Program, option
from training.text.edit_distance import edit_distance
from training.text.letter_alignment import Chunks, Pair, align, learn_costs
from training.text.make_lexicon import cmudict_words
from training.text.misaki import misaki_words

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
- **Steps**: {epochs} rounds of all words, {batch} at a time; {minutes:.0f} minutes of one core:
  `python -m training.text.train_letters`.
- **Measured quality** on {held:,} words that it never saw (nor any that begins with one),
  against the nearest pronunciation in the lexicon, errors: {quality}.
- **Licence of the weights**: Apache-2.0.
"""


def lexicon() -> dict[str, list[Pronunciation]]:
    """Plain words of a–z in CMUdict and what people checked of misaki's, with all their phones."""
    words = {word for word in (*cmudict_words(), *misaki_words()) if word.isalpha()}
    table = {}
    for word in sorted(words):
        if word.isascii() and 2 <= len(word) <= 24 and not _is_spelled(word):
            table[word] = [phones for phones in lookup(word) if phones]
    return {word: ways for word, ways in table.items() if ways}


def _is_spelled(word: str) -> bool:
    """Initials such as "bbc": no letter that can be a vowel."""
    return not any(letter in "aeiouy" for letter in word)


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """(to train on, held out) by a hash; longer words go with the word that they begin with."""
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
        scores: Tensor = self.out(self.drop(self.gru(self.embed(letters))[0]))
        return scores


def batches(examples: list[tuple[str, Chunks]], rng: random.Random) -> list[list[int]]:
    """Indices of examples, words of equal length together, in a random order."""
    by_length: dict[int, list[int]] = {}
    for index in rng.sample(range(len(examples)), len(examples)):
        by_length.setdefault(len(examples[index][0]), []).append(index)
    groups = [
        group[first : first + _BATCH]
        for group in by_length.values()
        for first in range(0, len(group), _BATCH)
    ]
    rng.shuffle(groups)
    return groups


def tensors_of(model: Tagger) -> dict[str, Tensor]:
    """The weights under the names that the numpy network reads."""
    names = {"embed.weight": "embed", "out.weight": "out.weight", "out.bias": "out.bias"}
    state = model.state_dict()
    return {names.get(key, key): value.detach().half() for key, value in state.items()}


def errors(network: LetterNetwork, pairs: dict[str, list[Pronunciation]]) -> dict[str, float]:
    """Phone and word errors (%), with stress and without it."""
    wrong = Counter[str]()
    for word, ways in pairs.items():
        said = network.pronounce(word)
        for name, bare in (("with stress", False), ("without stress", True)):
            guess = [strip_stress(p) for p in said] if bare else list(said)
            due = [[strip_stress(p) for p in way] if bare else list(way) for way in ways]
            distance, length = min((edit_distance(guess, way), len(way)) for way in due)
            wrong[f"phones {name}"] += distance
            wrong[f"length {name}"] += length
            wrong[f"words {name}"] += distance > 0
    return {
        f"{kind} {name}": 100 * wrong[f"{kind} {name}"] / total
        for name in ("with stress", "without stress")
        for kind, total in (("phones", wrong[f"length {name}"]), ("words", len(pairs)))
    }


def work(args: argparse.Namespace) -> None:
    started = time.monotonic()
    rng = random.Random(1)
    torch.manual_seed(1)
    table = lexicon()
    train, held = split(list(table))
    rng.shuffle(train)
    train = train[: args.words]
    pairs: list[Pair] = [(word, way) for word in train for way in table[word][:2]]
    costs = learn_costs(rng.sample(pairs, min(30_000, len(pairs))))
    aligned = [(word, align(word, way, costs)) for word, way in pairs]
    counts = Counter(chunk for _, chunks in aligned if chunks for chunk in chunks)
    classes = sorted(chunk for chunk, count in counts.items() if count >= _RAREST)
    index = {chunk: place for place, chunk in enumerate(classes)}
    examples = [(w, c) for w, c in aligned if c and all(chunk in index for chunk in c)]
    print(f"{len(train)} words to train on, {len(held)} held out, {len(classes)} outputs")
    model = Tagger(len(classes))
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-4)
    letters = [torch.tensor([LETTERS.index(x) + 1 for x in word]) for word, _ in examples]
    targets = [torch.tensor([index[chunk] for chunk in chunks]) for _, chunks in examples]
    steps = args.epochs * len(batches(examples, rng))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps + 1000)
    config = {
        "classes": [" ".join(chunk) for chunk in classes],
        "layers": _LAYERS,
    }
    sample = {word: table[word] for word in held[:: max(1, len(held) // 800)]}
    for epoch in range(args.epochs):
        model.train()
        total = count = 0.0
        for group in batches(examples, rng):
            x = torch.stack([letters[k] for k in group])
            y = torch.stack([targets[k] for k in group])
            error = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
            optimiser.zero_grad()
            error.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += float(error.detach()) * len(group)
            count += len(group)
        arrays = {k: v.float().numpy() for k, v in tensors_of(model).items()}
        found = errors(LetterNetwork(arrays, config), sample)
        minutes = (time.monotonic() - started) / 60
        print(
            f"{epoch + 1}: loss {total / count:.4f}, {minutes:.1f} min, {_shown(found)}", flush=True
        )
    network = LetterNetwork({k: v.float().numpy() for k, v in tensors_of(model).items()}, config)
    found = errors(network, {word: table[word] for word in held})
    print(_shown(found))
    card = _CARD.format(
        hidden=_HIDDEN,
        layers=_LAYERS,
        parameters=sum(np.prod(p.shape) for p in model.parameters()),
        classes=len(classes),
        words=len(train),
        held=len(held),
        quality=_shown(found),
        epochs=args.epochs,
        batch=_BATCH,
        minutes=(time.monotonic() - started) / 60,
    )
    save_checkpoint(args.out, config, tensors_of(model), card)


main = Program(
    work,
    option("--out", type=Path, default=FOLDER),
    option("--epochs", type=int, default=18),
    option("--words", type=int, default=None, help="train on only so many words, for a trial"),
)


def _shown(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.1f} %" for name, value in found.items())


if __name__ == "__main__":
    raise SystemExit(main())
