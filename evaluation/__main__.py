"""`python -m evaluation`: the experiments and metrics, from the command line."""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which are slow
    from a3t.errors import end_at_once

    end_at_once()

import sys

from evaluation.command_line import main

if __name__ == "__main__":
    sys.exit(main())
