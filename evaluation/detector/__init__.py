"""A detector of new words: how well a simple classifier tells patches from what was recorded.

`spectral_statistics` has the statistics of a stretch of sound, `telling_apart` the classifier,
`fine_time` those within a period of its voice, `detector_material` makes the stretches,
`detector_command` is the command with its figures.
"""
