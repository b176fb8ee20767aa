"""Personal voices: learnt from a person's own recordings, saved by name, used for their edits.

The steps and losses are `a3t.learning`'s.
"""
