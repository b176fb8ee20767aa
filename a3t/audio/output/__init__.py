"""Writing edited recordings: patches, files that appear whole, metadata and provenance.

What comes in is a recording and patches; how they were made is no matter here.
"""
