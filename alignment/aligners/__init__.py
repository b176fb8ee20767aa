"""Aligners behind one interface: the phone network (the default) and the Montreal Forced Aligner.

One passage at a time; longer recordings are `long`'s.
"""
