"""Aligners: PocketSphinx, embedded and refined by a network, and the Montreal Forced Aligner."""
