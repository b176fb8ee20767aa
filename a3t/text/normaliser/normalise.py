"""Written English to spoken words, keeping which written token each word comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from a3t.errors import InputError
from a3t.text.normaliser.abbreviations import expand
from a3t.text.normaliser.context import Context, is_figure
from a3t.text.normaliser.numbers import SCALES
from a3t.text.normaliser.tokens import NOTHING, PAUSES, Written, drops_g, shown, split, take_apart
from a3t.text.normaliser.verbalise import verbalise
from a3t.text.normaliser.vocabulary import (
    ALSO_BARE,
    CLIPPED,
    CURRENCIES_AHEAD,
    CURRENCY_CODES,
    SYMBOLS,
    TITLES,
)

MAX_WORDS = 1500
"""Spoken words that one new text may have."""
MAX_WORD_LETTERS = 45
"""Letters that one word may have: as long as the longest in an English dictionary."""


@dataclass(frozen=True)
class SpokenToken:
    """One written token, with its punctuation, and what is said for it.

    `words` are lower case, of a–z and apostrophe; `pause_after` says that a comma, full stop,
    dash or the like follows. Signs that stand alone and say nothing belong to the token before.
    """

    written: str
    words: tuple[str, ...]
    pause_after: bool


def normalise(text: str, max_words: int | None = MAX_WORDS) -> list[SpokenToken]:
    """The spoken words of a text, token by token; at least one word.

    Speaking a text of spoken words again changes nothing. Raises InputError for a text that is
    empty, has no words, is in another script, has a word of more than MAX_WORD_LETTERS letters, or
    more than `max_words` words (None: any number).
    """
    if not text.strip():
        raise InputError("The text is empty: write the words that are to be spoken.")
    pieces = split(text)
    _check_length(len(pieces), max_words)
    tokens = [take_apart(piece) for piece in pieces]
    lettered = sum(any(map(str.isalpha, token.core)) for token in tokens)
    capitals_mean = lettered < 2 or any(map(str.islower, text))
    spoken: list[SpokenToken] = []
    silent = ""  # signs before the first word
    index = 0
    while index < len(tokens):
        paused = bool(spoken) and spoken[-1].pause_after
        used, words, pause = _speak(tokens, index, paused, capitals_mean)
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
            f"The text {shown(text)} has no words to speak: write at least one English word."
        )
    _check_length(sum(len(token.words) for token in spoken), max_words)
    return spoken


def _speak(
    tokens: Sequence[Written], index: int, paused: bool, capitals_mean: bool
) -> tuple[int, tuple[str, ...], bool]:
    """(tokens used, words, pause after) for the token at `index`."""
    token = tokens[index]
    before_that, before = _at(tokens, index - 2), _at(tokens, index - 1)
    core, used = _joined(tokens, index)
    after, last = _at(tokens, index + used), tokens[index + used - 1]
    if not core or core == "#":
        return 1, _sign_alone(tokens, index), _pause_alone(token)
    full_stop = last.trail.startswith(".")
    near = Context(
        before=before.core,
        after=after.core,
        before_that=before_that.core,
        pause_before=paused,
        pause_after=any(sign in PAUSES for sign in last.trail[full_stop:]),
        capitals_mean=capitals_mean,
    )
    if token.grade:
        return used, (core.lower(), "minus"), last.pauses
    words = expand(core, full_stop, near)
    pauses = last.pauses
    if full_stop and used == 1 and (words or _dotted(core)):
        # An abbreviation's own full stop ends a sentence only where one can begin.
        title = " ".join(words) == TITLES.get(core.lower())
        begins = after.core[:1].isupper() and core.lower() in _SENTENCE_ENDERS and not title
        pauses = after is NOTHING or begins or near.pause_after
    if not words:
        words = verbalise(token.clipped or core, near)
    spoken = map(_finish, words)
    return (
        used,
        tuple(part for word in spoken for part in ALSO_BARE.get(word, word).split()),
        pauses,
    )


def _at(tokens: Sequence[Written], index: int) -> Written:
    return tokens[index] if 0 <= index < len(tokens) else NOTHING


def _joined(tokens: Sequence[Written], index: int) -> tuple[str, int]:
    """(core, tokens used): amounts with their scale, figures that are grouped by spaces."""
    token, after = tokens[index], _at(tokens, index + 1)
    core = token.core
    if core[:1] in CURRENCIES_AHEAD and not token.trail and after.core.lower() in SCALES:
        return core + after.core.lower(), 2
    if core in CURRENCIES_AHEAD and not token.trail and is_figure(after.core):
        return core + after.core, 2
    if core in CURRENCY_CODES and not token.trail and is_figure(after.core):
        return after.core + core, 2  # "CHF 20" is read as "20 CHF"
    international = re.fullmatch(r"\+[0-9]{1,3}", core)
    if not international and not re.fullmatch(r"[0-9]{1,3}|0[0-9]{2,4}", core):
        return core, 1
    last = index
    parts = [core]
    while not tokens[last].trail and (part := _at(tokens, last + 1)).core and not part.lead:
        if not re.fullmatch("[0-9]+(-[0-9]+)*", part.core):
            break
        last += 1
        parts.append(part.core)
    digits = "".join(parts).lstrip("+").replace("-", "")
    thousands = "000" in parts[1:] and all(len(part) == 3 for part in parts[1:])
    if thousands and core[0] not in "0+":
        return ",".join(parts), len(parts)
    if len(parts) > 1 and (international or core[0] == "0") and 7 <= len(digits) <= 15:
        return "-".join(parts), len(parts)
    return core, 1


def _sign_alone(tokens: Sequence[Written], index: int) -> tuple[str, ...]:
    """Words for a token of signs only: mostly none, but "7 - 3 = 4", "x < 5", "2 * 3"."""
    sign, before, after = tokens[index].written, _at(tokens, index - 1), _at(tokens, index + 1)
    ends = (before.core, after.core)
    figures = all(is_figure(end) for end in ends) and not before.trail
    if sign in "-–−" and figures:
        sum_follows = any(_at(tokens, index + ahead).core == "=" for ahead in range(2, 6))
        return ("minus",) if sum_follows else ("to",)
    if sign == "*" and figures:
        return ("times",)
    if sign == "#" and is_figure(after.core):
        return ("number",)
    single = all(is_figure(end) or len(end) < 2 for end in ends) and any(map(is_figure, ends))
    return tuple(SYMBOLS[sign].split()) if sign in ("<", ">") and single else ()


def _pause_alone(token: Written) -> bool:
    dash = bool(token.lead) and not token.lead.strip("-–—")
    return dash or any(sign in PAUSES for sign in token.lead)


_SENTENCE_ENDERS = frozenset("etc inc ltd co corp jr sr bros a.m p.m am pm ave st rd blvd".split())


def _dotted(core: str) -> bool:
    """An initial ("J.") or letters with full stops ("U.S.")."""
    return bool(re.fullmatch(r"[A-HJ-Z]|(?:[A-Za-z]\.)+[A-Za-z]", core))


def _finish(word: str) -> str:
    """Quotation marks off, apostrophes that are part of a word kept."""
    bare = word.strip("'")
    if len(bare) > MAX_WORD_LETTERS:
        raise InputError(
            f"The word {shown(bare)} has {len(bare)} letters, more than any word that can be "
            f"spoken ({MAX_WORD_LETTERS}): correct it or put spaces in it."
        )
    if word.startswith("'") and bare in CLIPPED:
        return "'" + bare
    return word if word.endswith("in'") and drops_g(word) else bare


def _check_length(words: int, max_words: int | None) -> None:
    if max_words is not None and words > max_words:
        raise InputError(
            f"The text has {words} words, more than the {max_words} that can be taken at once: "
            "shorten it, or edit in several steps."
        )
