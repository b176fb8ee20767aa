"""Pretraining of A3T by ESPnet: a thin adapter over `training`.

Nothing outside this room imports espnet, and no inference imports this room. ESPnet itself is
needed by `task`, `model`, `trainer` and `train`; the rest of this room does without it.
"""
