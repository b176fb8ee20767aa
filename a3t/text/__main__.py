"""`python -m a3t.text`: see `a3t.commands.say_as`."""

from __future__ import annotations

import sys

from a3t.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["say-as", *sys.argv[1:]]))
