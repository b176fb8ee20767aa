"""Predictions beside the mel: each phone's duration, pitch and energy.

FastSpeech 2 calls this the variance adaptor.
"""
