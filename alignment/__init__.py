"""Which word and which phone is spoken when: aligners behind one interface.

Knows nothing of the editor: audio, words and their pronunciations are handed in.

>>> from alignment import by_name
>>> alignment = by_name("pocketsphinx").align(samples, rate, ["hello"], {"hello": [["HH", ...]]})
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
    "by_name",
    "pause",
]

ALIGNERS = ("pocketsphinx", "mfa")

# Of what the aligners find in a recording: whoever remembers it asks anew when this is another.
EDITION = 2


def by_name(name: str, workers: int = 1) -> Aligner:
    """The aligner of that name: "pocketsphinx" (embedded) or "mfa" (see montreal).

    `workers`: processes that share a long recording; see alignment.parallel.
    Raises AlignmentError for another name, or when the aligner is not installed.
    """
    if name == "pocketsphinx":
        from alignment.aligners.pocketsphinx import PocketSphinxAligner

        return PocketSphinxAligner(workers)
    if name == "mfa":
        from alignment.aligners.montreal import MontrealAligner

        return MontrealAligner()
    raise AlignmentError(f'There is no aligner "{name}": choose {" or ".join(ALIGNERS)}.')
