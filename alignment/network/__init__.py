"""Networks small enough for numpy: which phone is spoken, and where exactly it ends.

Inference alone; their training is in training/alignment.
"""
