"""The package pocketsphinx, which no edit needs: an aligner and a recogniser of one's choice."""

from __future__ import annotations

from typing import Any

from alignment.errors import AlignmentError


def require_pocketsphinx() -> Any:
    """The module; AlignmentError, with what to do, where it is not installed."""
    try:
        import pocketsphinx
    except ImportError:
        raise AlignmentError(
            'PocketSphinx is not installed: pip install "a3t[pocketsphinx]", or leave out the '
            "option that names it."
        ) from None
    return pocketsphinx
