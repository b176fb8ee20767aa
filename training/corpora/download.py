"""Download a corpus: announced, resumed, verified and unpacked.

python -m training.corpora.download vctk DOWNLOADS
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tqdm import tqdm

from a3t.audio.output.files import atomic_path
from a3t.console import say
from a3t.errors import InputError
from training.programs import Program, option

CHUNK = 2**20


@dataclass(frozen=True)
class Archive:
    """A published file; ``size`` in GB, to tell the user how long to wait."""

    url: str
    algorithm: str
    digest: str
    size: float
    licence: str

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


def fetch(archive: Archive, folder: Path) -> Path:
    """The archive's path, after downloading it if need be; InputError if that fails.

    If the connection drops, the download resumes from the part that has arrived, in this run or
    the next. Only a whole file with another digest is deleted.
    """
    target = folder / archive.name
    if target.exists():
        return target
    part = target.with_name(f"{target.name}.part")
    have = _size(part)
    about = f"{archive.size:.1f} GB ({archive.licence}), {have} bytes already here"
    say(f"Fetching {archive.url}: {about}")
    try:
        while not (whole := _receive(archive.url, part)) and _size(part) > have:
            have = _size(part)
    except urllib.error.HTTPError as error:
        raise InputError(f"{archive.url} can't be fetched: {error}.") from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise InputError(
            f"{archive.url} can't be fetched ({reason}): run the command again to resume."
        ) from None
    if not whole:
        raise InputError(
            f"{archive.url} stopped after {have} bytes, which are kept: run the command again to "
            "resume."
        )
    if _checksum(part, archive.algorithm) != archive.digest:
        part.unlink()
        raise InputError(
            f"{archive.name} is not the published file (its {archive.algorithm} differs) and was "
            "deleted: run the command again."
        )
    part.rename(target)
    return target


def _receive(url: str, part: Path) -> bool:
    """Append what ``part`` lacks; True when it has all that the server says there is."""
    have = _size(part)
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"})
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing is left to send
            return True
        raise
    with answer, open(part, "ab") as file:
        first = have if answer.status == 206 else 0  # else all of it comes again
        length = answer.headers.get("Content-Length")
        total = first + int(length) if length else None
        if total is not None and total < have:
            raise InputError(
                f"{url} now gives {total} bytes, fewer than the {have} of {part}, which is kept: "
                "is a login page in the way? If not, delete that file."
            )
        try:
            with tqdm(total=total, initial=first, unit="B", unit_scale=True) as bar:
                while data := _next(answer):
                    file.write(data[max(0, have - first) :])
                    first += len(data)
                    bar.update(len(data))
        except _DroppedError:
            return False
    return first == total or (total is None and answer.chunked)


class _DroppedError(Exception):
    """The connection ended in the middle."""


def _next(answer: Any) -> bytes:
    try:
        return bytes(answer.read(CHUNK))
    except (OSError, HTTPException):
        raise _DroppedError from None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _checksum(path: Path, algorithm: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def _libritts(part: str, algorithm: str, digest: str, size: float) -> Archive:
    url = f"https://www.openslr.org/resources/60/{part}.tar.gz"
    return Archive(url, algorithm, digest, size, "CC BY 4.0")


CORPORA: dict[str, tuple[Archive, ...]] = {
    "ljspeech": (
        Archive(
            "https://data.keithito.com/data/speech/LJSpeech-1.1.tar.bz2",
            "sha256",
            "be1a30453f28eb8dd26af4101ae40cbf2c50413b1bb21936cbcdc6fae3de8aa5",
            2.6,
            "public domain",
        ),
    ),
    "vctk": (
        Archive(
            "https://datashare.ed.ac.uk/bitstream/handle/10283/3443/VCTK-Corpus-0.92.zip",
            "sha256",
            "f96258be9fdc2cbff6559541aae7ea4f59df3fcaf5cf963aae5ca647357e359c",
            11.7,
            "CC BY 4.0",
        ),
    ),
    "libritts": (
        _libritts("train-clean-100", "md5", "4a8c202b78fe1bc0c47916a98f3a2ea8", 7.7),
        _libritts("train-clean-360", "md5", "a84ef10ddade5fd25df69596a2767b2d", 27.0),
        _libritts(
            "dev-clean",
            "sha256",
            "da0864e1bd26debed35da8a869dd5c04dfc27682921936de7cff9c8a254dbe1a",
            1.3,
        ),
        _libritts(
            "test-clean",
            "sha256",
            "234ea5b25859102a87024a4b9b86641f5b5aaaf1197335c95090cde04fe9a4f5",
            1.2,
        ),
    ),
}


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive, once; nothing is written outside the folder."""
    done = folder / f".{archive.name}.unpacked"
    if done.exists():
        return
    say(f"Unpacking {archive.name}")
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
    else:
        with tarfile.open(archive) as tar:
            unpack_tar(tar, folder)
    with atomic_path(done) as temporary:
        temporary.touch()


def unpack_tar(tar: tarfile.TarFile, folder: Path) -> None:
    """Unpack files and folders, all inside the folder; InputError for an archive of more."""
    if hasattr(tarfile, "data_filter"):
        try:
            tar.extractall(folder, filter="data")
        except tarfile.FilterError as error:
            raise InputError(f"The archive can't be trusted: {error}.") from None
        return
    for member in tar.getmembers():  # Python before 3.11.4, which Debian 12 has
        inside = (folder / member.name).resolve().is_relative_to(folder.resolve())
        if not inside or not (member.isfile() or member.isdir()):
            raise InputError(f"The archive can't be trusted: it has {member.name} in it.")
    tar.extractall(folder)


def download(corpus: str, folder: Path) -> None:
    """Download, verify and unpack a whole corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = CORPORA[corpus]
    missing = [archive for archive in wanted if not (folder / archive.name).exists()]
    need = sum(archive.size for archive in missing) * 2.2  # the archives and their contents
    free = shutil.disk_usage(folder).free / 1e9
    if need > free:
        raise InputError(f"{folder} has {free:.0f} GB free and needs about {need:.0f} GB.")
    for archive in wanted:
        unpack(fetch(archive, folder), folder)


main = Program(
    lambda options: download(options.corpus, options.folder),
    option("corpus", choices=sorted(CORPORA)),
    option("folder", type=Path),
)


if __name__ == "__main__":
    sys.exit(main())
