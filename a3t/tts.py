"""`python -m a3t.tts`: see `a3t.commands.tts`."""

from __future__ import annotations

import sys

from a3t.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["tts", *sys.argv[1:]]))
