"""The A3T network (thesis, section 4.3) in plain PyTorch: `a3t.model.a3t.A3T` is the way in.

Networks, masks and loading alone: nothing here knows of recordings, texts or plans.
"""
