"""Joining sound: cuts, cross-fades, pauses, emphasis, rate and level.

From a synthesis and its place to a patch; writing it is output's.
"""
