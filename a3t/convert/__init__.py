"""Conversion of checkpoints of the first A3T implementation.

A command by itself: no edit imports it.
"""
