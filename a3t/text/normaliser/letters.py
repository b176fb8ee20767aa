"""Rules for letters, and figures among them: abbreviations, initials, codes, addresses."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import (
    Context,
    is_day,
    is_figure,
    is_function_word,
    is_one,
    is_whole,
    is_year,
    month_named,
)
from a3t.text.normaliser.numbers import said
from a3t.text.normaliser.vocabulary import DOTTED_UNITS, SAID, UNITS, WORDS
from a3t.text.pronunciation.letter_to_sound import spell_out
from a3t.text.pronunciation.lexicon import in_lexicon, lookup
from alignment.arpabet import strip_stress

ROMAN = r"(?=[IVXLC])C{0,3}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_SAYABLE = re.compile(
    r"(?:[bcfgps]l|[bcdfgpt]r|s[ckmnptw]|[cst]h|[^aeiouy])?([aeiouy][^aeiouy]{1,2})+[aeiouy]?"
)
_NATO = re.compile("([bcdfghjklmnprstvwz][aeiou]){2}")
# The same where capitals say nothing: Zau and Mei are names too.
_SAID = re.compile(r"[^aeiouy]?([aeiouy]{1,2}[^aeiouy]{1,2})+[aeiouy]{0,2}|[^aeiouy][aeiouy]{2}")
_SHORT = ("titles", "abbreviations", "also_bare")  # kinds of what stands for another word
# Capitals that are as often something else: an IV drip, XL and XXL.
_OTHERWISE = frozenset("IV VI XI XX XXX XL XXL".split())

# --- abbreviations --------------------------------------------------------------------------------


def expand(core: str, full_stop: bool, near: Context) -> str:
    """Return the words for an abbreviation ("Dr" before a name -> doctor); "" if it isn't one here.

    `full_stop` says that one follows the core.
    """
    key = core.lower()
    if not near.capitals_mean:
        return _in_capitals(key, full_stop)
    found = (
        book_of_bible(core, near)
        or _before_figure(core, key, full_stop, near)
        or _month_or_day(core, key, full_stop, near)
        or _unit(core, full_stop, near)
        or _with_name(core, key, full_stop, near)
        or _state(core, near)
    )
    capital = core[:1].isupper()
    if not found and full_stop and not near.before + near.after and key in WORDS["after_comma"]:
        return SAID["after_names"][key]
    if not found and (full_stop or "." in key) and not (capital and key in WORDS["small_only"]):
        found = SAID["abbreviations"].get(key) or (SAID["titles"].get(key, "") if capital else "")
    return found or SAID["also_bare"].get(key, "")


def _in_capitals(key: str, full_stop: bool) -> str:
    """Read a text all in capitals, where neither names nor small letters tell anything."""
    found = SAID["also_bare"].get(key, "")
    if full_stop and not found and key not in ("st", "ste", "lt"):
        found = SAID["titles"].get(key, "")
    return found


def _with_name(core: str, key: str, full_stop: bool, near: Context) -> str:
    if not core[:1].isupper():
        if re.fullmatch(r"\d+(st|nd|rd|th)", near.before) and key in SAID["after_names"]:
            return SAID["after_names"][key]  # 12 S 1st st
        # "Roe v. Wade"
        return "versus" if key == "v" and full_stop and near.before[:1].isupper() else ""
    company = key == "co" and near.before.lower() in ("&", "and") and full_stop
    after_name = near.after_name or company or near.before[-2:] in ("st", "nd", "rd", "th")
    if near.pause_before and key in WORDS["after_comma"] and near.before[:1].isupper():
        after_name = True
    street = SAID["after_names"].get(key, "")
    numbered = is_figure(near.before_that)  # 12 Oak Ct
    if street and key in WORDS["names_only_dotted"] and not full_stop and not numbered:
        street = ""
    if after_name and street and (key not in SAID["titles"] or not near.name_follows):
        return street
    if key in SAID["compass"] and near.street_follows:
        return SAID["compass"][key]
    if near.name_follows:
        if key in SAID["compass"] and full_stop:
            numbered = is_figure(near.before) or near.after.lower() in WORDS["with_compass"]
            return SAID["compass"][key] if numbered else ""
        dotted = SAID["dotted_titles"].get(key, "") if full_stop else ""
        return SAID["titles"].get(key, "") or dotted
    with_title = near.after.lower() in ("and", "&") and not near.pause_after
    return SAID["titles"].get(key, "") if with_title and key in ("dr", "ms", "prof") else ""


def _before_figure(core: str, key: str, full_stop: bool, near: Context) -> str:
    if not is_figure(near.after) or near.pause_after:
        return ""
    if core == "No" and near.before and not near.pause_before:
        return "number"  # "at No 10"
    if key == "est" and not is_year(near.after):
        return "estimated"
    if key in ("v", "c", "st", "p", "art") and core[:1].isupper():
        return ""
    bare = core.title() in ("Apt", "Ste", "Ep", "Eps") and core[:1].isupper()
    return SAID["before_numbers"].get(key, "") if full_stop or bare else ""


def _month_or_day(core: str, key: str, full_stop: bool, near: Context) -> str:
    month = SAID["month_abbreviations"].get(key, "")
    if not core[:1].isupper() or core.isupper():
        beside = is_day(near.after) and not near.pause_after
        sure = core.isupper() or key not in ("mar", "may", "sep", "sept")
        beside = beside or (is_day(near.before) and is_year(near.after))
        dotted = full_stop and (key in WORDS["only_months"] - {"dec", "oct"} or is_day(near.after))
        return month if (sure and beside) or dotted else ""
    if month:
        dated = is_day(near.before) or is_day(near.after) or is_year(near.after)
        return month if dated or (full_stop and key in WORDS["only_months"]) else ""
    day = SAID["weekdays"].get(key, "")
    if not day:
        return ""
    dated = is_day(near.after) or bool(month_named(near.after))
    phrase = full_stop and near.after in ("morning", "afternoon", "evening", "night")
    sure = key not in ("sat", "sun", "wed") and full_stop
    return day if dated or phrase or sure else ""


def _unit(core: str, full_stop: bool, near: Context) -> str:
    key = "" if re.fullmatch("[A-Z]+s", core) else core.lower()  # HRs are no hours
    if not full_stop or not (is_figure(near.before) or is_one(near.before)):
        return ""
    singular = is_one(near.before) or near.noun_follows(near.before_that)
    if key == "in":
        goes_on = not near.after or not near.after[:1].isupper()
        return ("inch" if singular and near.before == "1" else "inches") if goes_on else ""
    names = DOTTED_UNITS.get(key) or (UNITS.get(key) if key != "x" else None)
    return names[0 if singular else 1] if names else ""


def _state(core: str, near: Context) -> str:
    """Read Portland, OR; Austin, TX 78701."""
    named = near.pause_before and near.before[:1].isupper() and core in SAID["states"]
    ends = near.pause_after or not near.after or near.after[:5].isdigit()
    return SAID["states"][core] if named and ends else ""


# --- initials and Roman numerals ------------------------------------------------------------------


def roman(match: re.Match[str], context: Context) -> str:
    """Read Henry VIII, part IV, World War I, the XIX century; elsewhere what is no other word."""
    numeral, before = match[1].upper(), context.before.lower()
    value = _value(numeral)
    numbered = before in WORDS["roman_after"] or before.removesuffix("s") in WORDS["roman_after"]
    if match[1].islower():
        return numbers.cardinal(value) if numbered and 1 < value < 40 else ""
    sure = len(numeral) > 1 and set(numeral) <= set("IVX")  # no word looks like it
    if not context.capitals_mean and not (sure and value > 1):
        return ""
    after_name = context.before[:1].isupper()
    alone = sure and (after_name or numeral not in _OTHERWISE)
    linked = before in ("and", "or", "to", "through") and _is_roman(context.before_that)
    the = before == "the" and numeral not in _OTHERWISE
    nth = context.after.lower() in WORDS["roman_before"] or the
    if nth and sure and not (after_name and numbered):
        words = numbers.ordinal(value)
    elif before in WORDS["monarchs"] and after_name and numeral not in ("I", "C", "L"):
        words = f"the {numbers.ordinal(value)}"
    elif numbered and numeral not in ("C", "L"):
        if numeral == "I" and _is_speaker(before.removesuffix("s"), context):
            return ""
        words = numbers.cardinal(value)
    elif alone or linked:
        words = numbers.cardinal(value)
    else:
        return ""
    return f"{words}'s" if match[2] else words


def _is_roman(word: str) -> bool:
    return len(word) > 1 and re.fullmatch(ROMAN, word) is not None


def _is_speaker(before: str, context: Context) -> bool:
    """Return whether "I" is a person: the part I like, but part I of the talk, phase I trials."""
    after = context.after.lower()
    if after in WORDS["verbs_after_i"] or (
        not context.pause_after and after.endswith(("ed", "n't"))
    ):
        return True
    if context.before[:1].isupper() or before not in WORDS["relative_before_i"]:
        return False
    return not (context.pause_after or after in ("", "of", "and", "or", "to", "in", "is", "has"))


def _value(numeral: str) -> int:
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
    digits = [values[letter] for letter in numeral]
    following = [*digits[1:], 0]
    return sum(-a if a < b else a for a, b in zip(digits, following, strict=True))


def dotted(match: re.Match[str], context: Context) -> str:
    """Read U.S.A., J.K."""
    if match[0].count(".") == 1 and context.name_follows:
        return " ".join(match[0].lower().replace(".", ""))  # T.S. Eliot's initials
    return acronym(match[0].replace(".", "").upper(), dotted=True)


def joined_initials(match: re.Match[str], _: Context) -> str:
    """Read AT&T, R&D."""
    words = f"{' '.join(match[1].lower())} and {' '.join(match[2].lower())}"
    return f"{words}'s" if match[3] else words


def mixed(match: re.Match[str], context: Context) -> str:
    """Read mRNA, iOS."""
    if in_lexicon(match[0].lower()):
        return match[0].lower()
    return f"{match[1]} {acronym(match[2])}"


def capitals(match: re.Match[str], context: Context) -> str:
    """Read FBI, CEOs, NASA's."""
    letters, ending = match[1], match[2].replace("'", "")
    if ending and len(letters) < 2:
        return ""
    word = letters.lower()
    if not context.capitals_mean:
        # Everything is in capitals: what can't be a word must be initials.
        return "" if _may_be_word(word) or ending else " ".join(word)
    words = acronym(letters)
    if ending and words == word and in_lexicon(word + ending):
        return word + (match[2] if in_lexicon(word + match[2]) else ending)
    return f"{words}'s" if ending else words


def several(match: re.Match[str], context: Context) -> str:
    """Read 2 As, straight As: letters."""
    counted = is_figure(context.before) or context.before.lower() in ("two", "three", "straight")
    return f"{match[1].lower()}'s" if counted else ""


def formula(match: re.Match[str], context: Context) -> str:
    """Read NaCl, HCl, NaOH: elements, of which one has two letters."""
    parts = re.findall("[A-Z][a-z]?", match[0])
    chemical = {*parts} <= SAID["elements"].keys() and any(len(part) > 1 for part in parts)
    return numbers.letters(match[0]) if chemical and not in_lexicon(match[0].lower()) else ""


def _may_be_word(word: str) -> bool:
    return len(word) > 4 or in_lexicon(word) or _SAID.fullmatch(word) is not None


def _is_spelled(word: str) -> bool:
    """Return whether the lexicon says a word as the names of its letters: BBC, TV."""
    spelled = [strip_stress(phone) for phone in spell_out(word)]
    return [strip_stress(phone) for phone in next(iter(lookup(word)), ())] == spelled


def are_initials(letters: str) -> bool:
    """Return whether letters of a text in capitals stay so in sentences: FBI, NHS, NASA, XIV.

    What may be another word as well (us, it) or is short for one (Dr, vs) doesn't.
    """
    word = letters.lower()
    said = next((SAID[kind][word] for kind in _SHORT if word in SAID[kind]), word)
    if len(word) < 2 or not word.isascii() or said.replace(" ", "") != word:
        return False
    if set(letters) <= set("IVX") or letters in WORDS["acronyms"]:
        return True
    return _is_spelled(word) or not _may_be_word(word)


def acronym(letters: str, dotted: bool = False) -> str:
    """Read BBC -> bbc, as the lexicon has it; US -> u s; NASA -> nasa; COVID -> covid."""
    word = letters.lower()
    if word in SAID["said_as"]:
        return SAID["said_as"][word]
    if _is_spelled(word):
        return word
    sayable = _NATO.fullmatch(word) or (len(word) >= 5 and _SAYABLE.fullmatch(word))
    if not dotted and letters not in WORDS["spelled"] and (in_lexicon(word) or sayable):
        return word
    return " ".join(word)


# --- codes and references -------------------------------------------------------------------------


def telephone(match: re.Match[str], _: Context) -> str:
    """Read 555-1234, 555.123.4567, (555)123-4567, +1(123), +44-20-…, 1-800-555-0199."""
    digits = match[0].lstrip("+")
    plus = "plus" if match[0].startswith("+") else ""
    if digits.startswith("1-800-"):
        return said(plus, "one eight hundred", numbers.spell_digits(digits[6:]))
    return said(plus, numbers.spell_digits(digits))


def ip_address(match: re.Match[str], context: Context) -> str:
    """Read 192.168.0.1 figure by figure; 1.2.3.4 is a version unless it is called an address."""
    parts = match[0].split(".")
    named = context.before.lower() in ("ip", "address", "server", "host", "ping")
    if max(map(int, parts)) > 255 or not (named or any(len(part) == 3 for part in parts)):
        return ""
    return " dot ".join(map(numbers.spell_digits, parts))


def area_code(match: re.Match[str], context: Context) -> str:
    """Read (555) before 123-4567."""
    followed = re.fullmatch(r"[0-9]{3}-[0-9]{4}", context.after)
    return numbers.spell_digits(match[0]) if followed else ""


def number_by_name(match: re.Match[str], context: Context) -> str:
    """Read Room 101, Boeing 747, dial 911, TX 78701: what stands before says how."""
    before, digits = context.before.lower(), match[0]
    if before in ("is", "was", "in", "number") and context.before_that.lower() in WORDS["dialled"]:
        before = context.before_that.lower()
    if before in WORDS["called_in_pairs"] and len(digits) in (3, 4) and digits[0] != "0":
        return numbers.pairs(digits)
    if digits == "911" and re.match("call|operator|dispatch|emergenc", context.after):
        return numbers.spell_digits(digits)
    of_http = context.after.rstrip("s") in ("error", "response")
    if digits[0] in "45" and len(digits) == 3 and of_http:
        return numbers.pairs(digits)
    if before == "to" and len(digits) > 4 and context.before_that.isupper():
        return numbers.spell_digits(digits)  # text STOP to 88022
    counts = context.noun_follows("a")  # "call 200 people"
    if before in WORDS["dialled"] and not counts:
        return numbers.spell_digits(digits)
    if len(digits) == 5 and context.before in SAID["states"]:
        return numbers.spell_digits(digits)
    if re.fullmatch("7[0-8]7", digits) and before in ("the", "a", "this", "that", "old", "new"):
        counted = counts and context.after.endswith("s")
        return "" if counted else numbers.pairs(digits)  # aeroplanes: "the 747 landed"
    named = before in ("a", "an") and not counts  # a 404, an RTX 4090
    named = named or bool(re.fullmatch("[A-Z]{2,4}X", context.before))
    in_pairs = (context.street_follows or named) and digits[0] != "0" and len(digits) < 5
    return numbers.pairs(digits) if in_pairs else ""


def code(match: re.Match[str], context: Context) -> str:
    """Read A380, BA287, ab9453, A320neo: letters, then figures in pairs, or singly in a serial."""
    letters, digits, ending = match[1], match[2], match[3].lower()
    serial = letters.islower() or len(digits) > 4 or digits.startswith("0")
    if letters.islower() and (len(digits) < 4 or is_function_word(letters)):
        return ""
    if ending not in ("", "s") and not (len(ending) == 1 or in_lexicon(ending)):
        return ""
    figures = numbers.spell_digits(digits) if serial else numbers.pairs(digits)
    if ending == "s":
        figures, ending = numbers.plural(figures), ""
    return said(" ".join(letters.lower()), figures, ending)


def plural(match: re.Match[str], _: Context) -> str:
    """Read F-16s, 747s, 2x4s."""
    parts = re.findall("[a-z]+|[0-9]+", match[0].lower())[:-1]
    if "x" in parts:
        return numbers.plural(said(*("by" if p == "x" else numbers.cardinal(p) for p in parts)))
    words = (" ".join(part) if part.isalpha() else numbers.plain(part) for part in parts)
    return numbers.plural(said(*words))


def version(match: re.Match[str], context: Context) -> str:
    """Read v2.10, Python 3.11: no decimals."""
    parts = match[2].split(".")
    if any(len(part) > 1 and part.startswith("0") for part in parts):
        return ""
    named = match[1] or context.before.lower() in WORDS["versioned"]
    return said(match[1].lower(), " point ".join(map(numbers.cardinal, parts))) if named else ""


def with_port(match: re.Match[str], _: Context) -> str:
    """Read 192.168.0.1:8080, localhost:3000."""
    host, port = match[1].lower().split("."), match[2]
    parts = (numbers.spell_digits(part) if is_whole(part) else part for part in host)
    return f"{' dot '.join(parts)} port {numbers.spell_digits(port)}"


def forum(match: re.Match[str], _: Context) -> str:
    """Read r/podcasting, u/someone."""
    parts = re.findall("[a-z]+|[0-9]+", match[2].lower())
    words = (numbers.plain(part) if is_whole(part) else part for part in parts)
    return said(match[1].lower(), "slash", *words)


def book_of_bible(core: str, near: Context) -> str:
    """Return the book before a chapter ("Ps. 23:1", "1 Cor. 13"), or the ordinal before one."""
    key, after = core.lower(), near.after.lower()
    of_several = near.after[:1].isupper() and re.match(r"\d{1,3}(?::\d|$)", near.after_that)
    if core in ("1", "2", "3") and of_several and after in WORDS["bible"]:
        return ("first", "second", "third")[int(core) - 1]
    chapter = re.match(r"\d{1,3}(?::\d|$)", near.after)
    return SAID["bible_books"].get(key, "") if chapter and core[:1].isupper() else ""


# --- addresses ------------------------------------------------------------------------------------


def address(match: re.Match[str], _: Context) -> str:
    """Read web and e-mail addresses."""
    text = re.sub(r"^[a-z]+://", "", match[0], flags=re.IGNORECASE).rstrip("/").lower()
    sure = "://" in match[0] or "@" in text or text.startswith("www.")
    if not sure and text.partition("/")[0].rpartition(".")[2] not in WORDS["domains"]:
        return ""
    return _by_parts(text)


def unknown_ending(match: re.Match[str], context: Context) -> str:
    """Read docs.acme.travel/faq: what is no sentence's end, though its ending isn't listed."""
    text = match[0]
    if not text.islower() or is_function_word(text.partition("/")[0].rpartition(".")[2]):
        return ""
    return _by_parts(text)


def _by_parts(text: str) -> str:
    return said(*map(_in_address, re.findall(r"[a-z']+|[0-9]+|[^a-z0-9]", text)))


def _in_address(part: str) -> str:
    if part.isdigit():
        short = len(part) < 3 or numbers.reads_as_year(part)
        return numbers.plain(part) if short else numbers.spell_digits(part)
    if part in SAID["in_addresses"]:
        return SAID["in_addresses"][part]
    if not "a" <= part[0] <= "z":
        return ""
    spelt = not 3 < len(part) <= 20 and not in_lexicon(part)
    return " ".join(part) if spelt or part.upper() in WORDS["spelled"] or part == "www" else part


def file_name(match: re.Match[str], context: Context) -> str:
    """Read notes.txt, Node.js, and .pdf: the dot is said."""
    name, extension = match[1], match[2].lower()
    if extension not in WORDS["extensions"] and (name or extension not in WORDS["domains"]):
        return ""

    def parts(text: str) -> list[str]:
        return re.findall(r"[a-z]+|[0-9]+", text)

    head = (numbers.plain(part) if part.isdigit() else part for part in parts(name.lower()))
    ending = (
        numbers.plain(part) if part.isdigit() else acronym(part.upper())
        for part in parts(SAID["said_as"].get(extension, extension))
    )
    return said(*head, "dot", *ending)
