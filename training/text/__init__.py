"""Training of the text's models, a command each: homographs, letters, punctuation.

Nothing here is needed to speak.
"""
