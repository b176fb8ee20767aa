"""The web page over the editor: `python -m app`.

Limits and requests; the editors are in `processes`, the script editor in `studio`, HTTP for
programs in `server`.
"""
