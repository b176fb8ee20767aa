"""The API for other programs, /v1: speech, edits, alignments and their jobs (docs/server.md).

Its endpoints call `app.service`, as the page's do: the same lanes of editors, limits and folders.
Each asks by itself whether it may answer (`endpoints.demand_token`), wherever a proxy has put it.
"""
