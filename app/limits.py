"""Limits of what the page accepts, and the one sentence that says why something is refused.

A page answers strangers, so it is stricter than the command line: it looks at sizes before anything
is read, opens only files that were uploaded to it, and keeps what it makes for an hour.
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

import soundfile

from a3t.audio.reading.containers import stated_seconds
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from app import texts
from app.processes.worker import run_in_sandbox

MAX_SECONDS = 7200.0
MAX_TRACK_SECONDS = 4 * MAX_SECONDS  # of all tracks, as long on the disk, or all other recordings
MAX_MEGABYTES = 1300  # as many seconds of a CD's sound, uncompressed
MAX_CHARACTERS = 200_000  # two hours of fast speech
MAX_TEXT_MEGABYTES = 30  # the edit.json of two hours holds their alignment
KEEP_SECONDS = 3600


def check_upload(path: str | None, uploads: Path) -> Path:
    """Return an uploaded recording as a path inside ``uploads``.

    The path comes from a request, so it is believed only if it lies, links resolved, in the folder
    that uploads are written to. The file's name does not matter.

    Raises
    ------
    InputError
        If it wasn't uploaded, is no sound file, or is too large or too long.
    """
    if not path:
        raise InputError(texts.NO_RECORDING)
    try:
        file = Path(path).resolve()
        is_upload = file.is_relative_to(uploads.resolve()) and file.is_file()
    except (OSError, ValueError, RuntimeError):  # too long, a NUL in it, a loop of links
        is_upload = False
    if not is_upload:
        raise InputError(texts.NOT_UPLOADED)
    if file.stat().st_size > MAX_MEGABYTES * 1_000_000:
        raise InputError(texts.too_large(MAX_MEGABYTES))
    seconds = run_in_sandbox(stated_length, file)
    if not math.isfinite(seconds) or seconds > MAX_SECONDS:
        raise InputError(texts.too_long(MAX_SECONDS))
    return file


def stated_length(file: Path) -> float:
    """Return the length in seconds that a sound file's headers state; InputError if it is none.

    A browser's own recording (WebM) states no length: it is decoded and counted. Of several
    recordings in one file, libsndfile reports only the first.
    """
    seconds = stated_seconds(file)
    try:
        stated = float(soundfile.info(str(file)).duration)
    except (soundfile.SoundFileError, ValueError, RuntimeError):
        if seconds is None:
            raise InputError(texts.NO_SOUND) from None
        return seconds if math.isfinite(seconds) else Recording.open(file).seconds
    return max(stated, seconds) if seconds is not None and math.isfinite(seconds) else stated


def check_together(seconds: Iterable[float]) -> None:
    """Raise InputError if further recordings are too long together."""
    if sum(seconds) > MAX_TRACK_SECONDS:
        raise InputError(texts.too_long_together(MAX_TRACK_SECONDS))


def check_text(text: str | None, name: str) -> str:
    """Return the stripped text ("" for None); InputError naming the field if it is too long."""
    text = (text or "").strip()
    if len(text) > MAX_CHARACTERS:
        raise InputError(texts.too_many_characters(name, len(text), MAX_CHARACTERS))
    return text


def required(text: str | None, name: str, missing: str) -> str:
    """Return the text as `check_text` does; InputError with the sentence ``missing`` if empty."""
    given = check_text(text, name)
    if not given:
        raise InputError(missing)
    return given


def forget_old(folder: Path, now: float | None = None) -> None:
    """Delete the folders in `folder` that were last used more than KEEP_SECONDS ago."""
    limit = (time.time() if now is None else now) - KEEP_SECONDS
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.is_dir() and not entry.is_symlink() and entry.stat().st_mtime < limit:
            shutil.rmtree(entry, ignore_errors=True)
