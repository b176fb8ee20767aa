"""`python -m a3t.evaluate`: the experiments and metrics, from the command line."""

from __future__ import annotations

import sys

from a3t.evaluation.command_line import main

if __name__ == "__main__":
    sys.exit(main())
