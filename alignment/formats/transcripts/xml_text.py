"""XML of documents and subtitles, whatever namespaces it has."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree


def parsed_xml(text: str) -> ElementTree.Element:
    """Return the root of an XML without entities of its own; raise ValueError for other text."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("entities")
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from error


def local_name(element: ElementTree.Element) -> str:
    """Return an element's name without its namespace, "" for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: ElementTree.Element, name: str) -> str:
    """Return an attribute by its name, of whichever namespace."""
    return next((v for k, v in element.items() if k.rpartition("}")[2] == name), "")


def paragraphs(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """Yield the outermost paragraphs, in order: each element is seen once."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if local_name(element) == "p":
            yield element
        else:
            waiting += reversed(element)
