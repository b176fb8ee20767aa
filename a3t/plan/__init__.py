"""From two texts and an alignment to what the model is asked to fill."""
