"""Text, from what is written to the phones that are spoken; nothing here reads a recording.

In the order in which a text goes through: `markup` takes out pauses and emphasis, `normaliser`
gives each written token its spoken words, a `transcript` holds both, `comparison` finds what
changes between two transcripts, and `pronunciation` gives the words their `phones`. `punctuation`
restores the marks of a text that has none; `readings` shows how one text is read.
"""
