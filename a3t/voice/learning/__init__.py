"""Learning: batches, losses, the loop.

Training a whole network uses the same; corpora and stores are training's.
"""
