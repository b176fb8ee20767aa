"""Transcripts that other programs and people wrote, read by their content (docs/formats.md).

`kinds` has the table; each other file reads a family of kinds into `cues.Cue`s.
"""
