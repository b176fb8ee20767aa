"""Edits as files: versions, undo and redo, replays, takes.

It calls the Editor and keeps what it gives; other programs' formats are in `export`, what a person
is asked in a3t.commands.
"""
