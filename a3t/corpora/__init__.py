"""Downloads: published corpora, and a model for recognition."""
