"""Spoken words to phones: the lexicon, homographs, regular endings, and letters to sound."""
