"""Sound cut into segments while it arrives, after DiSeg (recipes/live)."""
