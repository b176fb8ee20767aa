"""Confidences of words, doubts, and texts that are not the recording's.

They are computed from an alignment and posteriors; nothing here aligns.
"""
