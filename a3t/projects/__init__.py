"""Edits as files: versions, undo and redo, replays, lists, confirmations.

It calls the Editor and keeps what it gives; other programs' formats are in `export`.
"""
