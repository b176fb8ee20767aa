"""Spoken words to phones: the lexicon, homographs, regular endings, and letters to sound.

Its models' training is in training/text.
"""
