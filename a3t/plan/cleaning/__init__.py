"""Fillers, repetitions and pauses: found, chosen, and cut out.

`findings` is the way in; the cuts are carried out like any other edit.
"""
