"""A3T pretrained by ESPnet: the task, its data, and the stages that the recipes are made of.

Nothing outside this room imports espnet, and no inference imports this room. ESPnet itself is
needed by `task`, `model`, `trainer` and `train`; the rest of this room does without it.
"""
