"""Rules for web addresses, e-mail addresses and names of files."""

from __future__ import annotations

import re

from a3t.text.normaliser import numbers
from a3t.text.normaliser.context import Context, is_function_word
from a3t.text.normaliser.kinds.initials import acronym
from a3t.text.normaliser.vocabulary import DOMAINS, EXTENSIONS, IN_ADDRESSES, SAID_AS, SPELLED
from a3t.text.pronunciation.lexicon import in_lexicon


def address(match: re.Match[str], _: Context) -> list[str]:
    """Web and e-mail addresses."""
    text = re.sub(r"^[a-z]+://", "", match[0], flags=re.IGNORECASE).rstrip("/").lower()
    sure = "://" in match[0] or "@" in text or text.startswith("www.")
    if not sure and text.partition("/")[0].rpartition(".")[2] not in DOMAINS:
        return []
    return _said(text)


def _said(text: str) -> list[str]:
    words: list[str] = []
    for part in re.findall(r"[a-z']+|[0-9]+|[^a-z0-9]", text):
        if part in IN_ADDRESSES:
            words += IN_ADDRESSES[part].split()
        elif part.isdigit():
            words += numbers.plain(part)
        elif "a" <= part[0] <= "z":
            words += _in_address(part)
    return words


def unknown_ending(match: re.Match[str], context: Context) -> list[str]:
    """docs.acme.travel/faq: what is no sentence's end, though its ending isn't listed."""
    text = match[0]
    if not text.islower() or is_function_word(text.partition("/")[0].rpartition(".")[2]):
        return []
    return _said(text)


def _in_address(part: str) -> list[str]:
    spelt = not 3 < len(part) <= 20 and not in_lexicon(part)
    return list(part) if spelt or part.upper() in SPELLED or part == "www" else [part]


def file_name(match: re.Match[str], context: Context) -> list[str]:
    """notes.txt, Node.js, and .pdf: the dot is said."""
    name, extension = match[1], match[2].lower()
    if extension not in EXTENSIONS and (name or extension not in DOMAINS):
        return []
    head: list[str] = []
    for part in re.findall(r"[a-z]+|[0-9]+", name.lower()):
        head += numbers.plain(part) if part.isdigit() else [part]
    words: list[str] = []
    for part in re.findall(r"[a-z]+|[0-9]+", SAID_AS.get(extension, extension)):
        words += numbers.plain(part) if part.isdigit() else acronym(part.upper())
    return [*head, "dot", *words]
