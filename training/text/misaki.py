"""The American lexicon that the package misaki carries (Apache-2.0), in ARPAbet.

Only its two tables are read: the package itself would want spaCy. `us_gold` was written or checked
by people, `us_silver` was not, so it comes second. misaki writes a vowel as one letter with its
stress before it, and a flapped or glottal t as its own sign; CMUdict, and so this project, writes
plain T. https://github.com/hexgrad/misaki, EN_PHONES.md, has the alphabet.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from a3t.errors import InputError
from a3t.text.pronunciation.lexicon import Pronunciation

_VOWELS = {
    "A": "EY", "I": "AY", "W": "AW", "Y": "OY", "O": "OW", "i": "IY", "u": "UW", "ɑ": "AA",
    "ɔ": "AO", "æ": "AE", "ʌ": "AH", "ə": "AH", "ᵊ": "AH", "ᵻ": "IH", "ɛ": "EH", "ɪ": "IH",
    "ʊ": "UH", "ɜ": "ER",
}  # fmt: skip
_CONSONANTS = {
    "b": "B", "d": "D", "f": "F", "h": "HH", "j": "Y", "k": "K", "l": "L", "m": "M", "n": "N",
    "p": "P", "s": "S", "t": "T", "v": "V", "w": "W", "z": "Z", "ð": "DH", "ŋ": "NG", "ɡ": "G",
    "ɹ": "R", "ɾ": "T", "ʃ": "SH", "ʒ": "ZH", "ʤ": "JH", "ʧ": "CH", "θ": "TH", "ʔ": "T",
}  # fmt: skip
_STRESS = {"": "0", "ˈ": "1", "ˌ": "2"}
# One r-coloured vowel, unless the r begins a stressed syllable ("around").
_SIGN = re.compile(rf"([ˈˌ]?)(ɜɹ|əɹ(?![ˈˌ])|[{''.join(_VOWELS)}])|([{''.join(_CONSONANTS)}])|(.)")


def to_arpabet(written: str) -> Pronunciation:
    """Write misaki's phones as CMUdict does, "sˈɛɡwˌA" -> S EH1 G W EY2; () for another sign."""
    phones: list[str] = []
    for stress, vowel, consonant, other in _SIGN.findall(written):
        if other:
            return ()
        name = "ER" if vowel[1:] else _VOWELS.get(vowel, "")
        phones.append(name + _STRESS[stress] if name else _CONSONANTS[consonant])
    return tuple(phones)


@cache
def tables() -> tuple[dict[str, str], ...]:
    """Return misaki's phones of the words that people wrote or checked, and of the others."""
    spec = find_spec("misaki")
    if spec is None or not spec.submodule_search_locations:
        raise InputError(
            "misaki's lexicon is needed, which the extra 'text' brings for Python 3.11 and 3.12: "
            "pip install --no-deps --ignore-requires-python misaki==0.9.4."
        )
    folder = Path(spec.submodule_search_locations[0]) / "data"
    return tuple(_read(folder / name) for name in ("us_gold.json", "us_silver.json"))


def _read(path: Path) -> dict[str, str]:
    """Lower-case words of a–z and their usual phones; a name ("Bellini") gives way to a word."""
    table: dict[str, str] = {}
    for word, phones in json.loads(path.read_text(encoding="utf-8")).items():
        usual = phones if isinstance(phones, str) else phones["DEFAULT"]
        key = word.lower()
        if word.isupper() and len(word) > 1:
            continue  # initials, which the normaliser reads
        if usual and re.fullmatch("[a-z]+(?:'[a-z]+)*", key) and (word == key or key not in table):
            table[key] = usual
    return table


def misaki_lookup(word: str) -> list[Pronunciation]:
    """Return misaki's pronunciation of a lower-case word, alone in a list, or []."""
    for table in tables():
        if word in table:
            return [phones] if (phones := to_arpabet(table[word])) else []
    return []


def misaki_words() -> list[str]:
    """Return the words of misaki's lexicon that people wrote or checked."""
    return sorted(tables()[0])
