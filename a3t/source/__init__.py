"""What a recording says, and where: its transcript, and as much of its alignment as is needed."""
