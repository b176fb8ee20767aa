"""Who may ask, from where and for how much: of the page and of `a3t serve`.

What a request may contain is `app.limits`.
"""
