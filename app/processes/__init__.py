"""Processes that work for visitors: the editors' and the readers', their means, lanes and progress.

What they are asked is `app.service`'s and `app.studio`'s; models are loaded in them alone.
"""
