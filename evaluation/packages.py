"""The extra `eval`: packages that are imported when needed, and may be missing."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from a3t.errors import InputError


@contextmanager
def eval_package(name: str) -> Iterator[None]:
    """Open a context in which to import ``name``, its warnings hidden; InputError if missing."""
    with warnings.catch_warnings():
        # pyworld, webrtcvad and Resemblyzer import what setuptools and scipy have deprecated.
        warnings.simplefilter("ignore")
        try:
            yield
        except ImportError:
            raise InputError(f"This metric needs {name}: pip install 'a3t[eval]'.") from None
