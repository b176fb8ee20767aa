"""A recording's transcript, and as much of its alignment as is needed.

Given, from a file beside it, remembered or recognised; what is done with it is the plan's.
"""
