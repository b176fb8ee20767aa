"""Edits as files: versions, undo and redo, replay, exports, batches."""
