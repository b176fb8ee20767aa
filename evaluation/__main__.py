"""`python -m evaluation`: the experiments and metrics, from the command line."""

from __future__ import annotations

import sys

from evaluation.command_line import main

if __name__ == "__main__":
    sys.exit(main())
