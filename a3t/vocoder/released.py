"""Vocoders that the parallel-wavegan package's authors released: fetched once by tag, and kept.

The package names the archives (on Google Drive) and publishes no checksums. So the sums of what
was fetched are written down beside it, and a folder that no longer has them is not opened.
"""

from __future__ import annotations

import json
import re
import shutil
import tarfile
import tempfile
from pathlib import Path

from a3t.audio.output.files import sha256_of
from a3t.errors import InputError
from a3t.user_folders import cache_folder
from a3t.vocoder.parallel_wavegan import archives

TAG = re.compile(r"[a-z0-9_]+_(?:parallel_wavegan|hifigan|(?:\w+_)?melgan)\.v\d+(?:\.\w+)?")
WANTED = re.compile(r"config\.yml|stats\.(?:h5|npy)|checkpoint-\d+steps\.pkl")
SUMS = "sha256.json"


def released(tag: str) -> Path:
    """The folder of a released vocoder; fetched if it is not there, checked if it is.

    Raises InputError if there is no such tag, if it can't be fetched, or if its files have changed
    since they were.
    """
    folder = cache_folder("vocoders") / tag
    if not folder.is_dir():
        _fetch(tag, folder)
    try:
        sums = json.loads((folder / SUMS).read_text(encoding="utf-8"))
        whole = bool(sums) and all(sha256_of(folder / name) == sums[name] for name in sums)
    except (OSError, ValueError, TypeError):
        whole = False
    if not whole:
        raise InputError(
            f"{folder} has changed since it was fetched (its sha256 differs): delete it."
        )
    return folder


def _fetch(tag: str, folder: Path) -> None:
    """Into a folder beside, then renamed: half a vocoder is none."""
    known = archives()
    if tag not in known:
        raise InputError(f"parallel-wavegan has no tag {tag!r}; it has {', '.join(sorted(known))}.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as place:
        archive, unpacked = Path(place, "archive"), Path(place, tag)
        download(known[tag], archive)
        unpacked.mkdir()
        try:
            with tarfile.open(archive) as members:
                for member in members:
                    name = Path(member.name).name  # the folders inside are of no use
                    content = members.extractfile(member) if WANTED.fullmatch(name) else None
                    if content is not None:
                        with content, open(unpacked / name, "wb") as out:
                            shutil.copyfileobj(content, out)
        except (tarfile.TarError, EOFError, OSError) as error:
            raise InputError(f"What was fetched for {tag} is not an archive: {error}.") from None
        sums = {path.name: sha256_of(path) for path in sorted(unpacked.iterdir())}
        (unpacked / SUMS).write_text(json.dumps(sums, indent=2), encoding="utf-8")
        unpacked.rename(folder)


def download(identity: str, path: Path) -> None:
    """A file of Google Drive. Raises InputError where the network doesn't allow it."""
    try:
        import gdown
    except ImportError:
        raise InputError(
            'Fetching a released vocoder needs gdown: pip install "a3t[vocoders]", or unpack the '
            "archive yourself and give its folder."
        ) from None
    try:
        gdown.download(id=identity, output=str(path), quiet=True)
    except (OSError, gdown.exceptions.DownloadError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"The vocoder can't be fetched from Google Drive ({reason}): unpack its archive "
            "yourself and give its folder."
        ) from None
    if not path.is_file():
        raise InputError("The vocoder can't be fetched from Google Drive: nothing came.")
