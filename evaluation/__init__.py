"""The laboratory that measures: metrics, baselines, benchmarks and reports.

It imports the product and what trains, and neither imports it; no wheel holds it.

Its third-party packages (pyworld, pesq, pystoi, Resemblyzer, matplotlib) make up the extra `eval`
and are imported only when a function that needs them is called.
"""

import sys

from a3t.errors import begin_program

if sys.argv[:1] == ["-m"]:  # a program of this package starts; its imports take their time
    begin_program()
