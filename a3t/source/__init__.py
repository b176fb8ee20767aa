"""What a recording says, and where: its transcript, and its alignment as far as it is needed."""
