"""Measures of how texts are read and punctuated."""
