"""The user's own pronunciations: a dictionary file, or single entries.

A line holds a word and its phones, ARPAbet with a stress digit on vowels, as in CMUdict and in
the Montreal Forced Aligner's dictionaries (whose numbers between word and phones are skipped). A
word on several lines has several pronunciations, likeliest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from alignment.arpabet import ARPABET, phone_named, strip_stress
from alignment.errors import AlignmentError
from alignment.formats.text_file import read_text

Dictionary = dict[str, list[tuple[str, ...]]]
Spelt = Callable[[str], Sequence[str]]
Usual = Callable[[str], Sequence[tuple[str, ...]]]

MAX_DICTIONARY_BYTES = 50_000_000  # bytes
MAX_LIST_BYTES = 100_000  # bytes
MAX_NAMES = 1_000  # each is looked for in all that is heard


def read_dictionary(path: Path) -> Dictionary:
    """Read a dictionary file, its words in lower case.

    Raises AlignmentError naming the line that is wrong.
    """
    text = read_text(path, MAX_DICTIONARY_BYTES, "dictionary")
    result: Dictionary = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith((";;;", "#")):
            continue
        word, *phones = line.partition(" #")[0].split()
        while phones and re.fullmatch(r"[\d.]+", phones[0]):
            del phones[0]
        word = re.sub(r"\(\d+\)$", "", word)
        _add(result, word, phones, f"{path.name}, line {number}")
    return result


def parse_words(text: str, name: str, spelt: Spelt, usual: Usual) -> Dictionary:
    """Parse a list of names, one a line.

    A name stands alone, to be said as is ``usual``, with its phones, or as `parse_entries` has it.
    Raises AlignmentError naming the line that is wrong, or if the list is too long.
    """
    result: Dictionary = {}
    for number, line in enumerate(text.splitlines(), 1):
        word, *phones = line.partition("#")[0].split() or [""]
        if "=" in line:
            result |= parse_entries([line.partition("#")[0].strip()], spelt)
        elif phones and all(map(_is_phone, phones)):
            _add(result, word, phones, f"{name}, line {number}")
        else:
            for each in re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", " ".join((word, *phones))):
                key = each.lower().replace("’", "'")
                if ways := usual(key):
                    result.setdefault(key, list(ways))
    if len(result) > MAX_NAMES:
        raise AlignmentError(f"{name} has more than {MAX_NAMES:,} names: omit some.")
    return result


def parse_entries(entries: Iterable[str], spelt: Spelt | None = None) -> Dictionary:
    """Parse entries like `Nguyen=W IH1 N`; ``spelt`` reads what isn't phones, `Nguyen=win`."""
    result: Dictionary = {}
    for entry in entries:
        word, equals, phones = entry.partition("=")
        if not equals or not word.strip():
            raise AlignmentError(f'"{entry}" must be a word, = and its phones: "Nguyen=W IH1 N".')
        symbols: Sequence[str] = phones.split()
        if spelt is not None and len(symbols) == 1 and not _is_phone(symbols[0]):
            symbols = spelt(phones)
        _add(result, word.strip(), symbols, f'"{entry}"')
    return result


def _is_phone(symbol: str) -> bool:
    return strip_stress(symbol.upper()) in ARPABET


def _add(result: Dictionary, word: str, phones: Sequence[str], where: str) -> None:
    if not phones:
        raise AlignmentError(f'{where}: "{word}" has no phones after it.')
    known = []
    for phone in phones:
        try:
            known.append(phone_named(phone))
        except ValueError as error:
            raise AlignmentError(f'{where}: "{phone}" {error}') from None
    entries = result.setdefault(word.lower().replace("’", "'"), [])
    if tuple(known) not in entries:
        entries.append(tuple(known))
