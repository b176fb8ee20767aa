"""The JSON records beside sound files: edit.json and speech.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from a3t.audio.output.files import atomic_path, check_target, sha256_of
from a3t.errors import InputError

RECORD_ENTRY = "edits"  # in every edit.json
NEXT = "next"  # in an edit.json whose sound is being replaced: the sha256 of the new one
MAX_RECORD_BYTES = 200_000_000  # bytes; an hour's alignment takes some 10 MB


def record_path(out: Path) -> Path:
    """Return the path of a sound file's edit.json."""
    return out.with_name(f"{out.stem}.edit.json")


def check_record(path: Path, entry: str, sound: Path) -> None:
    """Raise InputError if the record of ``sound`` can't be written to ``path``.

    There may be a damaged one, another sound's, or another program's file, which lacks this entry.
    """
    check_target(path)
    if not path.exists():
        return
    record = load_record(path)
    if entry not in record:
        raise InputError(
            f"not overwriting {path}: a3t did not create it. Move it, or choose another name for "
            "the output."
        )
    owner = _sound_of(record, sound)
    if owner != sound:
        raise InputError(
            f"{path} is the record of {owner.name} and would be replaced: choose another name for "
            "the output, not just another ending."
        )


def _sound_of(record: Mapping[str, Any], sound: Path) -> Path:
    """Return the sound file whose record is where that of ``sound`` belongs."""
    output = record.get("output")
    output = output if isinstance(output, Mapping) else {}
    if isinstance(ending := output.get("ending"), str):
        return sound.with_name(sound.stem + ending)
    for other in sorted(sound.parent.iterdir()):  # older records name only what the sound holds
        named_alike = other.stem == sound.stem and other.is_file()
        if named_alike and sha256_of(other) in (output.get("sha256"), record.get(NEXT)):
            return other
    return sound


def load_record(path: Path) -> dict[str, Any]:
    """Read a record's entries, none if the file holds other JSON.

    Raises InputError if it can't be read.
    """
    try:
        if path.stat().st_size > MAX_RECORD_BYTES:
            raise InputError(f"{path} is too large for an a3t record: move it elsewhere.")
        record = json.loads(path.read_bytes())  # with a byte-order mark or without
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    except json.JSONDecodeError as error:
        ended = not error.doc[error.pos :].strip() or error.msg.startswith("Unterminated")
        what = "it ends too early" if ended else f"line {error.lineno} is not JSON"
        raise damaged(path, what) from None
    except (ValueError, RecursionError):
        raise damaged(path, "it is not JSON") from None
    return record if isinstance(record, dict) else {}


def damaged(path: Path, what: str) -> InputError:
    """Return the error for a record that can't be used."""
    return InputError(
        f"{path} is damaged ({what}): put back an undamaged copy, or move it elsewhere to begin "
        "again without its history."
    )


def write_json(path: Path | str, record: Mapping[str, Any]) -> None:
    """Write a record as readable JSON, whole or not at all."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a file's name of bytes that are no UTF-8
        text = json.dumps(record, indent=1)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", "utf-8")


def with_bare_names(record: dict[str, Any]) -> dict[str, Any]:
    """Strip the folders from the names of files in a record of an edit or of speech.

    Whoever receives it from a server need not know these.
    """
    asked = record.get("asked") or {}
    files = [record["source"]] if "source" in record else list(record["prompts"])
    files += [*asked.get("others", ()), *asked.get("tracks", ()), *record.get("tracks", ())]
    files += [part for edit in record.get("edits", ()) for part in edit.get("taken", ())]
    for file in files:
        if "path" in file:
            file["path"] = Path(file["path"]).name
    return record


def record_and_sound(stage: Path, out: Path) -> list[tuple[Path, Path]]:
    """Return the renames that put an edit in place, so that no sound is without its record.

    That holds even if the process is killed between two of them. A first record is put in place
    before its sound. A later one comes after its sound; before that, the new sound's sha256 is
    added to the existing record, as `NEXT`.
    """
    sound, record = (stage / out.name, out), (record_path(stage / out.name), record_path(out))
    if not (record[1].is_file() and out.is_file()):
        return [record, sound]
    earlier = stage / f"{out.stem}.earlier.json"
    write_json(earlier, load_record(record[1]) | {NEXT: sha256_of(sound[0])})
    return [(earlier, record[1]), sound, record]
