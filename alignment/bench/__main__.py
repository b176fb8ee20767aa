"""python -m alignment.bench"""

from __future__ import annotations

import sys

from alignment.bench.boundary_errors import main

if __name__ == "__main__":
    sys.exit(main())
