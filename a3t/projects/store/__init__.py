"""A project's files: typed records, read as missing, unreadable or later, and never guessed."""
