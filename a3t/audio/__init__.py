"""Reading, splicing and writing recordings at their own rate, depth and channel count.

The promise of this room: outside the spans that the patches name, a written file equals the
recording it came from, sample for sample.
"""
