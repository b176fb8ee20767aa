"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from alignment.errors import AlignmentError


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Writes to a temporary file beside `path` and renames it, so that nobody sees half a file.

    `write` is given the temporary path. Raises AlignmentError if the folder can't be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.stem}.", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise AlignmentError(
            f"{path} can't be written ({error.strerror}): choose another folder."
        ) from error
    part = Path(name)
    try:
        write(part)
        part.chmod(0o666 & ~_umask())
        os.replace(part, path)
    except OSError as error:
        raise AlignmentError(
            f"{path} can't be written ({error.strerror}): choose another folder or free space."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
