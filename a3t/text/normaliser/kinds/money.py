"""Rules for amounts of money: $5.20, -£3m, US$76 million, $5-10, $20/hr, 20USD."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_figure
from a3t.text.normaliser.kinds.numerals import NUMBER, grouped
from a3t.text.normaliser.vocabulary import CURRENCY_CODES, DOLLARS, UNITS

_SIGNS = "".join(sign for sign in numbers.CURRENCIES if len(sign) == 1)
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
_SAID_SIGNS = {"-": ["minus"], "+": ["plus"], "~": ["about"], "≈": ["about"]}


def money(match: re.Match[str], context: Context) -> list[str]:
    """$5.20, -£3m, C$50, $5-10, $1.50-$2, $20/hr, $1M+."""
    scale = numbers.SCALES.get((match["scale"] or "").lower(), "")
    symbol, prefix = match["symbol"], (match["prefix"] or "").upper()
    if prefix and symbol != "$":
        return []
    if prefix == "R":
        symbol, prefix = "R$", ""
    noun = context.noun_follows(context.before) or _names_a_sum(context)
    noun = noun and not match["per"]

    def said(amount: str) -> list[str]:
        words = numbers.money(amount, symbol, scale, attributive=noun)
        at = next((k for k, word in enumerate(words) if word in ("dollar", "dollars")), None)
        if at is not None:
            words[at:at] = DOLLARS.get(prefix, "").split()
        return words

    words = ["minus"] if match["minus"] else _SAID_SIGNS.get(match["sign"], [])[:]
    if match["upper"]:
        exact = match["symbol_again"] and "." in match["amount"] + match["upper"]
        words += [*(said(match["amount"]) if exact else grouped(match["amount"])), "to"]
    words += said(match["upper"] or match["amount"])
    if match["plus"]:
        words.append("plus")
    if match["per"]:
        per = "day" if match["per"].lower() == "d" else match["per"]
        words += ["per", *(UNITS.get(per.lower(), (per,))[0].lower().split())]
    return words


def _names_a_sum(context: Context) -> bool:
    """The $64,000 question, not the $5 they paid."""
    return context.before.lower() == "the" and context.noun_seems_to_follow


def amount_first(match: re.Match[str], context: Context) -> list[str]:
    """20€ and 5.50€."""
    return numbers.money(match["amount"], match["symbol"])


def currency_code(match: re.Match[str], context: Context) -> list[str]:
    """20USD, and USD after an amount."""
    amount = match[1] or context.before
    if not is_figure(amount):
        return []
    words = CURRENCY_CODES[match[2]][0 if amount == "1" else 1].split()
    return [*grouped(match[1]), *words] if match[1] else words
