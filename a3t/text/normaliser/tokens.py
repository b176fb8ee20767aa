"""Written text to tokens: where it is split, and each token's punctuation and core."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from a3t.errors import InputError
from a3t.text.normaliser.letters import plain_letters, too_long
from a3t.text.normaliser.numbers import CURRENCY_SIGNS, MONTHS
from a3t.text.normaliser.unspoken import NO_NAMES, unspoken
from a3t.text.normaliser.vocabulary import (
    CLIPPED,
    DOMAINS,
    EXTENSIONS,
    MONTH_ABBREVIATIONS,
    WEEKDAYS,
)
from a3t.text.pronunciation.lexicon import in_lexicon

LONGEST_TOKEN = 160
"""Characters. What is longer is read in pieces, so that a text takes time in proportion to its
length whatever a rule does with a token."""

PAUSES = frozenset(",.;:?!…—")
_OPENING = "\"'([{<*_`«¿¡-–—.…,;:!?|•"
_CLOSING = "\"')]}>*_`».,;:?!…—–-|"
# Dashes and dots that join two words without a space, and sentences that lack one.
_JOINTS = re.compile(
    r"(?<=\S)(?:(?<!-)--+|[—―]|–|…|(?<!\.)\.{3,})(?=[^\s\"'”’)\].,;:?!…—-])"
    r"|(?<=[A-Za-z]{2})[,;!](?=[A-Za-z]{2})"
    r"|(?<=\.)[,;](?=[A-Za-z]{2})"
    r"|(?<=[A-Za-z][a-z])[.?](?=[A-Z][a-z])"
    r"|(?:(?<=\b[NnPp][op])|(?<=\b(?:[Ff]ig|[Vv]ol))|(?<=\bRs))\.(?=\d)"
)
_ENDLESS = re.compile(rf"[^\W\d_]{{{LONGEST_TOKEN},}}")
_NAMED = frozenset([*MONTHS, *MONTH_ABBREVIATIONS, *WEEKDAYS, *WEEKDAYS.values(), "a", "z"])
_ENDS_IN_FIGURE = re.compile(r"\d(?:[%°]|°[CF]|['’]?s|k|m|bn|st|nd|rd|th|[ap]m)?$", re.IGNORECASE)
_HALF_OF_DAY = re.compile(r"(?:^|\d)[ap]\.m\.$", re.IGNORECASE)


@dataclass(frozen=True)
class Written:
    """A token taken apart: `lead` and `trail` are punctuation, `core` is what can be said."""

    written: str
    lead: str
    core: str
    trail: str
    unreadable: InputError | None = None  # why a token that has letters can't be said

    @property
    def pauses(self) -> bool:
        """True if its punctuation makes a speaker pause after it."""
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
    """True if a word in -in' is one in -ing ("fishin'"), not "in" before a quotation mark."""
    core, stem = word[:-1], word[:-3]
    if not word.endswith("in'") or not in_lexicon(core + "g") or len(stem) < 2:
        return False
    return in_lexicon(word) or not in_lexicon(core)


def tokens_of(text: str, names: Mapping[str, bool] = NO_NAMES) -> list[Written]:
    """The written tokens of a text; what isn't speech is one of its own, with an empty core."""
    tokens: list[Written] = []
    start = 0
    for first, last in [*unspoken(text, names), (len(text), len(text))]:
        tokens += [_readable(piece) for piece in _split(text[start:first])]
        if aside := " ".join(text[first:last].split()):
            tokens.append(Written(aside, "", "", ""))
        start = last
    return _with_primes(tokens)


def _readable(piece: str) -> Written:
    if letters := _ENDLESS.search(piece):
        return Written(piece, "", "", "", too_long(letters[0]))
    try:
        return take_apart(piece)
    except InputError as error:
        return Written(piece, "", "", "", error)


def _split(text: str) -> Iterator[str]:
    """Parted by white space, and where a dash or a full stop lacks one."""
    for token in text.split():
        if _ENDLESS.search(token):
            yield token  # nobody can say it, so nothing else is done with it
            continue
        for piece in _cut(token):
            yield from _JOINTS.sub(_with_space, piece).split()


def _cut(token: str) -> Iterator[str]:
    """A token in pieces of at most LONGEST_TOKEN characters, after a sign where there is one."""
    start = 0
    while len(token) - start > LONGEST_TOKEN:
        end = start + LONGEST_TOKEN
        signs = (k + 1 for k in range(end - 1, end - 60, -1) if not token[k].isalnum())
        end = next(signs, end)
        yield token[start:end]
        start = end
    yield token[start:]


def _with_space(joint: re.Match[str]) -> str:
    if joint[0] != "–":
        return joint[0] + " "
    # Mon–Fri and 1960s–80s are ranges, not pauses.
    text = joint.string
    before = re.split(r"[(–-]", text[: joint.start()])[-1]
    after = re.split(r"[),;:!?–-]", text[joint.end() :])[0]
    if _HALF_OF_DAY.search(before) and after[:1].isdigit():
        return " – "
    named = before.lower() in _NAMED and after.rstrip(".").lower() in _NAMED
    figures = _ENDS_IN_FIGURE.search(before) and re.match(r"['’]?\d|[$£€¥₹₩₽₪₱₺]", after)
    return joint[0] if named or figures else joint[0] + " "


def take_apart(piece: str) -> Written:
    """Punctuation off both ends; raises InputError for letters of another script."""
    plain = re.sub(r"\.{2,}", "…", plain_letters(piece))
    core = plain.lstrip(_OPENING)
    lead = plain[: len(plain) - len(core)]
    first = lead[-1:]
    alone = not lead[:-1].strip("\"'([")
    amount = core[:1].isdigit() or core[:1] in CURRENCY_SIGNS
    belongs = (
        (amount and (first in (".", "-", "–") or (first in ("<", ">") and ">" not in core)))
        or (first == "." and core.rstrip(_CLOSING).lower() in EXTENSIONS | DOMAINS)
        or (first == "-" and re.match(r"[A-Z]{1,2}[$]", core))
    )
    if alone and belongs:  # the last sign is no punctuation: -5, .pdf, -US$5
        lead, core = lead[:-1], first.replace("–", "-") + core
    bare = core.rstrip(_CLOSING)
    return Written(piece, lead, bare, core[len(bare) :])


def _with_primes(tokens: list[Written]) -> list[Written]:
    """Tokens whose closing mark means feet or inches (6', 12") with that mark in the core.

    It is a quotation mark instead where one has been opened and not closed.
    """
    result: list[Written] = []
    is_open = {"'": False, '"': False}
    for token in tokens:
        for mark in is_open:
            is_open[mark] |= mark in token.lead and not token.clipped.startswith(mark)
        mark = token.trail[:1]
        measured = re.fullmatch(r"\d{1,3}(?:[.,]\d{1,2})?(?:'\d{1,2})?", token.core)
        if mark in is_open and measured and not is_open[mark]:
            token = replace(token, core=token.core + mark, trail=token.trail[1:])
        for mark in is_open:
            is_open[mark] &= mark not in token.trail
        result.append(token)
    return result
