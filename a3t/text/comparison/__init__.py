"""Two texts compared: the words that change, and those that only look as if they did.

`edit_script` finds what differs; `respelling`, `same_figures` and `kept_readings` leave out what
sounds the same or says the same number.
"""
