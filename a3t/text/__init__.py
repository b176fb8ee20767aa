"""Text: normalisation, phones, pronunciations, and the edit script between two texts."""
