"""Time and memory: of edits, alignments, batches, the page and training."""
