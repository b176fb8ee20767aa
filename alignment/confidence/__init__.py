"""How sure a word is, what is doubtful, and when a text is not the recording's."""
