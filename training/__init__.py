"""Training: features stored once, batches drawn from them, and one loop for every network.

Needs torch, NumPy, PyYAML and tqdm; what pitch, alignment, ESPnet or text need is imported where
it is used, so that a bare GPU machine can train.
"""
