"""Markdown's signs, which nobody says."""

from __future__ import annotations

import re

# Each looks no further than a line's few hundred characters.
_SIGNS = (
    (re.compile(r"^[ \t]{0,9}(?:```|~~~)[^\n]{0,100}$", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,9}(?:[-*_][ \t]{0,3}){3,40}$", re.MULTILINE), ""),  # a rule
    (
        re.compile(
            r"^[ \t]{0,9}\|?(?:[ \t]{0,9}:?-{3,40}:?[ \t]{0,9}\|){1,40}[ \t:-]{0,40}$", re.MULTILINE
        ),
        "",
    ),
    (re.compile(r"^(?:[ \t]{0,9}>[ \t]){1,9}", re.MULTILINE), ""),
    (re.compile(r"^[ \t]{0,12}#{1,6}[ \t]{1,9}([^\n]{0,400})$", re.MULTILINE), r"\1\n"),
    (re.compile(r"^[ \t]{0,12}[-*+][ \t]{1,9}(?:\[[ xX]\][ \t])?", re.MULTILINE), "\n"),
    (re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\s]{0,500}(?:\s\"[^\"\n]{0,200}\")?\)"), r"\1"),
    (re.compile(r"(\*\*|__|~~|`{1,2})(?=\S)([^\n]{0,400}?\S)\1"), r"\2"),
    (re.compile(r"^[ \t]{0,9}\|[ \t]{0,9}|[ \t]{0,9}\|[ \t]{0,9}$", re.MULTILINE), ""),
    (re.compile(r"[ \t]{0,9}\|[ \t]{0,9}"), ", "),
)


def without_markdown(text: str) -> str:
    r"""Return the words of a text in Markdown; *emphasis* stays, which a3t speaks so.

    >>> without_markdown("## Monday\n- **Bring** the [papers](http://a.b).")
    'Monday\nBring the papers.'
    """
    for sign, spoken in _SIGNS:
        text = sign.sub(spoken, text)
    return text.strip()
