"""Aligners: the phone network (the default), PocketSphinx refined by one, and the Montreal Forced
Aligner."""
