"""How a network learns: batches, losses, the loop. Training a whole network uses the same."""
