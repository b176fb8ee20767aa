"""Which word and which phone is spoken when: aligners behind one interface.

Knows nothing of the editor: audio, words and their pronunciations are handed in.

>>> from alignment.pocketsphinx_aligner import PocketSphinxAligner
>>> alignment = PocketSphinxAligner().align(samples, rate, ["hello"], {"hello": [["HH", ...]]})
"""

from __future__ import annotations

from alignment.errors import AlignmentError
from alignment.records import Alignment, Phone, Word

__all__ = ["Alignment", "AlignmentError", "Phone", "Word"]
