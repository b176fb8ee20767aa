"""Training of the built-in vocoder: cached waveforms, windows of them, losses, discriminators,
and the export of what was trained.
"""
