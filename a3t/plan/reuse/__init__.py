"""Recorded words that an edit takes again: from elsewhere in the recording, or from another.

What is taken and from where; how it is joined is a3t.rendering's.
"""
