"""Rules for web addresses, e-mail addresses and names of files."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_function_word
from a3t.text.normaliser.kinds.initials import acronym
from a3t.text.normaliser.numbers import said
from a3t.text.normaliser.vocabulary import DOMAINS, EXTENSIONS, IN_ADDRESSES, SAID_AS, SPELLED
from a3t.text.pronunciation.lexicon import in_lexicon


def address(match: re.Match[str], _: Context) -> str:
    """Web and e-mail addresses."""
    text = re.sub(r"^[a-z]+://", "", match[0], flags=re.IGNORECASE).rstrip("/").lower()
    sure = "://" in match[0] or "@" in text or text.startswith("www.")
    if not sure and text.partition("/")[0].rpartition(".")[2] not in DOMAINS:
        return ""
    return _by_parts(text)


def unknown_ending(match: re.Match[str], context: Context) -> str:
    """docs.acme.travel/faq: what is no sentence's end, though its ending isn't listed."""
    text = match[0]
    if not text.islower() or is_function_word(text.partition("/")[0].rpartition(".")[2]):
        return ""
    return _by_parts(text)


def _by_parts(text: str) -> str:
    return said(*map(_in_address, re.findall(r"[a-z']+|[0-9]+|[^a-z0-9]", text)))


def _in_address(part: str) -> str:
    if part in IN_ADDRESSES or part.isdigit():
        return IN_ADDRESSES.get(part) or numbers.plain(part)
    if not "a" <= part[0] <= "z":
        return ""
    spelt = not 3 < len(part) <= 20 and not in_lexicon(part)
    return " ".join(part) if spelt or part.upper() in SPELLED or part == "www" else part


def file_name(match: re.Match[str], context: Context) -> str:
    """notes.txt, Node.js, and .pdf: the dot is said."""
    name, extension = match[1], match[2].lower()
    if extension not in EXTENSIONS and (name or extension not in DOMAINS):
        return ""

    def parts(text: str) -> list[str]:
        return re.findall(r"[a-z]+|[0-9]+", text)

    head = (numbers.plain(part) if part.isdigit() else part for part in parts(name.lower()))
    ending = (
        numbers.plain(part) if part.isdigit() else acronym(part.upper())
        for part in parts(SAID_AS.get(extension, extension))
    )
    return said(*head, "dot", *ending)
