"""Rendering: from a plan to patches of sound that are filled, vocoded, joined and verified."""
