"""Text files that other programs wrote: bounded, in UTF-8, or one sentence that says why not."""

from __future__ import annotations

from pathlib import Path

from alignment.errors import InputError

LARGEST_TEXT = 1_000_000  # bytes
LARGEST_ALIGNMENT = 500_000_000  # bytes; a day of speech is about 100 MB of JSON


def read_text(path: Path, largest: int = LARGEST_TEXT, kind: str = "text file") -> str:
    """The text of a file of at most `largest` bytes; `kind` ("transcript") is for the errors.

    Raises InputError when it is missing, can't be read, is too large or isn't UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except OSError as error:
        raise InputError(
            f"The {kind} {path} can't be read ({error.strerror}): check its name."
        ) from error
    except ValueError:  # a NUL in its name
        raise InputError(f"The {kind} {str(path)!r} can't be read: check its name.") from None
    if len(data) > largest:
        raise InputError(
            f"{path.name} is too large for a {kind}: it may have up to {largest // 1_000_000} MB."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not text in UTF-8: save it as UTF-8.") from error
