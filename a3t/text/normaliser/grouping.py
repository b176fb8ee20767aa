"""Written tokens that are read as one: "$3 million", "555 123 4567", "1 000 000", 5' 11"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from a3t.text.normaliser.context import is_figure
from a3t.text.normaliser.kinds.money import AMOUNT
from a3t.text.normaliser.numbers import CURRENCY_SIGNS, SCALES
from a3t.text.normaliser.tokens import NOTHING, Written
from a3t.text.normaliser.vocabulary import AFTER_NAMES, CURRENCY_CODES

_MOST = 7  # tokens that are read as one
_STREETS = frozenset(
    "street drive avenue boulevard road highway square place court lane parkway terrace way "
    "crescent expressway".split()
)


def token_at(tokens: Sequence[Written], index: int) -> Written:
    """The token at an index, or NOTHING beyond the ends."""
    return tokens[index] if 0 <= index < len(tokens) else NOTHING


def merged(tokens: Sequence[Written], index: int) -> tuple[str, int]:
    """(core, tokens used) for the token at `index` and those that are read together with it."""
    token, after = tokens[index], token_at(tokens, index + 1)
    core = _with_decimal_point(token.core)
    if (not token.trail or core in ("U.S", "Rs")) and (found := _amount(core, after)):
        country = core[:1].isupper() and not after.trail  # "US $20 million"
        scale = _amount(found, token_at(tokens, index + 2)) if country else ""
        return (scale, 3) if scale else (found, 2)
    if re.fullmatch(r"\d'", core) and not token.trail and re.fullmatch(r"\d\d?\"?", after.core):
        return core + after.core.rstrip('"'), 2
    return (core, 1) if core != token.core else _grouped_figures(tokens, index)


def _with_decimal_point(core: str) -> str:
    """A European amount as an English one: €1.050,00 -> €1,050.00; €3,50 -> €3.50."""
    sign = f"[{''.join(CURRENCY_SIGNS)}]"
    amount = re.fullmatch(rf"({sign}?)(\d{{1,3}}(?:\.\d{{3}})*|\d+)(?:,(\d\d))?({sign}?)", core)
    if amount is None or not (amount[3] or "." in amount[2]):
        return core
    if not ((amount[3] and "." in amount[2]) or (amount[1] + amount[4] and amount[2] != "0")):
        return core
    if not amount[3] and amount[2].count(".") < 2:
        return core  # $1.050 is an English decimal
    return (
        amount[1] + amount[2].replace(".", ",") + (f".{amount[3]}" if amount[3] else "") + amount[4]
    )


def _amount(core: str, after: Written) -> str:
    """An amount of money with what belongs to it in the next token; "" if there is none."""
    if after.lead:
        return ""
    scale = after.core.lower()
    if scale in SCALES and re.fullmatch(AMOUNT, core, re.IGNORECASE):
        return core + scale
    if core.replace(".", "") in ("US", "CA", "AU", "NZ", "HK") and after.core.startswith("$"):
        return core.replace(".", "") + after.core
    if core in CURRENCY_SIGNS and is_figure(after.core):
        return core + after.core
    if core in CURRENCY_CODES and is_figure(after.core):
        return after.core + core  # "CHF 20" is read as "20 CHF"
    return ""


def _grouped_figures(tokens: Sequence[Written], index: int) -> tuple[str, int]:
    """Telephone and card numbers, and thousands, whose groups stand apart."""
    token = tokens[index]
    core = token.core
    international = re.fullmatch(r"\+[0-9]{1,3}", core)
    area = re.fullmatch("[0-9]{3}", core) and token.lead == "(" and token.trail == ")"
    if not international and not re.fullmatch(r"[0-9]{1,4}|0[0-9]{2,4}", core):
        return core, 1
    parts = [core]
    while len(parts) < _MOST and (area or not tokens[index + len(parts) - 1].trail):
        part = token_at(tokens, index + len(parts))
        if part.lead or not re.fullmatch("[0-9]{1,7}(-[0-9]{1,7})*", part.core):
            break
        parts.append(part.core)
        area = None
    sizes = [len(part) for part in parts]
    if sizes[:3] == [3, 3, 4] and parts[0][0] not in "01":
        return "-".join(parts[:3]), 3
    if token.lead == "(" and token.trail == ")":
        if re.fullmatch("[0-9]{3}-[0-9]{4}", parts[1] if len(parts) > 1 else ""):
            return "-".join(parts[:2]), 2
        return core, 1
    if sizes[:4] == [4, 4, 4, 4]:
        return "-".join(parts[:4]), 4
    if len(core) == 4 and core[0] != "0":
        return core, 1
    if "000" in parts[1:] and set(sizes[1:]) == {3} and core[0] not in "0+":
        return ",".join(parts), len(parts)
    digits = "".join(parts).lstrip("+").replace("-", "")
    if len(parts) > 1 and (international or core[0] == "0") and 7 <= len(digits) <= 15:
        return "-".join(parts), len(parts)
    return core, 1


def is_house_number(tokens: Sequence[Written], index: int) -> bool:
    """True if a street's name follows: "1600 Pennsylvania Ave."."""
    for ahead in range(1, 5):
        token = token_at(tokens, index + ahead)
        word = token.core.lower()
        if not token.core[:1].isupper() and not re.match(r"\d", token.core):
            return False
        if ahead > 1 and (word in _STREETS or AFTER_NAMES.get(word) in _STREETS):
            return True
        if any(sign in token.trail for sign in ",;:!?"):
            return False
    return False
