"""The thesis's tables 4.2 to 4.7, one command each, or one for all.

`tasks` says what is to be done, `judging` measures what a system made of it, `comparison` runs all
systems over all tasks, `thesis_tables` shows the figures.
"""
