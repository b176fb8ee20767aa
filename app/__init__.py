"""The web page over the editor: `python -m app`."""
