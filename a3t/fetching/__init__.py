"""Files from the network: announced, resumed, verified; the model of Whisper, if somebody agrees.

Nothing else here goes there by itself; corpora are training's.
"""
