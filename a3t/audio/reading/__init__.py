"""Reading recordings: containers, formats, and a recording checked once and read by windows.

Every way to a recording's samples is here; nothing is measured and nothing written.
"""
