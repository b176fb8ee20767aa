"""The extra `eval`: packages that are imported when they are needed, and may be absent."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from a3t.errors import InputError


@contextmanager
def eval_package(name: str) -> Iterator[None]:
    """Import the package `name` within: its absence is one sentence, its warnings are not shown."""
    with warnings.catch_warnings():
        # pyworld, webrtcvad and Resemblyzer import what setuptools and scipy will give up.
        warnings.simplefilter("ignore")
        try:
            yield
        except ImportError:
            raise InputError(
                f'This metric needs the package {name}; install it with `pip install "a3t[eval]"`.'
            ) from None
