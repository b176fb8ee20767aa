"""A stand-in for torchaudio, so that ESPnet's tasks can be imported without it.

``espnet2.tasks`` imports torchaudio at the top of modules of which A3T needs other parts. The
latest torchaudio is linked to CUDA and fails beside a CPU build of torch, with an OSError where one
would expect an ImportError. Three empty modules suffice, since nothing in them is called; a
torchaudio that works is left in place.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

NAMES = ("torchaudio", "torchaudio.functional", "torchaudio.transforms")


def install() -> bool:
    """Register the empty modules unless torchaudio can be imported; True if they were needed."""
    try:
        importlib.import_module("torchaudio")
    except (ImportError, OSError):
        pass
    else:
        return False
    for name in NAMES:
        module = ModuleType(name, "Stands in for a torchaudio that is missing or can't be loaded.")
        module.__spec__ = ModuleSpec(name, None, is_package=name == "torchaudio")
        module.__dict__["__version__"] = "0.0.0"
        if name == "torchaudio":
            module.__path__ = []
        else:
            setattr(sys.modules["torchaudio"], name.rpartition(".")[2], module)
        sys.modules[name] = module
    return True
