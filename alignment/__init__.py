"""Forced alignment: aligners, behind one interface, that time each word and phone.

Knows nothing of the editor: audio, words and their pronunciations are handed in.

>>> from alignment import load_aligner
>>> aligner = load_aligner()
>>> alignment = aligner.align(samples, rate, ["hello"], {"hello": [["HH", ...]]})
"""

from __future__ import annotations

from alignment.aligner import Aligner, Pronunciations, Readable
from alignment.errors import AlignmentError
from alignment.result import PAUSE, Alignment, Phone, Word, pause

__all__ = [
    "PAUSE",
    "Aligner",
    "Alignment",
    "AlignmentError",
    "Phone",
    "Pronunciations",
    "Readable",
    "Word",
    "load_aligner",
    "pause",
]

ALIGNERS = ("network", "mfa")


def load_aligner(name: str = ALIGNERS[0], workers: int = 1) -> Aligner:
    """Load an aligner by its name: "network" or "mfa" (see `alignment.aligners.montreal`).

    ``workers``: the number of processes that share a long recording; see `alignment.parallel`.
    Raises AlignmentError for any other name, or if the aligner is not installed.
    """
    if name == "network":
        from alignment.aligners.network_aligner import NetworkAligner

        return NetworkAligner(workers)
    if name == "mfa":
        from alignment.aligners.montreal import MontrealAligner

        return MontrealAligner()
    raise AlignmentError(f'There is no aligner "{name}": choose {" or ".join(ALIGNERS)}.')
