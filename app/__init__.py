"""The web page over the editor: `python -m app`.

Processes, limits and requests; the script editor is in `studio`, HTTP for programs in `server`.
"""
