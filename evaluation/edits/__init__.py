"""The sound of edits: new words compared with natural speech of the same recordings.

`listing` has the list of edits of clips, `conditions` the degradations of the recordings,
`segment_metrics` the measures of a stretch of speech; `experiment` makes and measures the edits,
`edits_command` reports the results. `learnt_voices` joins clips to long recordings.
"""
