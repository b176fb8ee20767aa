"""Matching a patch to its recording: bandwidth, spectrum, reverberation, room tone.

The patch keeps its length; splicing decides where to join it.
"""
