"""Measures of a recording: mel, level, pitch, room tone, steady tones, clipping, music."""
