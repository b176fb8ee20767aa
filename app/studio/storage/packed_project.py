"""A project as one file, to be kept or taken to another machine: a zip of its folder.

    a3t-project.json       what it is
    original/talk.wav      the recording as it came
    script.json, places.json, words/…, takes/…, voices/…   as in the folder (`folders`)

A file that comes back may have been made by anybody: only members of these names are read, each to
its stated length and all together to a limit, and what they hold is checked before it is kept.
Takes that don't pass are left out; the page makes them anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np

from a3t.errors import InputError
from app import limits, texts
from app.studio.script import draft_of, edits_of, settings_of
from app.studio.storage.folders import REQUEST, VOICE, VOICES, ProjectFolder, words_name
from app.studio.storage.pcm_sound import played
from app.studio.storage.project_checks import (
    checked_part,
    checked_place,
    checked_take,
    checked_voice,
    checked_voices,
    whole,
)
from app.studio.storage.project_pronunciations import FILE, checked

SUFFIX = ".a3t.zip"
MANIFEST = "a3t-project.json"
FORMAT = 1
ORIGINAL = re.compile(r"original/([\w.-]{1,80})")
TAKE_FILE = re.compile(r"takes/([0-9a-f]{16})/(\d{1,2})/(take\.json|request\.json|patch\.npy)")
WORDS_FILE = re.compile(r"words/(\d{4})\.json")
VOICE_FILE = re.compile(rf"{VOICES}/([0-9a-f]{{64}})\.json")
MOST_VOICES, LARGEST_VOICE = 16, 8_000_000  # of a project; bytes
MOST_MEMBERS = 100_000
MALFORMED = KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError
LARGEST_JSON = limits.MAX_TEXT_FILE
LARGEST_PATCH = 100_000_000  # bytes: a minute of eight channels at 192 kHz
BLOCK = 1 << 20
SOUND = ("sample_rate", "file_channels", "samples")
KEPT = ("name", "file", "text", "offered", *SOUND)


def pack(folder: ProjectFolder, target: Path) -> None:
    """Write the project's file."""
    about, script = folder.about, folder.read("script.json", {})
    edits = edits_of(script.get("edits", []))
    told = {name: about[name] for name in KEPT if name in about} | {
        "format": FORMAT,
        "id": about.get("origin", folder.id),
        "edits": len(edits),
        "parts": about.get("parts", []),
        "places": bool(about.get("places")),
        "plain": bool(about.get("plain")),
    }
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(MANIFEST, json.dumps(told))
        archive.write(folder.original, f"original/{folder.original.name}", zipfile.ZIP_STORED)
        for name in _members(folder, {edit.key for edit in edits}):
            archive.write(folder.path / name, name)


def _members(folder: ProjectFolder, keys: set[str]) -> Iterator[str]:
    yield from (
        name
        for name in ("script.json", "places.json", FILE, VOICE)
        if (folder.path / name).is_file()
    )
    for part in range(len(folder.about.get("parts", []))):
        if (folder.path / words_name(part)).is_file():
            yield words_name(part)
    for key in sorted(keys):
        for take in folder.takes(key):
            at = f"takes/{key}/{take['number']}"
            yield from (f"{at}/take.json", f"{at}/patch.npy")
            if (folder.path / at / REQUEST).is_file():
                yield f"{at}/{REQUEST}"
    yield from (f"{VOICES}/{path.name}" for path in sorted((folder.path / VOICES).glob("*.*")))


def manifest_of(path: Path) -> dict[str, Any]:
    """The manifest of a project's file; InputError if it is none. In a process of its own."""
    with _opened(path) as archive:
        return _manifest(archive)


def unpack(path: Path, stage: Path, most: int) -> dict[str, Any]:
    """Write a project's file into the folder `stage`, at most `most` bytes; returns its
    project.json. InputError if it is no project's file. In a process of its own."""
    with _opened(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > most:
            raise InputError(texts.LARGE_PROJECT)
        about = _manifest(archive)
        try:
            return _unpacked(archive, about, ProjectFolder(stage))
        except MALFORMED:
            raise InputError(texts.NO_PROJECT_FILE) from None


def _unpacked(
    archive: zipfile.ZipFile, about: dict[str, Any], folder: ProjectFolder
) -> dict[str, Any]:
    names = set(archive.namelist())
    seconds, samples = about["seconds"], about["samples"]
    originals = [found for name in names if (found := ORIGINAL.fullmatch(name))]
    if [found[1] for found in originals] != [about["file"]]:
        raise ValueError("original")
    with (folder.path / about["file"]).open("wb") as file:
        _copy(archive, originals[0][0], file)
    script = _json(archive, "script.json") if "script.json" in names else {}
    edits = edits_of(script.get("edits", []))
    settings = script.get("settings") or {}
    try:
        settings_of(settings)
    except InputError:  # a voice or a model that isn't here
        settings = {}
    folder.write(
        "script.json",
        {
            "revision": 1,
            "edits": [edit.to_json() for edit in edits],
            "settings": settings,
            "draft": draft_of(script.get("draft")),
        },
    )
    parts = [[whole(a, 0, samples), whole(b, 1, samples + 1)] for a, b in about.pop("parts")]
    if any(first >= last for first, last in parts):
        raise ValueError("parts")
    if about.pop("places"):
        places = [checked_place(place, samples) for place in _json(archive, "places.json")]
        if len(places) != len(parts):
            raise ValueError("places")
        folder.write("places.json", places)
        about["places"] = True
    for name in sorted(names):
        if found := WORDS_FILE.fullmatch(name):
            part = whole(int(found[1]), 0, len(parts))
            heard = checked_part(_json(archive, name), part, seconds)
            folder.write(name, heard.to_json())
    if FILE in names:
        folder.write(FILE, checked(_json(archive, FILE)))
    voices = {found[1] for name in names if (found := VOICE_FILE.fullmatch(name))}
    used = checked_voices(_json(archive, VOICE)) if VOICE in names else {}
    for sha256 in sorted(voices, key=lambda name: (name not in used.values(), name))[:MOST_VOICES]:
        if _voice(archive, sha256, seconds, folder):
            for speaker in (who for who, name in used.items() if name == sha256):
                folder.keep_voice(speaker, sha256)
    keys = {edit.key for edit in edits}
    for name in sorted(names):
        found = TAKE_FILE.fullmatch(name)
        if found and found[1] in keys and found[3] == "take.json":
            _take(archive, name.rpartition("/")[0], about, folder)
    kept = ("origin", "name", "file", "text", "offered", "places", "plain")
    packed = {name: about[name] for name in SOUND} | {"parts": parts}
    return {name: about[name] for name in kept if name in about} | {"packed": packed}


def _take(archive: zipfile.ZipFile, at: str, about: dict[str, Any], folder: ProjectFolder) -> None:
    """A take, unless something is wrong with it."""
    try:
        packed = io.BytesIO()
        _copy(archive, f"{at}/patch.npy", packed, LARGEST_PATCH)
        packed.seek(0)
        patch = np.load(packed, allow_pickle=False)
        record = checked_take(_json(archive, f"{at}/take.json"), patch, about)
    except (*MALFORMED, EOFError, TokenError, MemoryError):  # an array's shape may be a lie
        return
    path = folder.path / at
    request = _request(archive, at)
    if int(path.name) != record["number"]:
        return
    folder.write(f"{at}/take.json", record)
    if request is not None:
        folder.write(f"{at}/{REQUEST}", request)
    np.save(path / "patch.npy", patch, allow_pickle=False)
    (path / "sound.pcm").write_bytes(played(patch))


def _voice(archive: zipfile.ZipFile, sha256: str, seconds: float, folder: ProjectFolder) -> bool:
    """A voice that the recording taught, unless something is wrong with it; whether it is kept."""
    at = f"{VOICES}/{sha256}"
    learnt = io.BytesIO()
    try:
        told = checked_voice(_json(archive, f"{at}.json"), sha256, seconds)
        _copy(archive, f"{at}.safetensors", learnt, LARGEST_VOICE)
    except MALFORMED:
        return False
    if hashlib.sha256(learnt.getvalue()).hexdigest() != sha256:
        return False
    folder.write(f"{at}.json", told)
    (folder.path / f"{at}.safetensors").write_bytes(learnt.getvalue())
    return True


def _request(archive: zipfile.ZipFile, at: str) -> dict[str, Any] | None:
    """The order of a take, if its file has one."""
    from a3t.projects.takes import Take  # which needs torch, and the server has none

    try:
        return Take.from_json(_json(archive, f"{at}/{REQUEST}")).to_json()
    except MALFORMED:
        return None


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        data = _json(archive, MANIFEST)
        if data["format"] != FORMAT or not re.fullmatch(r"[0-9a-f]{24}", data["id"]):
            raise ValueError("format")
        about = {
            "origin": data["id"],
            "name": str(data["name"])[:120],
            "file": str(data["file"]),
            "edits": whole(data["edits"], 0, 1_000_000),
            "parts": list(data["parts"]),
            "places": data["places"] is True,
            "plain": data.get("plain") is True,
            "sample_rate": whole(data["sample_rate"], 1, 1_000_000),
            "file_channels": whole(data["file_channels"], 1, 1000),
            "samples": whole(data["samples"], 1, 2**40),
        }
        about["seconds"] = about["samples"] / about["sample_rate"]
        for name in ("text", "offered"):
            if data.get(name):
                about[name] = limits.check_text(str(data[name]), texts.THE_TRANSCRIPT)
        if limits.safe_stem(about["file"]) != Path(about["file"]).stem:
            raise ValueError("file")
    except MALFORMED:
        raise InputError(texts.NO_PROJECT_FILE) from None
    return about


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, NotImplementedError):
        raise InputError(texts.NO_PROJECT_FILE) from None
    members = archive.infolist()
    plain = all(
        member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        and not member.flag_bits & 1
        for member in members
    )
    if (
        not plain
        or len(members) > MOST_MEMBERS
        or len({m.filename for m in members}) < len(members)
    ):
        archive.close()
        raise InputError(texts.NO_PROJECT_FILE)
    return archive


def _json(archive: zipfile.ZipFile, name: str) -> Any:
    text = io.BytesIO()
    _copy(archive, name, text, LARGEST_JSON)
    return json.loads(text.getvalue())


def _copy(archive: zipfile.ZipFile, name: str, target: IO[bytes], most: int | None = None) -> None:
    """A member to its stated length; ValueError if it is longer than that or than `most`, or
    damaged. KeyError if there is none."""
    member = archive.getinfo(name)
    left = member.file_size
    if most is not None and left > most:
        raise ValueError(name)
    try:
        with archive.open(member) as file:
            while block := file.read(BLOCK):
                left -= len(block)
                if left < 0:
                    raise ValueError(name)
                target.write(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        raise ValueError(name) from error
