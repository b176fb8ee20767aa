"""Edit planning: from two texts and an alignment to the frames that the model fills.

Requests, plans and limits; no sound is made here. What is cut has a room (`cleaning`), and so has
what is taken again (`reuse`) and what the speaker's own ways tell (`speaker`).
"""
