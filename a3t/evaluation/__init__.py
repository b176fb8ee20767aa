"""Metrics, baselines and reports. Sees the model and the editor; nothing else imports this room.

Its outside packages (pyworld, pesq, pystoi, Resemblyzer, matplotlib) are the extra `eval` and are
imported when a function that needs them is called.
"""
