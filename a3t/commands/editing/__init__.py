"""The options and questions of `a3t edit`, and lists of edits.

What a list or an edit is made of is a3t.projects'.
"""
