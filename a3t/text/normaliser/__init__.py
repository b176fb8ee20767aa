"""Written English to the words that are spoken for it, token by token.

How the words sound is `pronunciation`'s.
"""
