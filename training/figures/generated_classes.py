"""Proteno's classes: a few that are coded, the others generated from data.

Tyagi et al., *Proteno: Text Normalization with Limited Data for Fast Deployment in Text to Speech
Systems* (NAACL 2021). A class accepts tokens and says them; a token gets a class that accepts it.
Where no class says what the data says, one is made that accepts this token alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from a3t.text.normaliser import numbers

MOST_DIGITS = 9
_SUFFIXES = ("st", "nd", "rd", "th")


def _is_number(token: str) -> bool:
    return token.isdecimal() and len(token) <= MOST_DIGITS


# Of each coded class: what it accepts, and how it says that.
CODED: dict[str, tuple[Callable[[str], bool], Callable[[str], str]]] = {
    "self": (str.isalpha, str.lower),
    "nothing": (lambda token: not token.isalnum() or token in _SUFFIXES, lambda token: ""),
    "cardinal": (_is_number, numbers.cardinal),
    "ordinal": (_is_number, numbers.ordinal),
    "digits": (_is_number, numbers.spell_digits),
    "year": (lambda token: _is_number(token) and len(token) == 4, numbers.year),
    "money": (
        lambda token: token[0] in numbers.CURRENCIES and _is_number(token[1:]),
        lambda token: numbers.money(token[1:], token[0]),
    ),
}


class GeneratedClasses:
    """The coded classes and those that ``pairs`` of tokens and what is said for them need."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self.names = list(CODED)
        self._own: dict[str, dict[int, str]] = {}  # token -> generated class -> what it says
        for token, spoken in pairs:
            if spoken not in self.said(token).values():
                self._own.setdefault(token, {})[len(self.names)] = spoken
                self.names.append(f"{token} {spoken}")

    def said(self, token: str) -> dict[int, str]:
        """The classes that accept a token, by number, and how each says it."""
        coded = {k: say(token) for k, (accepts, say) in enumerate(CODED.values()) if accepts(token)}
        return coded | self._own.get(token, {})
