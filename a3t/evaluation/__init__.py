"""Metrics, baselines and reports. Imports the model and the editor, and is imported by neither.

Its third-party packages (pyworld, pesq, pystoi, Resemblyzer, matplotlib) make up the extra `eval`
and are imported only when a function that needs them is called.
"""
