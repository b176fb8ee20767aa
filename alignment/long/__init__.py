"""Long recordings: where the words roughly are, pieces, and single passages.

It calls an aligner for each piece and puts the results together.
"""
