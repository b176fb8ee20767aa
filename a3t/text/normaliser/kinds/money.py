"""Rules for amounts of money: $5.20, -£3m, US$76 million, $5-10, $20/hr, 20USD."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_figure
from a3t.text.normaliser.kinds.numerals import NUMBER, grouped
from a3t.text.normaliser.numbers import said
from a3t.text.normaliser.vocabulary import CURRENCY_CODES, DOLLARS, UNITS

_SIGNS = "".join(numbers.CURRENCY_SIGNS)
AMOUNT = (
    rf"(?P<sign>[-+~≈]?)(?P<prefix>US|CA|AU|HK|NZ|A|C|R|S)?(?P<symbol>[{_SIGNS}])(?P<minus>-?)"
    rf"(?P<amount>{NUMBER})(?:[-–](?P<symbol_again>[{_SIGNS}]?)(?P<upper>{NUMBER}))?"
)
"""An amount without what may follow it: a scale, "per", a plus."""
MONEY = (
    rf"{AMOUNT}-?(?P<scale>k|mn?|bn?|tn?|hundred|[mbt]r?illion|thousand)?(?P<plus>\+)?"
    r"(?:/(?P<per>[a-z]+))?"
)
CODED = rf"({NUMBER})?({'|'.join(CURRENCY_CODES)})"
AMOUNT_FIRST = rf"(?P<amount>{NUMBER})(?P<symbol>[{_SIGNS}])"
_SAID_SIGNS = {"-": "minus", "+": "plus", "~": "about", "≈": "about"}


def money(match: re.Match[str], context: Context) -> str:
    """$5.20, -£3m, C$50, $5-10, $1.50-$2, $20/hr, $1M+."""
    scale = numbers.SCALES.get((match["scale"] or "").lower(), "")
    symbol, prefix = match["symbol"], (match["prefix"] or "").upper()
    if prefix and symbol != "$":
        return ""
    if prefix == "R":
        symbol, prefix = "R$", ""
    noun = context.noun_follows(context.before) or _names_a_sum(context)
    noun = noun and not match["per"]

    def amount(figures: str) -> str:
        words = numbers.money(figures, symbol, scale, attributive=noun)
        country = DOLLARS.get(prefix, "")
        return re.sub(r"\bdollars?\b", lambda own: said(country, own[0]), words, count=1)

    first, upper, per = match["amount"], match["upper"], (match["per"] or "").lower()
    if upper:
        exact = match["symbol_again"] and "." in first + upper
        first = f"{amount(first) if exact else grouped(first)} to"
    per = "day" if per == "d" else per
    return said(
        "minus" if match["minus"] else _SAID_SIGNS.get(match["sign"], ""),
        first if upper else "",
        amount(upper or match["amount"]),
        "plus" if match["plus"] else "",
        f"per {UNITS.get(per, (per,))[0].lower()}" if per else "",
    )


def _names_a_sum(context: Context) -> bool:
    """The $64,000 question, not the $5 they paid."""
    return context.before.lower() == "the" and context.noun_seems_to_follow


def amount_first(match: re.Match[str], context: Context) -> str:
    """20€ and 5.50€."""
    return numbers.money(match["amount"], match["symbol"])


def currency_code(match: re.Match[str], context: Context) -> str:
    """20USD, and USD after an amount."""
    amount = match[1] or context.before
    if not is_figure(amount):
        return ""
    words = CURRENCY_CODES[match[2]][0 if amount == "1" else 1]
    return f"{grouped(match[1])} {words}" if match[1] else words
