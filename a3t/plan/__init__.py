"""Edit planning: from two texts and an alignment to the frames that the model fills.

In order: a `request`, the `revision` between its two texts, `edit_sites` on the grid, the `planner`
with the timeline of new phones, all in an `edit_plan` with the windows that the model sees.
`cleaning` finds what to cut, `reuse` recorded words to use again, `prompt` plans speech. No sound
is made here.
"""
