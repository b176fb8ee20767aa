"""The words of written signs: abbreviations, units, symbols, letters of other alphabets.

`vocabulary.toml` has the words, and says of each list where it counts.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

Words = dict[str, str]  # what is said for each sign

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_TABLES["words"][name].split())


def _counted(name: str) -> dict[str, tuple[str, str]]:
    """The spoken forms after 1 and after other figures: "foot|feet"; "kilometer" takes an s."""
    pairs = {sign: said.partition("|") for sign, said in _TABLES[name].items()}
    return {sign: (one, more or f"{one}s") for sign, (one, _, more) in pairs.items()}


def _patterns(name: str) -> re.Pattern[str]:
    """Any of the patterns of a list, in which _ stands for a space, and the space after it."""
    listed = "|".join(_TABLES["words"][name].split()).replace("_", " ")
    return re.compile(f"(?:{listed}) *", re.IGNORECASE)


TITLES: Words = _TABLES["titles"]
DOTTED_TITLES: Words = _TABLES["dotted_titles"]
AFTER_NAMES: Words = _TABLES["after_names"]
NAMES_ONLY_DOTTED = _words("names_only_dotted")
AFTER_COMMA = _words("after_comma")
COMPASS: Words = _TABLES["compass"]
WITH_COMPASS = _words("with_compass")
ABBREVIATIONS: Words = _TABLES["abbreviations"]
ALSO_BARE: Words = _TABLES["also_bare"]
SMALL_ONLY = _words("small_only")
BEFORE_NUMBERS: Words = _TABLES["before_numbers"]
MONTH_ABBREVIATIONS: Words = _TABLES["month_abbreviations"]
ONLY_MONTHS = _words("only_months")
WEEKDAYS: Words = _TABLES["weekdays"]
UNITS = _counted("units")
DOTTED_UNITS = _counted("dotted_units")
NOT_UNITS = _words("not_units")
CURRENCY_CODES = _counted("currency_codes")
DOLLARS: Words = _TABLES["dollars"]
SYMBOLS: Words = _TABLES["symbols"]
BEFORE_FIGURES = _words("before_figures")
IN_ADDRESSES: Words = _TABLES["in_addresses"]
DOMAINS = _words("domains")
EXTENSIONS = _words("extensions")
SPELLED = _words("spelled")
SAID_AS: Words = _TABLES["said_as"]
CLIPPED = _words("clipped")
ROMAN_AFTER = _words("roman_after")
RELATIVE_BEFORE_I = _words("relative_before_i")
VERBS_AFTER_I = _words("verbs_after_i")
ROMAN_BEFORE = _words("roman_before")
MONARCHS = _words("monarchs")
LABELLED = _words("labelled")
MUSIC_AFTER = _words("music_after")
MUSIC = _words("music")
CRICKET = _words("cricket")
CHEMISTRY = _words("chemistry")
VERSIONED = _words("versioned")
DATED = _words("dated")
PLAYS = _words("plays")
ELEMENTS: Words = _TABLES["elements"]
CALLED_IN_PAIRS = _words("called_in_pairs")
DIALLED = _words("dialled")
FUNCTION_WORDS = _words("function_words")
STATES: Words = _TABLES["states"]
SCRIPT_NAMES: Words = _TABLES["script_names"]
LETTERS: Words = _TABLES["letters"]
NUMBERED_IN_PARTS = _words("numbered_in_parts")
BIBLE_BOOKS: Words = _TABLES["bible_books"]
BIBLE = frozenset(BIBLE_BOOKS.values()) | _words("bible")
CURRENCIES: Words = _TABLES["currencies"]
SCALES: Words = _TABLES["scales"]
BESIDE_MEASURES = _words("beside_measures")
COUNTED = _words("counted")
RACES = _words("races")
STREETS = _words("streets")
ABOUT = _words("about")
SOUND = _patterns("sounds")
BESIDE_SOUND = _patterns("beside_sounds")
OWN_FORMS: Words = {word.lower(): word for word in _TABLES["words"]["own_forms"].split()}
