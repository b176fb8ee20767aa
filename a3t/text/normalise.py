"""Written English to spoken words, keeping which written token each word comes from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from a3t.errors import InputError
from a3t.text.abbreviations import Neighbours, expand
from a3t.text.numbers import SCALES, VULGAR
from a3t.text.verbalise import Context, verbalise
from a3t.text.vocabulary import CLIPPED, CURRENCIES_AHEAD, LETTERS, POWERS, SCRIPT_NAMES, SYMBOLS

MAX_WORDS = 1500
"""Spoken words that one new text may have."""
MAX_WORD_LETTERS = 45
"""Letters that one word may have: as long as the longest in an English dictionary."""

_PAUSES = frozenset(",.;:?!…—")
_OPENING = "\"'([{<*_`«¿¡-–—.…,;:!?|•"
_CLOSING = "\"')]}>*_`».,;:?!…—–-|"
_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‛′`´ʼ＇", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒−﹣－", "-"),
        **dict.fromkeys("―", "—"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff®™", ""),
    }
)
# Dashes and dots that join two words without a space, and sentences that lack one.
_JOINTS = re.compile(
    r"(?<=\S)(?:--+|[—―]|(?<!\d)–|–(?!\d)|…|\.{3,})(?=[^\s\"'”’)\].,;:?!…—-])"
    r"|(?<=[A-Za-z]{2})[,;!](?=[A-Za-z]{2})"
    r"|(?<=[a-z]{2})[.?](?=[A-Z][a-z])"
)


@dataclass(frozen=True)
class SpokenToken:
    """One written token, with its punctuation, and what is said for it.

    `words` are lower case, of a–z and apostrophe; `pause_after` says that a comma, full stop,
    dash or the like follows. Signs that stand alone and say nothing belong to the token before.
    """

    written: str
    words: tuple[str, ...]
    pause_after: bool


@dataclass(frozen=True)
class _Written:
    """A token taken apart: `lead` and `trail` are punctuation, `core` is what can be said."""

    written: str
    lead: str
    core: str
    trail: str

    @property
    def pauses(self) -> bool:
        return any(sign in _PAUSES for sign in self.trail) or "--" in self.trail


def normalise(text: str, max_words: int | None = MAX_WORDS) -> list[SpokenToken]:
    """The spoken words of a text, token by token; at least one word.

    Speaking a text of spoken words again changes nothing. Raises InputError for a text that is
    empty, has no words, is in another script, has a word of more than MAX_WORD_LETTERS letters, or
    more than `max_words` words (None: any number).
    """
    if not text.strip():
        raise InputError("The text is empty: write the words that are to be spoken.")
    pieces = _JOINTS.sub(lambda joint: joint[0] + " ", text).split()
    _check_length(len(pieces), max_words)
    tokens = [_take_apart(piece) for piece in pieces]
    capitals_mean = len(tokens) == 1 or any(letter.islower() for letter in text)
    spoken: list[SpokenToken] = []
    silent = ""  # signs before the first word
    index = 0
    while index < len(tokens):
        used, words, pause = _speak(tokens, index, capitals_mean)
        written = " ".join(token.written for token in tokens[index : index + used])
        index += used
        if words:
            spoken.append(SpokenToken((silent + " " + written).lstrip(), words, pause))
            silent = ""
        elif spoken:
            last = spoken[-1]
            pause = last.pause_after or pause
            spoken[-1] = SpokenToken(f"{last.written} {written}", last.words, pause)
        else:
            silent = f"{silent} {written}".lstrip()
    if not spoken:
        raise InputError(
            f"The text {_shown(text)} has no words to speak: write at least one English word."
        )
    _check_length(sum(len(token.words) for token in spoken), max_words)
    return spoken


def _check_length(words: int, max_words: int | None) -> None:
    if max_words is not None and words > max_words:
        raise InputError(
            f"The text has {words} words, more than the {max_words} that can be taken at once: "
            "shorten it, or edit in several steps."
        )


def _speak(
    tokens: Sequence[_Written], index: int, capitals_mean: bool
) -> tuple[int, tuple[str, ...], bool]:
    """(tokens used, words, pause after) for the token at `index`."""
    token = tokens[index]
    before = tokens[index - 1] if index else _NOTHING
    after = tokens[index + 1] if index + 1 < len(tokens) else _NOTHING
    core, used, pauses = token.core, 1, token.pauses
    if core[:1] in CURRENCIES_AHEAD and not token.trail and after.core.lower() in SCALES:
        core, used, pauses = core + after.core.lower(), 2, after.pauses
    if not core:
        dash = not token.lead.strip("-–—") and bool(token.lead)
        between_figures = before.core[-1:].isdigit() and after.core[:1].isdigit()
        if dash and between_figures and token.lead in "-–":
            return 1, ("minus",), False
        return 1, (), dash or any(sign in _PAUSES for sign in token.lead)
    near = Neighbours(
        before.core, after.core, before.pauses, any(sign in _PAUSES for sign in token.trail[1:])
    )
    full_stop = token.trail.startswith(".")
    words = expand(core, full_stop, near) if capitals_mean or not core.isupper() else []
    last = after is _NOTHING
    if full_stop and used == 1 and (words or _dotted(core)):
        # An abbreviation's own full stop ends a sentence only where one can begin.
        begins = after.core[:1].isupper() and core.lower() in _SENTENCE_ENDERS
        pauses = last or begins or near.pause_after
    if not words:
        clipped = token.lead.endswith("'") and (
            core.lower() in CLIPPED or re.fullmatch(r"\d\d'?s?", core)
        )
        context = Context(before.core, after.core, capitals_mean)
        words = verbalise("'" + core if clipped else core, context)
    return used, tuple(word for word in map(_finish, words) if word), pauses


_NOTHING = _Written("", "", "", "")
_SENTENCE_ENDERS = frozenset("etc inc ltd co corp jr sr bros a.m p.m am pm ave st rd blvd".split())


def _dotted(core: str) -> bool:
    """An initial ("J.") or letters with full stops ("U.S.")."""
    return bool(re.fullmatch(r"[A-HJ-Z]|(?:[A-Za-z]\.)+[A-Za-z]", core))


def _finish(word: str) -> str:
    """Quotation marks off, apostrophes that are part of a word kept, one spelling of "okay"."""
    bare = word.strip("'")
    if len(bare) > MAX_WORD_LETTERS:
        raise InputError(
            f"The word {_shown(bare)} has {len(bare)} letters, more than any word that can be "
            f"spoken ({MAX_WORD_LETTERS}): correct it or put spaces in it."
        )
    if word.startswith("'") and bare in CLIPPED:
        return "'" + bare
    return "okay" if bare == "ok" else bare


def _take_apart(piece: str) -> _Written:
    plain = re.sub(r"\.{2,}", "…", _plain_letters(piece))
    core = plain.lstrip(_OPENING)
    lead = plain[: len(plain) - len(core)]
    if core[:1].isdigit() or core[:1] in CURRENCIES_AHEAD:  # a sign or a point before a figure
        for sign in ".-":
            if lead.endswith(sign) and not lead[:-1].strip("\"'(["):
                lead, core = lead[:-1], sign + core
                break
    bare = core.rstrip(_CLOSING)
    return _Written(piece, lead, bare, core[len(bare) :])


def _plain_letters(piece: str) -> str:
    """Latin letters without accents, Western figures, plain quotes; raises for other scripts."""
    if piece.isascii():
        return piece
    plain = []
    for sign in piece.translate(_SAME):
        if sign.isascii() or sign in VULGAR or sign in POWERS or sign in SYMBOLS or sign in "…—–‰":
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
    return "".join(plain)


def _latin(letter: str, piece: str) -> str:
    script, *_, name = unicodedata.name(letter, "UNKNOWN").split()
    if script == "LATIN":
        small = LETTERS.get(letter.lower(), "")
        return small.upper() if letter.isupper() else small
    if script == "GREEK":
        if letter == "μ" and len(piece) > 1:
            return letter  # the prefix of a unit
        if len(piece.strip(_CLOSING + _OPENING)) == 1:
            return name.lower()
    if script == "MODIFIER" or script == "FEMININE" or script == "MASCULINE":
        return ""
    script = SCRIPT_NAMES.get(script, script.capitalize())
    raise InputError(
        f"The text has {script} letters ({_shown(piece)}) and only English can be spoken: "
        "write it in Latin letters."
    )


def _shown(text: str, length: int = 24) -> str:
    shown = " ".join(text.split())
    return f"“{shown[:length]}…”" if len(shown) > length else f"“{shown}”"
