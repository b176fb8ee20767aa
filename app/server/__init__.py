"""A server for other programs: speech, edits and alignments over HTTP (`a3t serve`).

Its endpoints call `app.service`, as the page's do: the same lanes of editors, limits and folders.
It is an application of its own beside the page because the two trust different things. Whoever has
the token may send anything within the limits; the page knows visitors by cookies, counts their
uploads, and keeps Gradio from fetching what others name. One guard for both would have to tell them
apart by a path, which a proxy may have moved, and a mistake there is an API without a token. What
they have in common (names of this computer, other sites' requests, the service) is shared.
"""
