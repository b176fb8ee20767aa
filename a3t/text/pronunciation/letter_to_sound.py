"""Words that no lexicon has: guessed from their letters by a network, or written as they sound.

The shipped network is recurrent in both directions (GRU; Cho et al., Learning phrase
representations using RNN encoder–decoder, 2014) and scores for every letter what it makes: nothing,
a phone, or two. The best sequence with exactly one primary stress is the guess.
`training.text.train_letters` trains it; here it runs in numpy, about a millisecond a word.

Instead of it g2p-en (Park & Kim) can be asked, an encoder and a decoder of one GRU each, letters
in, phones out. Importing the package itself loads NLTK and inflect (4 s) and wants to download two
data sets; its weights alone load in 5 ms. So its forward pass is here too, and a test holds it
against the package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np

from a3t.errors import InputError
from a3t.text.phones import ARPABET, VOWELS, is_vowel
from a3t.text.pronunciation.lexicon import Pronunciation, lookup
from a3t.user_folders import SHIPPED_MODELS
from alignment.arpabet import strip_stress

Network = Literal["a3t", "g2p-en"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MAX_WAYS_SAID = 3
UNSURE = 1.1
"""Nats: another way that is at least a third as likely as the best is offered too."""
FOLDER = SHIPPED_MODELS / "letter-to-sound"
_FIRST_LETTER, _END_OF_WORD = 3, 2  # after <pad>, <unk>, </s>
_START, _END = 2, 3
# The order of g2p-en's output classes; "UW" without stress is one of them.
_OUTPUTS = ("<pad>", "<unk>", "<s>", "</s>", *sorted((*ARPABET, "UW")))
_CHUNK = 16  # letters; the networks were trained on words, and lose their way in longer strings
LONGEST = 60  # letters of a word as it sounds
_SOUNDS = dict(
    zip(
        "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW DH HH JH NG TH".split(),
        "ah a uh aw ow eye eh er ay ih ee oh oy uu oo th h j ng th".split(),
        strict=True,
    )
)


class LetterNetwork:
    """Weights and the names of the outputs; `pronounce` is all that it does."""

    def __init__(self, weights: Mapping[str, np.ndarray], config: Mapping[str, Any]) -> None:
        self.weights = weights
        self.layers = int(config["layers"])
        self.chunks = [tuple(chunk.split()) for chunk in config["classes"]]
        stresses = [sum(phone.endswith("1") for phone in chunk) for chunk in self.chunks]
        self.stresses = np.array(stresses)

    def pronounce(self, word: str) -> Pronunciation:
        """Return a word's phones, with one primary stress; () if it has no letter a–z."""
        return next(iter(self.ways(word)), ())

    def ways(self, word: str) -> list[Pronunciation]:
        """Return the likeliest ways to say a word of letters a–z, MAX_WAYS_SAID at most.

        Those after the first are nearly as likely: one letter is said otherwise, or the stress is
        elsewhere.
        """
        letters = [LETTERS.index(letter) + 1 for letter in word if letter in LETTERS]
        if not letters:
            return []
        scores = self._scores(letters)
        best = self._best(scores)
        paths = [(0.0, best)]
        for place, chosen in enumerate(best):
            if self.stresses[chosen]:
                for other in range(len(letters)):
                    moved = self._best(scores, other)
                    paths.append((self._loss(scores, best, moved), moved))
            alike = self.stresses == self.stresses[chosen]
            near = alike & (scores[place] > scores[place, chosen] - UNSURE)
            for other in np.flatnonzero(near).tolist():
                changed = [*best[:place], other, *best[place + 1 :]]
                paths.append((self._loss(scores, best, changed), changed))
        likely = sorted((path for path in paths if path[0] < UNSURE), key=lambda path: path[0])
        said = [tuple(p for k in path for p in self.chunks[k]) for _, path in likely]
        return [*{_heard(way): way for way in reversed(said)}.values()][::-1][:MAX_WAYS_SAID]

    @staticmethod
    def _loss(scores: np.ndarray, best: Sequence[int], path: Sequence[int]) -> float:
        """Return the nats by which a path is less likely than the best one."""
        places = np.arange(len(path))
        return float((scores[places, [*best]] - scores[places, [*path]]).sum())

    def _scores(self, letters: Sequence[int]) -> np.ndarray:
        """Log probabilities (T, C)."""
        x = self.weights["embed"][list(letters)]
        for layer in range(self.layers):
            ahead = self._gru(x, f"l{layer}")
            back = self._gru(x[::-1], f"l{layer}_reverse")[::-1]
            x = np.concatenate([ahead, back], axis=1)
        scores = x @ self.weights["out.weight"].T + self.weights["out.bias"]
        scores -= scores.max(axis=1, keepdims=True)
        normalised: np.ndarray = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return normalised

    def _gru(self, x: np.ndarray, name: str) -> np.ndarray:
        """Run a GRU from left to right: (T, inputs) -> (T, H)."""
        w = self.weights
        gates_x = x @ w[f"gru.weight_ih_{name}"].T + w[f"gru.bias_ih_{name}"]
        hidden = w[f"gru.weight_hh_{name}"].shape[1]
        h = np.zeros(hidden, np.float32)
        states = np.empty((len(x), hidden), np.float32)
        for step, gate_x in enumerate(gates_x):
            gate_h = w[f"gru.weight_hh_{name}"] @ h + w[f"gru.bias_hh_{name}"]
            h = gru_step(gate_x, gate_h, h)
            states[step] = h
        return states

    def _best(self, scores: np.ndarray, place: int | None = None) -> list[int]:
        """Return the likeliest output for each letter with one primary stress in all.

        It is on the letter at ``place``, or the likeliest.
        """
        plain = np.where(self.stresses == 0, scores, -np.inf)
        stressed = np.where(self.stresses == 1, scores, -np.inf)
        without, within = plain.argmax(axis=1), stressed.argmax(axis=1)
        gain = stressed.max(axis=1) - plain.max(axis=1)  # of putting the stress here
        path = without.tolist()
        if np.isfinite(gain).any():
            place = int(gain.argmax()) if place is None else place
            path[place] = int(within[place])
        return path


def gru_step(gates_x: np.ndarray, gates_h: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Take one step of a GRU, (H,), by its gates from the input and the state h, (3 H,) each."""
    size = len(h)
    gates = 1 / (1 + np.exp(-(gates_x[: 2 * size] + gates_h[: 2 * size])))
    reset, update = gates[:size], gates[size:]
    candidate = np.tanh(gates_x[2 * size :] + reset * gates_h[2 * size :])
    return np.asarray((1 - update) * candidate + update * h)


def _heard(phones: Pronunciation) -> Pronunciation:
    """Leave out what is hardly heard: weak vowels are alike, and so is weak stress."""
    return tuple("AH0" if p in ("IH0", "EH0") else p.replace("2", "0") for p in phones)


@cache
def shipped() -> LetterNetwork:
    """Load the network that comes with the package."""
    import yaml
    from safetensors.numpy import load_file

    config = yaml.safe_load((FOLDER / "config.yaml").read_text(encoding="utf-8"))
    weights = load_file(FOLDER / "model.safetensors")
    return LetterNetwork({name: x.astype(np.float32) for name, x in weights.items()}, config)


def _g2p_en_folder() -> Path:
    """Find the installed g2p-en's folder without importing it."""
    spec = find_spec("g2p_en")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("g2p-en is not installed: pip install g2p-en==2.1.0")
    return Path(spec.submodule_search_locations[0])


@cache
def _g2p_en_weights() -> dict[str, np.ndarray]:
    with np.load(_g2p_en_folder() / "checkpoint20.npz", allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _g2p_en_step(x: np.ndarray, h: np.ndarray, part: str) -> np.ndarray:
    """Take one step of the GRU `part` ("enc" or "dec"): x (64,), h (128,) -> (128,)."""
    w = _g2p_en_weights()
    gates_x = w[f"{part}_w_ih"] @ x + w[f"{part}_b_ih"]
    return gru_step(gates_x, w[f"{part}_w_hh"] @ h + w[f"{part}_b_hh"], h)


def predict_by_g2p_en(word: str, max_phones: int = 20) -> Pronunciation:
    """Return g2p-en's greedy guess for lower-case letters a–z; it may be empty for odd strings."""
    w = _g2p_en_weights()
    letters = [LETTERS.index(letter) + _FIRST_LETTER for letter in word if letter in LETTERS]
    h = np.zeros(w["enc_w_hh"].shape[1], np.float32)
    for index in (*letters, _END_OF_WORD):
        h = _g2p_en_step(w["enc_emb"][index], h, "enc")
    phones: list[str] = []
    index = _START
    for _ in range(max_phones):
        h = _g2p_en_step(w["dec_emb"][index], h, "dec")
        index = int((w["fc_w"] @ h + w["fc_b"]).argmax())
        if index == _END:
            break
        phones.append(_OUTPUTS[index])
    phones = ["UW1" if phone == "UW" else phone for phone in phones]
    return tuple(phone for phone in phones if phone in ARPABET)


def spell_out(word: str) -> Pronunciation:
    """Return the names of the letters: "bbc" -> B IY1 B IY1 S IY1."""
    return tuple(phone for letter in word if letter in LETTERS for phone in _letter_name(letter))


def _letter_name(letter: str) -> Pronunciation:
    # CMUdict's "a" is the article first; the letter is EY1.
    return ("EY1",) if letter == "a" else lookup(letter)[0]


def others(word: str) -> list[Pronunciation]:
    """Return the ways that a word may be said besides a3t's guess, likeliest first."""
    short = word.isascii() and word.isalpha() and len(word) <= _CHUNK
    if not short or not any(letter in "aeiouy" for letter in word):
        return []
    return [way for way in shipped().ways(word)[1:] if any(map(is_vowel, way))]


def guess(word: str, network: Network = "a3t") -> Pronunciation:
    """Guess a pronunciation for any string with at least one letter a–z; never empty.

    Words without a vowel letter, and those the network says nothing sayable for, are spelled out.
    """
    letters = "".join(letter for letter in word if letter in LETTERS)
    if not any(letter in "aeiouy" for letter in letters):
        return spell_out(letters)
    chunks = [letters[first : first + _CHUNK] for first in range(0, len(letters), _CHUNK)]
    predict = shipped().pronounce if network == "a3t" else predict_by_g2p_en
    phones = tuple(phone for chunk in chunks for phone in predict(chunk))
    return phones if any(is_vowel(phone) for phone in phones) else spell_out(letters)


def as_it_sounds(said: str) -> Pronunciation:
    """Return the phones of a word written as it sounds: syllables, joined by hyphens.

    The part in capitals has the main stress, else the first: "KEE-yev", "keev". Each part is said
    as the dictionary has it, or else as its letters would be. Raises InputError for what isn't
    letters.
    """
    parts = [part for part in said.replace("’", "'").strip().split("-") if part]
    if not parts or len(said) > LONGEST or not all(re.fullmatch("[A-Za-z']+", p) for p in parts):
        raise InputError(
            f"“{said[:LONGEST]}” doesn't say how a word sounds: use letters and hyphens, as in "
            "KEE-yev, or phones, as in K IY1 Y EH0 V."
        )
    stressed = next((place for place, part in enumerate(parts) if part.isupper()), 0)
    phones: list[str] = []
    for place, part in enumerate(parts):
        word = part.lower()
        way = (lookup(word) or [guess(word)])[0]
        phones += _stressed(way) if place == stressed else [p.replace("1", "0") for p in way]
    return tuple(phones)


def sounded(phones: Pronunciation) -> str:
    """Write phones as a person would: K IY1 Y EH0 V -> "KEE-yehv".

    Its reading need not be quite the same phones.
    """
    syllables: list[str] = []
    onset = ""
    for k, phone in enumerate(phones):
        bare = strip_stress(phone)
        onset += _SOUNDS.get(bare, bare.lower())
        ends = k + 1 == len(phones) or strip_stress(phones[k + 1]) not in VOWELS
        if bare in VOWELS:
            syllables.append(onset.upper() if phone.endswith("1") else onset)
            onset = ""
        elif syllables and ends:  # a consonant before another, or the last one
            closing = onset.upper() if syllables[-1].isupper() else onset
            syllables[-1] += closing
            onset = ""
    return "-".join(syllables)


def _stressed(phones: Pronunciation) -> list[str]:
    """Set one main stress: where it is, else on the first vowel."""
    if any(phone.endswith("1") for phone in phones):
        return [*phones]
    vowels = [k for k, phone in enumerate(phones) if strip_stress(phone) in VOWELS]
    return [
        f"{strip_stress(phone)}1" if k in vowels[:1] else phone for k, phone in enumerate(phones)
    ]
