"""What the page accepts, and the one sentence that says so when something is not accepted.

A page answers strangers, so it is stricter than the command line: it looks at sizes before anything
is read, opens only files that were uploaded to it, and keeps what it makes for an hour.
"""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

import soundfile

from a3t.errors import InputError

MAX_MEGABYTES = 100
MAX_SECONDS = 600
MAX_CHARACTERS = 20_000
KEEP_SECONDS = 3600


def check_upload(path: str | None, uploads: Path) -> Path:
    """The uploaded recording as a path inside `uploads`; InputError if it can't be taken.

    The path comes from a request, so it is believed only if it lies, links resolved, in the folder
    that uploads are written to.
    """
    if not path:
        raise InputError("There is no recording yet: upload one first.")
    file = Path(path).resolve()
    if not file.is_relative_to(uploads.resolve()) or not file.is_file():
        raise InputError("This recording was not uploaded here: upload it first.")
    if file.stat().st_size > MAX_MEGABYTES * 1_000_000:
        raise InputError(
            f"The file is larger than {MAX_MEGABYTES} MB: cut it, or use the command line, "
            "which has no such limit."
        )
    try:
        seconds = soundfile.info(str(file)).duration
    except (soundfile.SoundFileError, ValueError, RuntimeError):
        raise InputError(
            "This file is not a sound file that can be read here: upload WAV, FLAC, OGG or MP3."
        ) from None
    if seconds > MAX_SECONDS:
        raise InputError(
            f"The recording is {seconds / 60:.0f} minutes long and this page takes "
            f"{MAX_SECONDS // 60}: cut it, or use the command line, which has no such limit."
        )
    return file


def check_text(text: str | None, name: str) -> str:
    """`text` without the space around it ("" for none); InputError naming the field if too long."""
    text = (text or "").strip()
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The {name} is {len(text)} characters long and this page takes {MAX_CHARACTERS}: "
            "shorten it, or edit the recording in parts."
        )
    return text


def safe_stem(name: str) -> str:
    """A file name's stem with nothing but letters, digits, `.`, `-` and `_`, 60 at most."""
    return re.sub(r"[^\w.-]+", "_", Path(name).stem).strip("._")[:60] or "recording"


def forget_old_results(folder: Path, now: float | None = None) -> None:
    """Delete the folders in `folder` that were last written more than KEEP_SECONDS ago."""
    limit = (time.time() if now is None else now) - KEEP_SECONDS
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.is_dir() and not entry.is_symlink() and entry.stat().st_mtime < limit:
            shutil.rmtree(entry, ignore_errors=True)
