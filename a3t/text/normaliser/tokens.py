"""A text to its written tokens, and each token to punctuation and core, in plain letters."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from a3t.errors import InputError
from a3t.text.normaliser.numbers import MONTHS, VULGAR
from a3t.text.normaliser.vocabulary import (
    CLIPPED,
    CURRENCIES_AHEAD,
    DOMAINS,
    EXTENSIONS,
    LETTERS,
    MONTH_ABBREVIATIONS,
    SCRIPT_NAMES,
    SYMBOLS,
    WEEKDAYS,
)
from a3t.text.pronunciation.lexicon import in_lexicon

PAUSES = frozenset(",.;:?!…—")
_OPENING = "\"'([{<*_`«¿¡-–—.…,;:!?|•"
_CLOSING = "\"')]}>*_`».,;:?!…—–-|"
_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‛′`´ʼʻ＇", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒−﹣－", "-"),
        **dict.fromkeys("―", "—"),
        "µ": "μ",
        "º": "°",
        "ª": "",
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff®™", ""),
    }
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
# Dashes and dots that join two words without a space, and sentences that lack one.
_JOINTS = re.compile(
    r"(?<=\S)(?:--+|[—―]|(?<!\d)–|–(?!\d)|…|\.{3,})(?=[^\s\"'”’)\].,;:?!…—-])"
    r"|(?<=[A-Za-z]{2})[,;!](?=[A-Za-z]{2})"
    r"|(?<=\.)[,;](?=[A-Za-z]{2})"
    r"|(?<=[A-Za-z][a-z])[.?](?=[A-Z][a-z])"
    r"|(?:(?<=\b[NnPp][op])|(?<=\b(?:[Ff]ig|[Vv]ol)))\.(?=\d)"
)
_NAMED = frozenset([*MONTHS, *MONTH_ABBREVIATIONS, *WEEKDAYS, *WEEKDAYS.values(), "a", "z"])


@dataclass(frozen=True)
class Written:
    """A token taken apart: `lead` and `trail` are punctuation, `core` is what can be said."""

    written: str
    lead: str
    core: str
    trail: str

    @property
    def pauses(self) -> bool:
        """Whether its punctuation makes a speaker pause after it."""
        return any(sign in PAUSES for sign in self.trail) or "--" in self.trail

    @property
    def grade(self) -> bool:
        """A- is a grade, not an A with a dash."""
        return self.core in tuple("ABCDF") and self.trail.rstrip(".,;:!?\"')") == "-"

    @property
    def clipped(self) -> str:
        """The core with an apostrophe that belongs to it ('tis, '80s, goin'); "" if none does."""
        key = self.core.lower()
        if self.lead.endswith("'") and (key in CLIPPED or re.fullmatch(r"\d\d'?s?", key)):
            return "'" + self.core
        return self.core + "'" if self.trail.startswith("'") and drops_g(key + "'") else ""


NOTHING = Written("", "", "", "")


def drops_g(word: str) -> bool:
    """Whether a word in -in' is one in -ing ("fishin'"), not "in" before a quotation mark."""
    core, stem = word[:-1], word[:-3]
    if not word.endswith("in'") or not in_lexicon(core + "g") or len(stem) < 2:
        return False
    return in_lexicon(word) or not in_lexicon(core)


def split(text: str) -> list[str]:
    """The written tokens: parted by white space, and where a dash or a full stop lacks one."""

    def part(joint: re.Match[str]) -> str:
        if joint[0] == "–":  # Mon–Fri is a range, not a pause
            before = re.split(r"[\s(–-]", text[: joint.start()])[-1].lower()
            after = re.split(r"[\s),.;:!?–-]", text[joint.end() :])[0].lower()
            named = before in _NAMED and after in _NAMED
            money = before[-1:].isdigit() and after[:1] in CURRENCIES_AHEAD
            if named or money:
                return joint[0]
        return joint[0] + " "

    return _JOINTS.sub(part, text).split()


def take_apart(piece: str) -> Written:
    """Punctuation off both ends; raises InputError for letters of another script."""
    plain = re.sub(r"\.{2,}", "…", plain_letters(piece))
    core = plain.lstrip(_OPENING)
    lead = plain[: len(plain) - len(core)]
    first = lead[-1:]
    alone = not lead[:-1].strip("\"'([")
    if core[:1].isdigit() or core[:1] in CURRENCIES_AHEAD:  # a sign or a point before a figure
        if alone and (first in (".", "-", "–") or (first in ("<", ">") and ">" not in core)):
            lead, core = lead[:-1], first.replace("–", "-") + core
    elif first == "." and alone and core.rstrip(_CLOSING).lower() in EXTENSIONS | DOMAINS:
        lead, core = lead[:-1], first + core
    bare = core.rstrip(_CLOSING)
    return Written(piece, lead, bare, core[len(bare) :])


def plain_letters(piece: str) -> str:
    """Latin letters without accents, Western figures, plain quotes; raises for other scripts."""
    if piece.isascii():
        return piece
    piece = re.sub("[⁰¹²³⁴-⁹⁻]+", lambda raised: "^" + raised[0].translate(_RAISED), piece)
    plain: list[str] = []
    for sign in piece.translate(_SAME):
        if sign.isascii() or sign in VULGAR or sign in SYMBOLS or sign in "…—–‰":
            plain.append(sign)
            continue
        for part in unicodedata.normalize("NFKD", sign):
            kind = unicodedata.category(part)
            if part.isascii():
                plain.append(part)
            elif kind == "Nd":
                plain.append(str(unicodedata.decimal(part)))
            elif kind.startswith("L"):
                plain.append(_latin(part, piece))
            elif part in SYMBOLS:
                plain.append(part)
    return "".join(plain).strip("\0").replace("\0", "-")


def _latin(letter: str, piece: str) -> str:
    script, *_, name = unicodedata.name(letter, "UNKNOWN LETTER").split()
    if script == "LATIN":
        small = LETTERS.get(letter.lower(), "")
        return small.upper() if letter.isupper() else small
    if script == "GREEK" and not re.search(r"[\u0370-\u03ff]{2}", piece):
        if letter in "μΩ":
            return letter  # perhaps in a unit
        return f"\0{name.lower()}\0"  # a sign in a formula: its name, apart from what is beside it
    if script in ("MODIFIER", "FEMININE", "MASCULINE"):
        return ""
    script = SCRIPT_NAMES.get(script, script.capitalize())
    raise InputError(
        f"The text has {script} letters ({shown(piece)}) and only English can be spoken: "
        "write it in Latin letters."
    )


def shown(text: str, length: int = 24) -> str:
    """A piece of the user's text for a message, in quotes and not too long."""
    text = " ".join(text.split())
    return f"“{text[:length]}…”" if len(text) > length else f"“{text}”"
