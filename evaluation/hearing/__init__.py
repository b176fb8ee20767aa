"""Measures of the aligner, the recogniser and what is found in a recording that nobody wrote.

Errors are planted in real speech (`planting`); sound that is made is `sound`'s.
"""
