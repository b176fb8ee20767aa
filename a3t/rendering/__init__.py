"""Rendering: from a plan to patches of sound that are filled, vocoded, joined and verified.

What is wanted was decided by the plan; how sound is joined is a3t.audio.splicing's.
"""
