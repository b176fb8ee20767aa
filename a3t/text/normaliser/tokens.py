"""Written text to tokens: plain letters, where it is split, and what is read as one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from a3t.errors import InputError
from a3t.text.normaliser.context import is_figure, is_whole
from a3t.text.normaliser.figures import AMOUNT
from a3t.text.normaliser.numbers import CURRENCY_SIGNS, MONTHS, VULGAR
from a3t.text.normaliser.unspoken import NO_NAMES, unspoken
from a3t.text.normaliser.vocabulary import CURRENCY_CODES, SAID, WORDS
from a3t.text.pronunciation.lexicon import in_lexicon

# --- plain letters --------------------------------------------------------------------------------

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
# "Chapter One", "The Return of the King", "PART II": a line's words in capitals, and no full stop.
_CAPITAL = r"(?:[A-Z\d][\w'’&-]{0,20}|a|an|the|of|in|on|at|to|and|or|for|from|with|by)"
_TITLE = re.compile(rf"{_CAPITAL}(?:[,:]? {_CAPITAL}){{0,7}}")
_ENDLESS = re.compile(rf"[^\W\d_]{{{LONGEST_TOKEN},}}")
_NAMED = frozenset(
    [
        *MONTHS,
        *SAID["month_abbreviations"],
        *SAID["weekdays"],
        *SAID["weekdays"].values(),
        "a",
        "z",
    ]
)
_ENDS_IN_FIGURE = re.compile(r"\d(?:[%°]|°[CF]|['’]?s|k|m|bn|st|nd|rd|th|[ap]m)?$", re.IGNORECASE)
_HALF_OF_DAY = re.compile(r"(?:^|\d)[ap]\.m\.$", re.IGNORECASE)
_MOST = 7  # tokens that are read as one


def plain_letters(piece: str) -> str:
    """Reduce to Latin letters without accents, Western figures, plain quotes.

    Raises InputError, naming the script, for letters of another one.
    """
    if piece.isascii():
        return piece
    piece = re.sub("[⁰¹²³⁴-⁹⁻]+", lambda raised: "^" + raised[0].translate(_RAISED), piece)
    plain: list[str] = []
    for sign in piece.translate(_SAME):
        if sign.isascii() or sign in VULGAR or sign in SAID["symbols"] or sign in "…—–‰":
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
            elif part in SAID["symbols"]:
                plain.append(part)
    return "".join(plain).strip("\0").replace("\0", "-")


def is_picture(sign: str) -> bool:
    """Return whether a sign is an emoji or another picture that no rule has words for."""
    pictures = sign > "\u2190" and unicodedata.category(sign) in ("So", "Sm", "Sc", "Cs")
    return pictures and sign not in SAID["symbols"] and sign not in VULGAR


def _latin(letter: str, piece: str) -> str:
    script, *_, name = unicodedata.name(letter, "UNKNOWN LETTER").split()
    if script == "LATIN":
        small = SAID["letters"].get(letter.lower(), "")
        return small.upper() if letter.isupper() else small
    if script == "GREEK" and not re.search(r"[\u0370-\u03ff]{2}", piece):
        if letter in "μΩ":
            return letter  # perhaps in a unit
        return f"\0{name.lower()}\0"  # a sign in a formula: its name, apart from what is beside it
    if script in ("MODIFIER", "FEMININE", "MASCULINE"):
        return ""
    script = SAID["script_names"].get(script, script.capitalize())
    raise InputError(
        f"The text has {script} letters ({shown(piece)}) and only English can be spoken: "
        "write it in Latin letters."
    )


def shown(text: str, length: int = 24) -> str:
    """Quote a piece of the user's text for a message, not too long."""
    text = " ".join(text.split())
    return f"“{text[:length]}…”" if len(text) > length else f"“{text}”"


def too_long(word: str) -> InputError:
    """Return the refusal of a word that has more letters than any that can be spoken."""
    return InputError(
        f"The word {shown(word)} has {len(word)} letters (the limit is {MAX_WORD_LETTERS}): "
        f"correct it or put spaces in it."
    )


# --- tokens ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Written:
    """A token taken apart: `lead` and `trail` are punctuation, `core` is what can be said."""

    written: str
    lead: str
    core: str
    trail: str
    unreadable: InputError | None = None  # why a token that has letters can't be said
    ends_paragraph: bool = False

    @property
    def pauses(self) -> bool:
        """True if its punctuation, or a paragraph's end, makes a speaker pause after it."""
        signs = any(sign in PAUSES for sign in self.trail) or "--" in self.trail
        return signs or self.ends_paragraph

    @property
    def grade(self) -> bool:
        """A- is a grade, not an A with a dash."""
        return self.core in tuple("ABCDF") and self.trail.rstrip(".,;:!?\"')") == "-"

    @property
    def clipped(self) -> str:
        """The core with an apostrophe that belongs to it ('tis, '80s, goin'); "" if none does."""
        key = self.core.lower()
        if self.lead.endswith("'") and (key in WORDS["clipped"] or re.fullmatch(r"\d\d'?s?", key)):
            return "'" + self.core
        return self.core + "'" if self.trail.startswith("'") and drops_g(key + "'") else ""


NOTHING = Written("", "", "", "")


def drops_g(word: str) -> bool:
    """Return whether a word in -in' is one in -ing ("fishin'"), not a quotation's end."""
    core, stem = word[:-1], word[:-3]
    if not word.endswith("in'") or not in_lexicon(core + "g") or len(stem) < 2:
        return False
    return in_lexicon(word) or not in_lexicon(core)


def tokens_of(text: str, names: Mapping[str, bool] = NO_NAMES) -> list[Written]:
    """Return the written tokens of a text; what isn't speech is one with an empty core."""
    tokens: list[Written] = []
    start, ended = 0, False
    for first, last in [*unspoken(text, names), (len(text), len(text))]:
        for k, paragraph in enumerate(_paragraphs(text[start:first])):
            ended = ended or (k > 0 and bool(tokens))
            pieces = [_readable(piece) for piece in _split(paragraph)]
            if ended and pieces:
                tokens[-1] = replace(tokens[-1], ends_paragraph=True)
                ended = False
            tokens += pieces
        if aside := " ".join(text[first:last].split()):
            tokens.append(Written(aside, "", "", ""))
        start = last
    return _with_primes(tokens)


def _paragraphs(text: str) -> list[str]:
    """Return the text's paragraphs; a title above a paragraph is one of its own."""
    paragraphs: list[list[str]] = [[]]
    for line in text.split("\n"):
        alone = paragraphs[-1][0].strip() if len(paragraphs[-1]) == 1 else ""
        if not line.strip() or (alone and line[:1].isupper() and _TITLE.fullmatch(alone)):
            paragraphs.append([])
        paragraphs[-1].append(line)
    return [" ".join(lines) for lines in paragraphs]


def _readable(piece: str) -> Written:
    if letters := _ENDLESS.search(piece):
        return Written(piece, "", "", "", too_long(letters[0]))
    try:
        return take_apart(piece)
    except InputError as error:
        return Written(piece, "", "", "", error)


def _split(text: str) -> Iterator[str]:
    """Part a text by white space, and where a dash or a full stop lacks one."""
    for token in text.split():
        if _ENDLESS.search(token):
            yield token  # nobody can say it, so nothing else is done with it
            continue
        if re.fullmatch(r"[\w.+–-]{1,60}@[\w.–-]{3,60}\W{0,3}", token):
            token = token.replace("–", "-")  # a word processor's dash
        for piece in _cut(token):
            yield from _JOINTS.sub(_with_space, piece).split()


def _cut(token: str) -> Iterator[str]:
    """Yield a token in pieces of at most LONGEST_TOKEN characters, cut after signs if possible."""
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
    named = before.rstrip(".").lower() in _NAMED and after.rstrip(".").lower() in _NAMED
    figures = _ENDS_IN_FIGURE.search(before) and re.match(r"['’]?\d|[$£€¥₹₩₽₪₱₺]", after)
    return joint[0] if named or figures else joint[0] + " "


def take_apart(piece: str) -> Written:
    """Take punctuation off both ends; raise InputError for letters of another script."""
    plain = re.sub(r"\.{2,}", "…", plain_letters(piece))
    core = plain.lstrip(_OPENING)
    lead = plain[: len(plain) - len(core)]
    first = lead[-1:]
    alone = not lead[:-1].strip("\"'([")
    amount = core[:1].isdigit() or core[:1] in CURRENCY_SIGNS
    belongs = (
        (amount and (first in (".", "-", "–") or (first in ("<", ">") and ">" not in core)))
        or (
            first == "." and core.rstrip(_CLOSING).lower() in WORDS["extensions"] | WORDS["domains"]
        )
        or (first == "-" and re.match(r"[A-Z]{1,2}[$]", core))
    )
    if alone and belongs:  # the last sign is no punctuation: -5, .pdf, -US$5
        lead, core = lead[:-1], first.replace("–", "-") + core
    bare = core.rstrip(_CLOSING)
    return Written(piece, lead, bare, core[len(bare) :])


def _with_primes(tokens: list[Written]) -> list[Written]:
    """Give the mark that closes a token and means feet or inches (6', 12") to its core.

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


# --- tokens that are read as one ------------------------------------------------------------------


def token_at(tokens: Sequence[Written], index: int) -> Written:
    """Return the token at an index, or NOTHING beyond the ends."""
    return tokens[index] if 0 <= index < len(tokens) else NOTHING


def merged(tokens: Sequence[Written], index: int) -> tuple[str, int]:
    """Return (core, tokens used) for the token at `index` and those that are read with it."""
    token, after = tokens[index], token_at(tokens, index + 1)
    core = _as_english(token.core)
    if (not token.trail or core in ("U.S", "Rs")) and (found := _amount(core, after)):
        country = core[:1].isupper() and not after.trail  # "US $20 million"
        scale = _amount(found, token_at(tokens, index + 2)) if country else ""
        return (scale, 3) if scale else (found, 2)
    if re.fullmatch(r"\d'", core) and not token.trail and re.fullmatch(r"\d\d?\"?", after.core):
        return core + after.core.rstrip('"'), 2
    ending = after.core in ("st", "nd", "rd", "th", "ND", "RD", "TH") and not after.lead
    if core.isdigit() and ending and not token.trail:
        return core + after.core, 2  # 12 th
    return (core, 1) if core != token.core else _grouped_figures(tokens, index)


def _as_english(core: str) -> str:
    """Rewrite a continental number or amount as an English one.

    €1.050,00 -> €1,050.00; €3,50 -> €3.50; 10.000.000 and 10'000'000 -> 10,000,000.
    """
    sign = f"[{''.join(CURRENCY_SIGNS)}]?"
    if re.fullmatch(rf"{sign}\d{{1,3}}(?:'\d{{3}})+(?:\.\d\d)?{sign}", core):
        return core.replace("'", ",")
    parts = re.fullmatch(rf"({sign})(\d{{1,3}}(?:\.\d{{3}})*|\d+)(?:,(\d\d))?({sign})", core)
    if parts is None:
        return core
    first, whole, decimals, last = parts.groups()
    groups = whole.split(".")
    address = len(groups) == 4 and max(map(int, groups)) < 256
    millions = len(groups) > 2 and not address
    if not millions and not (decimals and (len(groups) > 1 or (first + last and whole != "0"))):
        return core  # $1.050 is an English decimal
    return first + whole.replace(".", ",") + (f".{decimals}" if decimals else "") + last


def _amount(core: str, after: Written) -> str:
    """Return an amount of money with what belongs to it in the next token; "" if there is none."""
    if after.lead:
        return ""
    scale = after.core.lower()
    if scale in SAID["scales"] and re.fullmatch(AMOUNT, core, re.IGNORECASE):
        return core + scale
    if core.replace(".", "") in ("US", "CA", "AU", "NZ", "HK") and after.core.startswith("$"):
        return core.replace(".", "") + after.core
    if core in CURRENCY_SIGNS and is_figure(after.core):
        return core + after.core
    if after.core in CURRENCY_SIGNS and is_whole(core.replace(",", "").replace(".", "")):
        return core + after.core
    if core in CURRENCY_CODES and is_figure(after.core):
        return after.core + core  # "CHF 20" is read as "20 CHF"
    return ""


def _grouped_figures(tokens: Sequence[Written], index: int) -> tuple[str, int]:
    """Join telephone and card numbers, and thousands, whose groups stand apart."""
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
    million = len(core) < 3 and len(parts) > 2
    if ("000" in parts[1:] or million) and set(sizes[1:]) == {3} and core[0] not in "0+":
        return ",".join(parts), len(parts)
    digits = "".join(parts).lstrip("+").replace("-", "")
    if len(parts) > 1 and (international or core[0] == "0") and 7 <= len(digits) <= 15:
        return "-".join(parts), len(parts)
    return core, 1


def is_house_number(tokens: Sequence[Written], index: int) -> bool:
    """Return whether a street's name follows: "1600 Pennsylvania Ave."."""
    for ahead in range(1, 5):
        token = token_at(tokens, index + ahead)
        word = token.core.lower()
        if ahead > 1 and (
            word in WORDS["streets"] or SAID["after_names"].get(word) in WORDS["streets"]
        ):
            return True
        if not token.core[:1].isupper() and not re.match(r"\d", token.core):
            return False
        if any(sign in token.trail for sign in ",;:!?"):
            return False
    return False
