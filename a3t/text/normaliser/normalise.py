"""Written English to spoken words, keeping which written token each word comes from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from a3t.errors import InputError
from a3t.text.normaliser.abbreviations import expand
from a3t.text.normaliser.context import Context, is_figure
from a3t.text.normaliser.grouping import is_house_number, merged, token_at
from a3t.text.normaliser.letters import MAX_WORD_LETTERS, is_picture, shown, too_long
from a3t.text.normaliser.tokens import NOTHING, PAUSES, Written, drops_g, tokens_of
from a3t.text.normaliser.unspoken import names_of_lines, speaker_names
from a3t.text.normaliser.verbalise import verbalise
from a3t.text.normaliser.vocabulary import ALSO_BARE, CLIPPED, COMPASS, SYMBOLS, TITLES


@dataclass(frozen=True)
class SpokenToken:
    """One written token, with its punctuation, and its spoken words.

    `words` are lower case, of a–z and apostrophe; `pause_after` says that a comma, full stop,
    dash or the like follows. Signs that stand alone and say nothing belong to the token before, the
    names of who speaks ("Speaker 1:") to the one after. `speaker`: who says it, if that is named.
    """

    written: str
    words: tuple[str, ...]
    pause_after: bool
    refusal: InputError | None = None  # why a token with letters has no words
    speaker: str = ""


@dataclass(frozen=True)
class Conventions:
    """The conventions that a text as a whole settles for the reading of its words.

    capitals_mean: whether they tell a name or initials from a word, as they don't in a text all in
    capitals. names: the names in capitals that begin lines, and whether each is who speaks.
    """

    capitals_mean: bool
    names: Mapping[str, bool]

    @classmethod
    def of(cls, text: str) -> Conventions:
        """A text's own."""
        lettered = (1 for token in text.split() if any(map(str.isalpha, token)))
        means = any(map(str.islower, text)) or sum(lettered) < 2
        return cls(means, names_of_lines(text))


def normalise(text: str, conventions: Conventions | None = None) -> list[SpokenToken]:
    """The spoken words of a text, token by token; at least one word.

    ``conventions``: others than the text's own, if it is a part or a revision of another text.

    Speaking a text of spoken words again changes nothing. What isn't speech ("[Music]"), a word in
    another script and a word of more than MAX_WORD_LETTERS letters are passed over, as long as
    there are other words (`skipped` names them). Raises InputError for a text that is empty or has
    no words that can be spoken.
    """
    if not text.strip():
        raise InputError("The text is empty: write what to say.")
    conventions = conventions or Conventions.of(text)
    tokens = tokens_of(text, conventions.names)
    read = _read(tokens, conventions.capitals_mean)
    spoken = _with_silence(read, speaker_names(text, conventions.names))
    if not spoken:
        raise next((token.refusal for token in read if token.refusal), None) or InputError(
            f"The text {shown(text)} has no words to speak: write at least one English word."
        )
    return spoken


def skipped(text: str) -> list[str]:
    """The parts of a text that say something but aren't spoken: "[Music]", foreign words, emoji."""
    return [
        written
        for token in _read(tokens_of(text), True)
        for written in ([*filter(is_picture, token.written)] if token.words else [token.written])
        if any(map(str.isalnum, written)) or any(map(is_picture, written))
    ]


def choices(text: str) -> list[str]:
    """The choices by neighbouring words that rules alone would not make: "4/5 as a date"."""
    made: list[str] = []
    _read(tokens_of(text), True, made)
    return made


def unreadable(text: str) -> list[tuple[str, InputError]]:
    """The words of a text that can't be spoken, each with the reason."""
    if text.isascii() and all(len(token) <= MAX_WORD_LETTERS for token in text.split()):
        return []
    return [
        (token.written, token.refusal) for token in _read(tokens_of(text), True) if token.refusal
    ]


def _read(
    tokens: Sequence[Written], capitals_mean: bool, made: list[str] | None = None
) -> list[SpokenToken]:
    """Each token, or tokens that are read as one, with its words: none if it says nothing.

    The choices that were made are added to ``made``.
    """
    spoken: list[SpokenToken] = []
    index, paused, any_words = 0, False, False
    while index < len(tokens):
        refusal = tokens[index].unreadable
        try:
            used, words, pause = _speak(tokens, index, paused, capitals_mean, made)
        except InputError as error:
            used, words, pause, refusal = 1, (), tokens[index].pauses, error
        if words:
            paused = pause
        elif any_words:
            paused = paused or pause
        any_words = any_words or bool(words)
        written = " ".join(token.written for token in tokens[index : index + used])
        spoken.append(SpokenToken(written, words, pause, refusal))
        index += used
    return spoken


def _with_silence(
    tokens: Sequence[SpokenToken], names: Mapping[str, str] = MappingProxyType({})
) -> list[SpokenToken]:
    """Tokens that say nothing joined to the one before; those at the start, and the names of who
    speaks (as written -> the name), to the one after."""
    result: list[SpokenToken] = []
    written: list[str] = []  # of the token that is being put together
    words: tuple[str, ...] = ()
    pause, speaker = False, ""

    def end() -> None:
        if words:
            result.append(SpokenToken(" ".join(written), words, pause, speaker=speaker))
            written.clear()

    for token in tokens:
        is_name = not token.words and token.written in names
        if token.words or is_name:
            end()
            words, pause = token.words, token.pause_after
        elif words:
            pause = pause or token.pause_after
        written.append(token.written)
        speaker = names[token.written] if is_name else speaker
    end()
    if not words and result and written:  # a name that says nothing
        last = result.pop()
        result.append(replace(last, written=" ".join([last.written, *written])))
    return result


def _speak(
    tokens: Sequence[Written], index: int, paused: bool, capitals_mean: bool, made: list[str] | None
) -> tuple[int, tuple[str, ...], bool]:
    """(tokens used, words, pause after) for the token at `index`."""
    token = tokens[index]
    before_that, before = token_at(tokens, index - 2), token_at(tokens, index - 1)
    core, used = merged(tokens, index)
    compass = core.lower() in COMPASS and is_figure(before.core)
    after, last = token_at(tokens, index + used), tokens[index + used - 1]
    if not core or core in ("#", "/"):
        return 1, _sign_alone(tokens, index), _pause_alone(token)
    full_stop = last.trail.startswith(".")
    near = Context(
        before=before.core,
        after=after.core,
        before_that=before_that.core,
        after_that=token_at(tokens, index + used + 1).core,
        pause_before=paused,
        pause_after=any(sign in PAUSES for sign in last.trail[full_stop:]),
        capitals_mean=capitals_mean,
        street_follows=(compass or (len(core) in (3, 4) and core.isdigit()))
        and is_house_number(tokens, index - compass),
        equals_follows=any(token_at(tokens, index + k).core == "=" for k in range(used, used + 4)),
        choices=[] if made is None else made,
    )
    if token.grade:
        return used, (core.lower(), "minus"), last.pauses
    words = expand(core, full_stop, near)
    if last.trail == "-" and is_figure(core) and near.equals_follows:
        return used, (*verbalise(core, near).split(), "minus"), False  # 1- 2 = 5
    pauses = last.pauses
    if full_stop and used == 1 and (words or _dotted(core)):
        # An abbreviation's own full stop ends a sentence only where one can begin.
        title = words == TITLES.get(core.lower())
        begins = after.core[:1].isupper() and core.lower() in _SENTENCE_ENDERS and not title
        pauses = after is NOTHING or begins or near.pause_after
    spoken = map(_finish, (words or verbalise(token.clipped or core, near)).split())
    parts = (part for word in spoken for part in ALSO_BARE.get(word, word).split())
    return used, tuple(parts), pauses


def _sign_alone(tokens: Sequence[Written], index: int) -> tuple[str, ...]:
    """Words for a token of signs only: mostly none, but "7 - 3 = 4", "x < 5", "2 * 3"."""
    sign = tokens[index].written
    before, after = token_at(tokens, index - 1), token_at(tokens, index + 1)
    ends = (before.core, after.core)
    figures = all(is_figure(end) for end in ends) and not before.trail
    sum_follows = any(token_at(tokens, index + ahead).core == "=" for ahead in range(2, 6))
    if sign in "-–−" and figures:
        return ("minus",) if sum_follows else ("to",)
    half_day = re.fullmatch(r"[\d:]*[ap]\.?m", before.core, re.IGNORECASE)
    if sign in "-–−" and half_day and is_figure(after.core) and "," not in before.trail:
        return ("to",)
    if sign in "/÷" and figures and sum_follows:
        return ("divided", "by")
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
        raise too_long(bare)
    if word.startswith("'") and bare in CLIPPED:
        return "'" + bare
    return word if word.endswith("in'") and drops_g(word) else bare
