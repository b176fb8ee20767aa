"""Conversion of checkpoints: from the first A3T implementation, and to ONNX."""
