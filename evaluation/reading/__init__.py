"""Measures of how texts are read and punctuated.

Words alone, but for the pauses that punctuation is held against.
"""
