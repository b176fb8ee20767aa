"""The sentence that the aligner's tests have aligned."""

from tests.alignment.conftest import aligned, lookup, nothing_remembered, speech, words

__all__ = ["aligned", "lookup", "nothing_remembered", "speech", "words"]
