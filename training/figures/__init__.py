"""Figures said by classes that data generates, after Proteno (recipes/figures)."""
