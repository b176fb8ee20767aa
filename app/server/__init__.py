"""A server for other programs: speech, edits and alignments over HTTP (`a3t serve`).

Its endpoints call `app.service`, as the page's do.
"""
