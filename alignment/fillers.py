"""The words that a hesitation is written as."""

from __future__ import annotations

FILLERS = ("um", "uh", "uhm", "umm", "uhh", "er", "erm", "hm", "hmm", "mm", "mhm")
EXCLAMATIONS = ("ah", "eh")  # these may be meant, so that nobody takes them out unasked
HESITATIONS = frozenset((*FILLERS, *EXCLAMATIONS))
