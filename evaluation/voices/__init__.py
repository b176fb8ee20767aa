"""Voices: before and after adapting to them, and speech by a prompt."""
