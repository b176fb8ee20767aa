"""Text files that other programs wrote: bounded and decoded, or one sentence that says why not."""

from __future__ import annotations

import codecs
from pathlib import Path

from alignment.errors import InputError

LARGEST_TEXT = 1_000_000  # bytes
LARGEST_ALIGNMENT = 500_000_000  # bytes; a day of speech is about 100 MB of JSON
RECOGNISED_MARK = "recognised by a3t"
"""The mark of words that a3t recognised, and nobody has corrected, in the files that it writes."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))


def read_bytes(path: Path, largest: int, kind: str) -> bytes:
    """Read a file of at most ``largest`` bytes; ``kind`` ("transcript") is for the errors.

    Raises InputError when it is missing, can't be read or is too large.
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
        most = f"{largest // 1_000_000} MB" if largest >= 1_000_000 else f"{largest // 1000} kB"
        raise InputError(f"{path.name} is too large for a {kind}: it may have up to {most}.")
    return data


def decoded(data: bytes, path: Path) -> tuple[str, tuple[str, ...]]:
    """Decode a file, with a note if it is in none of Unicode's encodings.

    Then it is Windows-1252, which most old subtitles are. Raises InputError for what is no text.
    """
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        if encoding == "utf-8" and data.translate(None, _CONTROL_BYTES) == data:
            try:
                return data.decode("cp1252"), ("in the encoding Windows-1252",)
            except UnicodeDecodeError:
                pass
        raise InputError(f"{path.name} is not text in UTF-8: save it as UTF-8.") from error


def read_text(path: Path, largest: int = LARGEST_TEXT, kind: str = "text file") -> str:
    """Read and decode a file of at most ``largest`` bytes; errors as for both of these."""
    return decoded(read_bytes(path, largest, kind), path)[0]
