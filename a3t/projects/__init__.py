"""Edits as files: made, listed, replayed, undone, exported, many at once."""
