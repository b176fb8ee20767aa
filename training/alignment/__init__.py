"""Training of the networks in alignment.network and alignment.recognition; needs torch.

Nothing here is needed to align.
"""
