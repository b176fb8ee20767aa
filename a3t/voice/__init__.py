"""A person's voice: made from their own recordings, kept under a name, used for their edits."""
