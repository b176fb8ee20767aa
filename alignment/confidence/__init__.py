"""Confidence in words, doubts about them, and texts that are not the recording's."""
