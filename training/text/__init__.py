"""What the text's models learn from, by a command each; nothing here is needed to speak."""
