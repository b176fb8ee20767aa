"""Measures of a recording: mel, level, pitch, room tone, steady tones, clipping, music.

They read and say; what is done with it is matching's, splicing's or the plan's.
"""
