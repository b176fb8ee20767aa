"""Letters and figures of any alphabet to the plain ones that the rules know."""

from __future__ import annotations

import re
import unicodedata

from a3t.errors import InputError
from a3t.text.normaliser.numbers import VULGAR
from a3t.text.normaliser.vocabulary import LETTERS, SCRIPT_NAMES, SYMBOLS

MAX_WORD_LETTERS = 45
"""Letters that one word may have: as long as the longest in an English dictionary."""

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


def plain_letters(piece: str) -> str:
    """Latin letters without accents, Western figures, plain quotes.

    Raises InputError, naming the script, for letters of another one.
    """
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


def is_picture(sign: str) -> bool:
    """True if a sign is an emoji or another picture that no rule has words for."""
    pictures = sign > "\u2190" and unicodedata.category(sign) in ("So", "Cs")
    return pictures and sign not in SYMBOLS and sign not in VULGAR


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


def too_long(word: str) -> InputError:
    """The refusal of a word that has more letters than any that can be spoken."""
    return InputError(
        f"The word {shown(word)} has {len(word)} letters (the limit is {MAX_WORD_LETTERS}): "
        f"correct it or put spaces in it."
    )
