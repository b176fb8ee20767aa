"""The web page over the editor: `python -m app`.

Limits and requests; who may ask is in `guarding`, the editors are in `processes`, the script editor
in `studio`, HTTP for programs in `server`.
"""
