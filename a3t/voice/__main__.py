"""`python -m a3t.voice`: see `a3t.commands.voice`."""

from __future__ import annotations

import sys

from a3t.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["voice", *sys.argv[1:]]))
