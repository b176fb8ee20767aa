"""Networks small enough for numpy: the phone of each frame, and its exact end.

Inference alone; their training is in training/alignment.
"""
