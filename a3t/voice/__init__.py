"""Personal voices: learnt from a person's own recordings, saved by name, used for their edits."""
