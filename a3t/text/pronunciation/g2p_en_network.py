"""g2p-en's network for words that no lexicon has, on the weights that it ships.

g2p-en (Park & Kim) is an encoder and a decoder of one GRU each, letters in, phones out. Importing
the package itself loads NLTK and inflect (4 s) and wants to download two NLTK data sets; its
weights alone load in 5 ms. So the forward pass is here, in numpy, and a test holds it
against the package's own `G2p.predict`.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from a3t.text.phones import ARPABET
from a3t.text.pronunciation.letter_network import LETTERS, gru_step
from a3t.text.pronunciation.lexicon import Pronunciation

_FIRST_LETTER, _END_OF_WORD = 3, 2  # after <pad>, <unk>, </s>
_START, _END = 2, 3
# The order of g2p-en's output classes; "UW" without stress is one of them.
_OUTPUTS = ("<pad>", "<unk>", "<s>", "</s>", *sorted((*ARPABET, "UW")))


def data_folder() -> Path:
    """The installed g2p-en's folder, found without importing it."""
    spec = find_spec("g2p_en")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("g2p-en is not installed: pip install g2p-en==2.1.0")
    return Path(spec.submodule_search_locations[0])


@cache
def _weights() -> dict[str, np.ndarray]:
    with np.load(data_folder() / "checkpoint20.npz", allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _gru_step(x: np.ndarray, h: np.ndarray, part: str) -> np.ndarray:
    """One step of the GRU `part` ("enc" or "dec"): x (64,), h (128,) -> (128,)."""
    w = _weights()
    gates_x = w[f"{part}_w_ih"] @ x + w[f"{part}_b_ih"]
    return gru_step(gates_x, w[f"{part}_w_hh"] @ h + w[f"{part}_b_hh"], h)


def predict(word: str, max_phones: int = 20) -> Pronunciation:
    """g2p-en's greedy guess for lower-case letters a–z; may be empty for odd strings."""
    w = _weights()
    letters = [LETTERS.index(letter) + _FIRST_LETTER for letter in word if letter in LETTERS]
    h = np.zeros(w["enc_w_hh"].shape[1], np.float32)
    for index in (*letters, _END_OF_WORD):
        h = _gru_step(w["enc_emb"][index], h, "enc")
    phones: list[str] = []
    index = _START
    for _ in range(max_phones):
        h = _gru_step(w["dec_emb"][index], h, "dec")
        index = int((w["fc_w"] @ h + w["fc_b"]).argmax())
        if index == _END:
            break
        phones.append(_OUTPUTS[index])
    phones = ["UW1" if phone == "UW" else phone for phone in phones]
    return tuple(phone for phone in phones if phone in ARPABET)
