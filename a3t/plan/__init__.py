"""Edit planning: from two texts and an alignment to the frames that the model fills.

In order: a `request`, the `revision` between its two texts, `edit_sites` on the `phone_grid`, the
`timeline` of new phones, the `windows` that the model sees, all in an `edit_plan`. `cleaning` finds
what to cut, `reuse` recorded words to use again. No sound is made here.
"""
