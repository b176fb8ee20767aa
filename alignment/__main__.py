"""`python -m alignment`: see `a3t.commands.align`."""

from __future__ import annotations

import sys

from a3t.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["align", *sys.argv[1:]]))
