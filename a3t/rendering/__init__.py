"""Rendering: from a plan to patches of sound that are filled, vocoded, joined and verified.

The plan decides what to make; a3t.audio.splicing joins the sound.
"""
