"""Metrics, baselines and reports. Imports the model and the editor, and is imported by neither.

Its outside packages (pyworld, pesq, pystoi, Resemblyzer, matplotlib) are the extra `eval` and are
imported when a function that needs them is called.
"""
