"""Find, choose and cut fillers, repetitions and pauses.

`findings` is the way in; the cuts are carried out like any other edit.
"""
