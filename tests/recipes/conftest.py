"""The sentence that the aligner's tests have aligned."""

from tests.alignment.conftest import aligned, lookup, speech, words

__all__ = ["aligned", "lookup", "speech", "words"]
