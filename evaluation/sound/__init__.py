"""Measures of edits as they sound: joints, backgrounds, candidates.

Edits against natural speech have a room of their own (`edits`).
"""
