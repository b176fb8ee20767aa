"""Written English to spoken words, keeping which written token each word comes from."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from a3t.errors import InputError
from a3t.text.normaliser import figures, letters, numbers
from a3t.text.normaliser.context import Context, Rule, is_figure, is_whole
from a3t.text.normaliser.letters import expand
from a3t.text.normaliser.numbers import said
from a3t.text.normaliser.tokens import (
    MAX_WORD_LETTERS,
    NOTHING,
    PAUSES,
    Written,
    drops_g,
    is_house_number,
    is_picture,
    merged,
    shown,
    token_at,
    tokens_of,
    too_long,
)
from a3t.text.normaliser.unspoken import names_of_lines, speaker_names
from a3t.text.normaliser.vocabulary import OWN_FORMS, SAID, WORDS
from a3t.text.pronunciation.lexicon import in_lexicon

_FAR = 12  # tokens
_TERM = r"\d+[abknpqrtxyz]|[bknpqrtxyz]"  # of a sum, with a letter that is no unit
_SENTENCE_ENDERS = frozenset("etc inc ltd co corp jr sr bros a.m p.m am pm ave st rd blvd".split())
_DIGITS, _LETTERS = string.digits, string.ascii_letters
_GREEK_LEFT = {"μ": "mu", "Ω": "omega"}
_PART = re.compile(
    rf"[A-Za-z]+(?:'[A-Za-z]+)*'?|'?(?:[0-9]{{2}}|[0-9]{{3}}0)s\b|{figures.NUMBER}|[^A-Za-z0-9'\s]"
)
_END_OF_RANGE = r"\d[\d.,:]*(?:%|°[CF]?|[ap]\.?m\.?|'?s|st|nd|rd|th|k|m|bn|x)?"


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
        """Return a text's own conventions."""
        lettered = (1 for token in text.split() if any(map(str.isalpha, token)))
        means = any(map(str.islower, text)) or sum(lettered) < 2
        return cls(means, names_of_lines(text))


def normalise(text: str, conventions: Conventions | None = None) -> list[SpokenToken]:
    """Return the spoken words of a text, token by token; at least one word.

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
    """Return what says something in a text but isn't spoken: "[Music]", foreign words, emoji."""
    return [
        written
        for token in _read(tokens_of(text), True)
        for written in ([*filter(is_picture, token.written)] if token.words else [token.written])
        if any(map(str.isalnum, written)) or any(map(is_picture, written))
    ]


def choices(text: str) -> list[str]:
    """Return the choices by neighbouring words that rules alone would not make: "4/5 as a date"."""
    made: list[str] = []
    _read(tokens_of(text), True, made)
    return made


def unreadable(text: str) -> list[tuple[str, InputError]]:
    """Return the words of a text that can't be spoken, each with the reason."""
    if text.isascii() and all(len(token) <= MAX_WORD_LETTERS for token in text.split()):
        return []
    return [
        (token.written, token.refusal) for token in _read(tokens_of(text), True) if token.refusal
    ]


def _read(
    tokens: Sequence[Written], capitals_mean: bool, made: list[str] | None = None
) -> list[SpokenToken]:
    """Return each token, or tokens that are read as one, with its words: none if it says nothing.

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
    """Join tokens that say nothing to the one before, or at the start to the one after.

    Names of who speaks (as written -> the name) are joined to the one after too.
    """
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
    """Return (tokens used, words, pause after) for the token at `index`."""
    token = tokens[index]
    before_that, before = token_at(tokens, index - 2), token_at(tokens, index - 1)
    core, used = merged(tokens, index)
    compass = core.lower() in SAID["compass"] and is_figure(before.core)
    after, last = token_at(tokens, index + used), tokens[index + used - 1]
    if not core or core in ("#", "/"):
        return 1, _sign_alone(tokens, index), _pause_alone(token)
    full_stop = last.trail.startswith(".")
    figure = core == "M" or any(map(str.isdigit, core))
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
        around=_around(tokens, index) if figure else frozenset(),
        choices=[] if made is None else made,
    )
    if last.trail == "!" and used == 1 and _is_factorial(core, after.core):
        return 1, (*verbalise(core, near).split(), "factorial"), False
    if token.grade:
        return used, (core.lower(), "minus"), last.pauses
    words = expand(core, full_stop, near)
    if last.trail == "-" and is_figure(core) and near.equals_follows:
        return used, (*verbalise(core, near).split(), "minus"), False  # 1- 2 = 5
    pauses = last.pauses
    if full_stop and used == 1 and (words or _dotted(core)):
        # An abbreviation's own full stop ends a sentence only where one can begin.
        title = words == SAID["titles"].get(core.lower())
        begins = after.core[:1].isupper() and core.lower() in _SENTENCE_ENDERS and not title
        pauses = after is NOTHING or begins or near.pause_after
    spoken = map(_finish, (words or verbalise(token.clipped or core, near)).split())
    parts = (part for word in spoken for part in SAID["also_bare"].get(word, word).split())
    return used, tuple(parts), pauses


def _around(tokens: Sequence[Written], index: int) -> frozenset[str]:
    """Return the words within _FAR tokens of a figure."""
    beside = tokens[max(0, index - _FAR) : index + _FAR + 1]
    return frozenset(token.core.lower() for token in beside)


def _is_factorial(core: str, after: str) -> bool:
    """Return whether a token is n!, or 5! where the sentence goes on."""
    if re.fullmatch("[b-hj-np-z]", core):
        return True
    return core.isdigit() and (after in ("=", "+", "×", "*", "/", "÷") or after[:1].islower())


def _sign_alone(tokens: Sequence[Written], index: int) -> tuple[str, ...]:
    """Read a token of signs only: mostly as nothing, but "7 - 3 = 4", "x < 5", "2 * 3"."""
    sign = tokens[index].written
    before, after = token_at(tokens, index - 1), token_at(tokens, index + 1)
    ends = (before.core, after.core)
    figures = all(is_figure(end) for end in ends) and not before.trail
    sum_follows = any(token_at(tokens, index + ahead).core == "=" for ahead in range(2, 6))
    terms = [re.fullmatch(_TERM, end) is not None for end in ends]
    in_sum = all(term or is_figure(end) for term, end in zip(terms, ends, strict=True))
    if sign in "-–−" and in_sum and not before.trail:  # 2a - b, 5 - 3 = 2, but 5 – 3
        return ("minus",) if sum_follows or any(terms) else ("to",)
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
    return tuple(SAID["symbols"][sign].split()) if sign in ("<", ">") and single else ()


def _pause_alone(token: Written) -> bool:
    dash = bool(token.lead) and not token.lead.strip("-–—")
    return dash or token.ends_paragraph or any(sign in PAUSES for sign in token.lead)


def _dotted(core: str) -> bool:
    """Return whether a token is an initial ("J.") or letters with full stops ("U.S.")."""
    return bool(re.fullmatch(r"[A-HJ-Z]|(?:[A-Za-z]\.)+[A-Za-z]", core))


def _finish(word: str) -> str:
    """Take quotation marks off; apostrophes that are part of a word stay."""
    bare = word.strip("'")
    if len(bare) > MAX_WORD_LETTERS:
        raise too_long(bare)
    if word.startswith("'") and bare in WORDS["clipped"]:
        return "'" + bare
    return word if word.endswith("in'") and drops_g(word) else bare


# --- one token ------------------------------------------------------------------------------------


def verbalise(core: str, context: Context) -> str:
    """Return the spoken words of a token without its outer punctuation; "" if it says nothing."""
    if core in SAID["symbols"]:
        return SAID["symbols"][core]
    word = core.isascii() and core.isalpha() and core.islower()
    for pattern, rule in _RULES_OF_WORDS if word else _RULES:
        if (match := pattern.fullmatch(core)) and (words := rule(match, context)):
            return words
    return _pieces(core, context)


def _handle(match: re.Match[str], context: Context) -> str:
    sign, name = match[1], match[2]
    if sign == "@":
        return said("at", _pieces(name, context))
    if re.fullmatch("[0-9]+[A-Za-z]?", name):
        return said("number", numbers.plain(name.rstrip(_LETTERS)), name.lstrip(_DIGITS).lower())
    return said("hashtag", _pieces(re.sub("(?<=[a-z])(?=[A-Z])", "_", name), context))


def _range(match: re.Match[str], context: Context) -> str:
    first, last = match[1], match[2]
    if re.fullmatch("[0-9]{4}", first) and re.fullmatch("[0-9]{2}", last):
        return f"{numbers.year(first)} to {numbers.spoken_year(last)}"
    begin, end = verbalise(first, context), verbalise(last, context)
    if (first == last and len(first) > 1) or (first, last) == ("10", "4"):  # fifty fifty, ten four
        return said(begin, end)
    wickets = context.around & WORDS["cricket"] and is_whole(last) and len(last) == 1
    if wickets and is_whole(first) and int(first) > 20:  # 350-7: runs for wickets
        return f"{begin} for {end}"
    # 3-5 March: the third to the fifth of march
    return said(begin.removesuffix(" of"), "to", end)


def _either(match: re.Match[str], context: Context) -> str:
    """Read 48kHz/24-bit: one beside the other."""
    return said(*(verbalise(part, context.inside) for part in match.groups()))


def _possessive(match: re.Match[str], context: Context) -> str:
    words = verbalise(match[1], context)
    last = words.rpartition(" ")[2]
    sibilant = not words or (last.endswith("s") and len(last) > 1)
    return "" if sibilant else f"{words}'s"


def _power(match: re.Match[str], context: Context) -> str:
    base = verbalise(match[1], context)
    if match[1].isalpha() and len(match[1]) > 2:
        return base  # a footnote's mark
    return f"{base} {numbers.power(int(match[2]))}" if base else ""


def _pieces(core: str, context: Context) -> str:
    """Read a compound: each run of letters or of figures on its own, signs between named."""
    if "-" in core.strip("-") and any(sign.isdigit() for sign in core):
        sides = filter(None, re.split("-+", core))
        return said(*(_side(side, context.inside) for side in sides))
    parts = _PART.findall(core)
    if len(parts) == 1 and parts[0][0].isalpha() and parts[0].isascii():
        return _letters(core if core.strip("'") == parts[0].strip("'") else parts[0], context)
    words: list[str] = []
    for before, part, after in zip(["", *parts], parts, [*parts[1:], ""], strict=False):
        if part[0].isascii() and part[0].isalnum():
            words.append(_piece(part, before, after, context))
        elif part[0] in "'." and len(part) > 1:
            words.append(verbalise(part, context.inside))
        elif part in numbers.VULGAR:
            words.append(numbers.fraction(*numbers.VULGAR[part]))
        else:
            words.append(_GREEK_LEFT.get(part) or _sign(part, before, after))
    return said(*words)


def _side(side: str, context: Context) -> str:
    """Say a part of a code, whose few capitals are letters: AB-1234."""
    initials = side.isalpha() and side.isupper() and len(side) < 4 and context.capitals_mean
    return " ".join(side.lower()) if initials else verbalise(side, context)


def _piece(part: str, before: str, after: str, context: Context) -> str:
    """Say a run of letters or figures inside a token."""
    beside_figures = before[-1:].isdigit() or after[:1].isdigit()
    if part.isalpha() and beside_figures and len(part) <= 3:
        capitals = part.isupper() and len(part) == 2 and context.capitals_mean
        if capitals or part.lower() in ("mp", "co", "pm") or not in_lexicon(part.lower()):
            return " ".join(part.lower())
    return verbalise(part, context.inside)


def _sign(sign: str, before: str, after: str) -> str:
    figure_after, figure_before = after[:1].isdigit(), before[-1:].isdigit()
    if sign == "*":
        return "times" if figure_before and figure_after else ""
    if sign in WORDS["before_figures"]:
        single = len(before) == 1 and len(after) == 1 and sign in "<>≤≥≠≈"
        return SAID["symbols"][sign] if figure_after or single else ""
    if sign == "^":
        return "to the"
    if sign in "&+=×@%°÷→∞♭♯♮♩" and (before or after):
        return SAID["symbols"][sign]
    return numbers.CURRENCIES[sign][1] if sign in numbers.CURRENCIES else ""


def _letters(text: str, context: Context) -> str:
    word = re.sub(r"'+", "'", text.lower())
    if not in_lexicon(word) and text in OWN_FORMS:
        return verbalise(OWN_FORMS[text], context)  # mrna
    camel = re.findall(r"(?:Mr|Dr|Ms)(?=[A-Z])|[A-Z]?[a-z]{2,}|[A-Z]+(?![a-z])", text)
    if len(camel) > 1 and "".join(camel) == text and context.capitals_mean and not in_lexicon(word):
        return said(*(verbalise(part, context) for part in camel))
    return word if word.strip("'") else ""


class _Part(str):
    """A part of a token in a pattern: {1} in small letters, {2:cardinal} as `numbers` says figures.

    {3:to cardinal} has a word before it; a part that is missing says nothing.
    """

    def __format__(self, how: str) -> str:
        if not self:
            return ""
        *before, name = how.split() or [""]
        in_letters = not name or (self.isalpha() and name != "letters")
        return said(*before, self.lower() if in_letters else getattr(numbers, name)(self))


def _said(pattern: str, after: str = "") -> Rule:
    """Make a rule that says a token's parts in a pattern, only ``after`` the words of this list."""

    def rule(match: re.Match[str], context: Context) -> str:
        if after and context.before.lower() not in WORDS[after]:
            return ""
        return said(*pattern.format(match[0], *map(_Part, match.groups(""))).split())

    return rule


# Those that are compiled tell capitals from small letters.
_PATTERNS: tuple[tuple[str | re.Pattern[str], Rule], ...] = (
    (r"[\w.+-]+@[\w-]+(\.[\w-]+)+(/\S*)?", letters.address),
    (r"([a-z]+://|www\.)\S+|[a-z][\w-]*(\.[\w-]+)*\.[a-z]{2,4}(/\S*)?", letters.address),
    (r"([\w-]*)\.([a-z]{2,4}[34]?)", letters.file_name),
    (r"[a-z][\w-]*(\.[\w-]+)*\.[a-z]{3,12}(/\S*)?", letters.unknown_ending),
    (r"([ru])/(\w{2,30})", letters.forum),
    (r"(\d{1,3}(?:\.\d{1,3}){3}|localhost):(\d{1,5})", letters.with_port),
    (
        r"(\d{1,3}):(\d{1,3})(?:[-–](\d{1,3}))?",
        _said("{1:cardinal} {2:cardinal} {3:to cardinal}", after="bible"),
    ),
    (r"([@#])(\w+)", _handle),
    (figures.MONEY, figures.money),
    (figures.AMOUNT_FIRST, figures.amount_first),
    (re.compile(figures.CODED), figures.currency_code),
    (r"(\d{1,2}):(\d\d)(?::(\d\d))?([ap]\.?m\.?)?", figures.clock),
    (r"(?:(\d+)h)?(?:(\d+)m(?:in)?)?(?:(\d+)s)?", figures.length),
    (
        r"(\d{1,2})\.(\d{1,2})(?:\.(\d{1,3}))?",
        _said("{1:cardinal} {2:cardinal} {3:cardinal}", after="plays"),
    ),
    (r"(v?)(\d+(?:\.\d+)+)", letters.version),
    (r"(\d{1,2})\.(\d\d)([ap]\.?m\.?)?", figures.dotted_clock),
    (r"(\d+):(\d+)", _said("{1:cardinal} to {2:cardinal}")),
    (r"(\d{1,2})([ap])\.?m\.?", _said("{1:cardinal} {2} m")),
    (r"([ap])\.?m\.?", figures.half_of_day),
    (r"(?P<year>\d{4})[-/.](?P<month>\d\d)[-/.](?P<day>\d\d)", figures.date),
    (r"(?P<month>\d\d?)/(?P<day>\d\d?)/(?P<year>\d{4}|\d\d)", figures.date),
    (r"(?P<month>\d\d?)-(?P<day>\d\d?)-(?P<year>\d{4})", figures.date),
    (r"(?:(\d\d?)-)?([a-z]{3,9})-(?:(\d\d?)(?:-(\d{4}))?|(\d{4}))", figures.named_date),
    (r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})", figures.date),
    (
        r"\d{3}-\d{4}|\+\d[\d-]{6,}|\+\d{1,3}\(\d{1,4}\)?[\d-]*|\d{1,5}(-\d{1,6}){2,}|\d{3}\.\d{3}\.\d{4}"
        r"|\d{3}\)-?\d{3}[-.]?\d{4}",
        letters.telephone,
    ),
    (r"\d{1,3}(\.\d{1,3}){3}", letters.ip_address),
    (r"40([138])\(?([a-dk])\)?", _said("four o {1:cardinal} {2}")),  # American laws
    (r"501\(?(c)\)?(?:\(?(\d)\)?)?", _said("five o one {1} {2:cardinal}")),
    (r"(457)\(?([bf])\)?", _said("{1:pairs} {2}")),
    (rf"(?=.*=)-?(?:{figures.NUMBER})(?:[-+*x×/÷=]-?(?:{figures.NUMBER}))+", figures.calculation),
    (rf"({figures.NUMBER})-({figures.NUMBER})", figures.subtraction),
    (r"(\d{1,3})[-–](\d{1,3})", _said("{1:cardinal} {2:cardinal}", after="numbered_in_parts")),
    (r"\d{3}", letters.area_code),
    (r"\d{3,6}", letters.number_by_name),
    (r"(\d{1,2}(?:\.\d)?)/(10|5|100)", figures.rating),
    (rf"({figures.NUMBER})/([a-zμ]{{1,5}})", figures.per_unit),
    (r"(\d+-)?(\d{1,3})/(\d{1,4})(ths?|rds?|nds?|sts?)?", figures.fraction),
    (re.compile(rf"([0-9]*)([{''.join(numbers.VULGAR)}])"), figures.vulgar),
    (r"(\d[\d,]*)(?:st|nd|rd|th)", figures.ordinal),
    (r"(10|1,?00|1,?000|1?0,?000|1?00,?000|1,?000,?000)s", figures.many),
    (r"'?(\d{2}|\d{3}0)'?s[-–]'?(\d{2}|\d{3}0)'?s", _said("{1:decade} to {2:decade}")),
    (r"'?(\d{2}|\d{3}0)'?s", _said("{1:decade}")),
    (r"'(\d\d)", _said("{1:spoken_year}")),
    (r"(\d+(?:\.\d+)?)(['\"])", figures.primes),
    (r"(\d)'(\d{1,2})[\"']*", _said("{1:cardinal} foot {2:cardinal}")),
    (rf"-?(?:{figures.NUMBER})|\d+(?:\.\d+)+", figures.number),
    (r"802\.(\d\d?)([a-z]{0,2})", _said("eight oh two point {1:cardinal} {2:letters}")),
    (r"(7\d7)-([1-9]\d\d)", _said("{1:pairs} {2:cardinal}")),
    (r"([a-z]{1,2})-([1-9]\d\d)", _said("{1:letters} {2:pairs}")),
    (rf"({_END_OF_RANGE})[-–]({_END_OF_RANGE})", _range),
    (r"([a-z]{1,9})\.?[-–]([a-z]{1,9})", figures.named_range),
    (re.compile(r"([fghFGHP])\(([a-z]|\d+)\)?"), _said("{1} of {2:plain}")),
    (r"(\d\d)ers", figures.of_year),
    (re.compile(r"\^(\d{1,3})([A-Z][a-z]?)"), figures.isotope),
    (r"(\d+)x(\d+)(?:x(\d+))?", _said("{1:plain} by {2:plain} {3:by plain}")),
    (r"\d+x\d+s|7\d7s|[a-z]{1,2}-\d{1,3}s", letters.plural),
    (r"(\d\d|\d{3,4})([Hp])(\d\d?)", _said("{1:pairs} {2} {3:cardinal}")),
    (r"([a-z]{1,3})(\d{3,8})([a-z]{0,4})", letters.code),
    (r"(\d{3})([A-F])", _said("{1:pairs} {2}")),
    (
        re.compile(rf"(-?(?:{figures.NUMBER})(?:[-–](?:{figures.NUMBER}))?)(-?)({figures.UNIT})"),
        figures.quantity,
    ),
    (re.compile(figures.UNIT), figures.unit),
    (r"(\d[\w.]*[a-z][\w.]*)/([\w.-]+)", _either),
    (re.compile(rf"({letters.ROMAN})('s)?"), letters.roman),
    (re.compile(r"(x{0,3}(?:ix|iv|v?i{0,3}))()"), letters.roman),
    (r"(.+)\^(-?\d{1,3})", _power),
    (re.compile(r"([A-G])#"), _said("{1} sharp")),
    (r"(?:[a-z]\.)+[a-z]\.?", letters.dotted),
    (re.compile(r"([A-Z]{1,3})&([A-Z]{1,3})('?s)?"), letters.joined_initials),
    (r"([a-z]{3,})(?:-'?n'?-|'n')([a-z]{3,})", _said("{1} 'n {2}")),
    (r"(.*\d.*|(?:[a-z]\.)+)'s", _possessive),
    (re.compile(r"([a-z])([A-Z]{2,})"), letters.mixed),
    (re.compile(r"([A-Z])o([A-Z])"), _said("{1} o {2}")),
    (re.compile(r"([A-Z])s"), letters.several),
    (re.compile(r"(?:[A-Z][a-z]?){2,4}"), letters.formula),
    (re.compile(r"([A-Z]{2,})((?:'?s)?)"), letters.capitals),
)
_RULES = tuple(
    (re.compile(each, re.IGNORECASE | re.ASCII) if isinstance(each, str) else each, rule)
    for each, rule in _PATTERNS
)
_RULES_OF_WORDS = tuple(
    each for each in _RULES if each[1] in (figures.half_of_day, figures.unit, letters.roman)
)
