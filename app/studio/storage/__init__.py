"""A project's files: its folder, its sound as the page plays and draws it, the project as one file.

What they mean is decided elsewhere; what comes from outside is checked here.
"""
