"""How edits sound: new words compared with natural speech of the same recordings.

`listing` has the list of edits, `conditions` the degradations of the recordings, `stretches` the
measures of a stretch of speech, `experiment` makes and measures the edits, `table` reports the
results.
"""
