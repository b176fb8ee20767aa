"""Predictions beside the sound: how long a phone is, its pitch and its energy.

FastSpeech 2 calls this the variance adaptor.
"""
