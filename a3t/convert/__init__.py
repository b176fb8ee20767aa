"""Conversion of checkpoints: from the first A3T implementation, and to ONNX.

A command by itself: no edit imports it.
"""
