"""Punctuation and capitals for a text that has none, as a recogniser's hasn't.

The network and its use; its training is in training/text.
"""
