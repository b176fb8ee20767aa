"""The version of the aligners, which a kept alignment names."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path


@cache
def edition(package: Path = Path(__file__).parent) -> str:
    """A digest of the package's code and weights, computed once (40 ms).

    A number that somebody has to think of goes stale: alignments were once found in the cache with
    the confidences of networks that had been replaced.
    """
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(package)
        if path.suffix in {".py", ".safetensors"}:
            digest.update(f"{inside.as_posix()}\n".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
