"""A recording's transcript, and as much of its alignment as is needed."""
