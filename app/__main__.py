"""`python -m app`: see `a3t.commands.app`."""

from __future__ import annotations

import sys

from a3t.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["app", *sys.argv[1:]]))
