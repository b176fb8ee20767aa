"""Time and memory: of edits, of starting, of the page and of training.

Ratios are measured in one run; quality is measured elsewhere.
"""
