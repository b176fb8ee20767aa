"""The package pocketsphinx: a dictionary and a language model to train on, and a reference."""

from __future__ import annotations

from typing import Any

from alignment.errors import AlignmentError


def require_pocketsphinx() -> Any:
    """The module; AlignmentError, with what to do, where it is not installed."""
    try:
        import pocketsphinx
    except ImportError:
        raise AlignmentError(
            'PocketSphinx is not installed: pip install "a3t[train]" first.'
        ) from None
    return pocketsphinx
