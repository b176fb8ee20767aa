"""Learning: batches, losses, the loop. For a voice and for whole networks alike.

Corpora and stores of features are `training`'s.
"""
