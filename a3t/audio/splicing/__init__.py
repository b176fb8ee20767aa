"""Joining sound: cuts, cross-fades, pauses, emphasis."""
