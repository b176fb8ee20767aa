"""Voices: before and after adapting to them, and speech by a prompt.

Unseen voices, each against its own recordings.
"""
