"""Edit planning: from two texts and an alignment to the frames that the model fills."""
