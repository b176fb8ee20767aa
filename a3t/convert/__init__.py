"""Weights of the first A3T implementation in our format; see `a3t.convert.checkpoint`."""
