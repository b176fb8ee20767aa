"""`python -m a3t.inspect`: see `a3t.commands.inspect`."""

from __future__ import annotations

import sys

from a3t.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["inspect", *sys.argv[1:]]))
