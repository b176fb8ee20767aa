"""Vocoders alone: held-out clips to mels and back, with time and memory."""
