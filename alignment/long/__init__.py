"""Long recordings: where the words roughly are, pieces, and single passages."""
