"""Language models of whole documents: Segatron's positions, WordNet's classes (recipes/words)."""
