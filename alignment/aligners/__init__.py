"""Aligners: the phone network (the default) and the Montreal Forced Aligner."""
