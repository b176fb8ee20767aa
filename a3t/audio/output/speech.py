"""Writing files without a source: synthesised speech, and the records beside sound files."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from a3t.audio.output.files import atomic_path, check_target, sha256_of
from a3t.audio.output.metadata import room_for_comment
from a3t.audio.output.writing import CONTAINERS
from a3t.errors import InputError

NEXT = "next"  # in an edit.json whose sound is being replaced: the sha256 of the new one
LARGEST_RECORD = 200_000_000  # bytes; an hour's alignment takes some 10 MB
LOSSY_SUBTYPES = {"OGG": "VORBIS", "MP3": "MPEG_LAYER_III"}


def write_speech(
    out: Path | str,
    samples: np.ndarray,
    sample_rate: int,
    comment: str = "",
) -> None:
    """Mono float samples (n,) as a 16-bit file of the kind ``out`` ends in, whole or not at all.

    The ``comment`` goes into the file if it has room for one.

    Raises InputError if ``out`` has no sound's ending, or can't be written.
    """
    out = check_target(out, None)
    container = CONTAINERS.get(out.suffix.lower())
    if container is None:
        raise InputError(
            f"{out} has no extension that says which file to write: use .wav or .flac."
        )
    # Limited, not clipped: one loud sample must not be a click.
    samples = samples * min(1.0, 0.99 / max(float(np.abs(samples).max(initial=0.0)), 1e-9))
    subtype = LOSSY_SUBTYPES.get(container, "PCM_16")
    with atomic_path(out) as temporary:
        try:
            layout = (sample_rate, 1, subtype)
            with soundfile.SoundFile(temporary, "w", *layout, format=container) as file:
                if comment and len(comment.encode()) <= room_for_comment(container):
                    file.comment = comment
                file.write(samples)
        except soundfile.LibsndfileError as error:
            raise InputError(f"{out} could not be written: {error.error_string}") from None


def stream_header(sample_rate: int) -> bytes:
    """The head of a mono WAV of 16 bits whose length isn't known yet; its samples follow.

    The sizes are the largest that the format can hold, which players take as "until the end".
    """
    unknown = 0xFFFFFFFF
    layout = struct.pack("<HHIIHH", 1, 1, sample_rate, 2 * sample_rate, 2, 16)
    return b"".join(
        [
            b"RIFF" + struct.pack("<I", unknown) + b"WAVE",
            b"fmt " + struct.pack("<I", len(layout)) + layout,
            b"data" + struct.pack("<I", unknown - 36),
        ]
    )


def pcm16(samples: np.ndarray) -> bytes:
    """Mono float samples (n,) as little-endian 16-bit integers; what is louder than full scale is
    clipped, since what follows isn't known."""
    return bytes((np.clip(samples, -1.0, 1.0) * 32767).round().astype("<i2").tobytes())


def record_path(out: Path) -> Path:
    """The path of a sound file's edit.json."""
    return out.with_name(f"{out.stem}.edit.json")


def check_record(path: Path, entry: str, sound: Path) -> None:
    """InputError if the record of ``sound`` can't be written to ``path``, where there is a damaged
    one, another sound's, or another program's file, which lacks this entry."""
    check_target(path)
    if not path.exists():
        return
    record = load_record(path)
    if entry not in record:
        raise InputError(
            f"{path} would be replaced, but a3t didn't write it: move it, "
            "or choose another name for the output."
        )
    owner = _sound_of(record, sound)
    if owner != sound:
        raise InputError(
            f"{path} is the record of {owner.name} and would be replaced: choose another name for "
            "the output, not just another ending."
        )


def _sound_of(record: Mapping[str, Any], sound: Path) -> Path:
    """The sound file whose record is where that of ``sound`` belongs."""
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
    """A record's entries, none if the file holds other JSON; InputError if it can't be read."""
    try:
        if path.stat().st_size > LARGEST_RECORD:
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
    """The error for a record that can't be used."""
    return InputError(
        f"{path} is damaged ({what}): put back an undamaged copy, or move it elsewhere to begin "
        "again without its history."
    )


def write_json(path: Path | str, record: Mapping[str, Any]) -> None:
    """A record as readable JSON, whole or not at all."""
    text = json.dumps(record, indent=1, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a file's name of bytes that are no UTF-8
        text = json.dumps(record, indent=1)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", "utf-8")
