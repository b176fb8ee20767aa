"""Text: normalisation, phones, pronunciations, and the edit script between two texts.

Words alone: nothing here reads a recording.
"""
