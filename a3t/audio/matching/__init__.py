"""Matching a patch to its recording: bandwidth, spectrum, reverberation, room tone.

The patch stays as long as it is; where it is joined is splicing's.
"""
