"""The kinds of figures and signs, each with its rules: `verbalise` asks one after another.

A rule sees a token in its `context`; what several kinds need stands a floor above.
"""
