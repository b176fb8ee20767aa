"""Recorded words that an edit reuses, from elsewhere in the recording or from another one.

What is taken and from where; how it is joined is a3t.rendering's.
"""
