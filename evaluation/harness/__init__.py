"""Shared by the programs that measure: options, files, processes, means and intervals.

No measure of speech is here.
"""
