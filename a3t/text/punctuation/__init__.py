"""Punctuation and capitals for a text that has none, as a recogniser's hasn't."""
