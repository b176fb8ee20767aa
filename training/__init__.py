"""Training: features stored once, batches drawn from them, and one loop for every network.

Needs torch, NumPy, PyYAML and tqdm; what pitch, alignment, ESPnet or text need is imported where
it is used, so that a bare GPU machine can train.
"""

import sys

from a3t.errors import begin_program

if sys.argv[:1] == ["-m"]:  # a program of this package starts; its imports take their time
    begin_program()
