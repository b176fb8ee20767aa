"""Spoken words to phones; `pronouncer` is the way in.

A word's ways are looked up in the `lexicon`, else made of a known word's, else guessed by
`letter_to_sound`; `homographs` chooses among several. The training of its networks is in
training/text.
"""
