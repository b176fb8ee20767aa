"""Personal voices: learnt from a person's own recordings, saved by name, used for their edits.

What is learnt from and when; the steps and losses are in `learning`.
"""
