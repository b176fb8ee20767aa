"""How edits sound: made words against natural stretches of the same recordings.

`listing` has the edits, `conditions` what is done to the recordings, `stretches` what is measured
of a stretch of speech, `experiment` makes the edits and measures them, `table` says what was found.
"""
