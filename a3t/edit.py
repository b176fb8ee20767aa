"""`python -m a3t.edit`: see `a3t.commands.edit`."""

from __future__ import annotations

import sys

from a3t.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["edit", *sys.argv[1:]]))
