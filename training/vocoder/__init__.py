"""Training of the built-in vocoder.

Cached waveforms, windows of them, losses, discriminators, and the export of what was trained.
"""
