"""Time and memory: of edits, of starting, and of the page.

Ratios are measured in one run; quality is measured elsewhere.
"""
