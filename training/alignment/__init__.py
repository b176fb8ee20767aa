"""Training of the networks in alignment.network; needs torch."""
