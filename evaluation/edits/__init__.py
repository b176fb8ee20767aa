"""The sound of edits: new words compared with natural speech of the same recordings.

`listing` has the list of edits of clips, `long_recordings` recordings joined of clips and edits of
them, `conditions` the degradations of the recordings, `segment_metrics` the measures of a
stretch of speech, `experiment` makes and measures the edits, `edits_table` reports the results.
"""
