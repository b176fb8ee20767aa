"""Features of clips: how they are made, degraded, stored and varied.

Reading a store needs NumPy alone; aligning, decoding and pitch are imported by what makes features.
"""
