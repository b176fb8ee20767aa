"""The texts of a sound file (title, artist, comment …): read, and carried into an edited copy.

WAV and RF64: every text of LIST INFO, and the chunks of `a3t.audio.chunks`. FLAC, Ogg, AIFF, CAF
and MP3: the ten texts that libsndfile knows. W64 holds none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import soundfile as sf

from a3t.audio import chunks
from a3t.audio.checks import open_audio
from a3t.audio.patches import Patch, sample_map
from a3t.audio.recording import Recording

# libsndfile's names of texts, and those of LIST INFO.
NAMES = {
    "title": b"INAM",
    "copyright": b"ICOP",
    "software": b"ISFT",
    "artist": b"IART",
    "comment": chunks.COMMENT,
    "date": b"ICRD",
    "album": b"IPRD",
    "tracknumber": b"ITRK",
    "genre": b"IGNR",
}

# Bytes of a comment that a reader gets back whole; what is longer spoils an AIFF.
ROOM = {"WAV": 10**7, "WAVEX": 10**7, "RF64": 10**7, "FLAC": 10**6, "OGG": 40_000, "W64": 0}
USUAL_ROOM = 6_000


def comment_of(path: Path) -> str:
    """The file's comment, "" if it has none. Raises InputError if it is no sound."""
    with open_audio(path) as file:
        if file.format not in chunks.RIFF:
            return str(file.comment)
    return chunks.texts_of(path).get(chunks.COMMENT, b"").decode("utf-8", "replace")


def room_for_comment(container: str) -> int:
    """How many bytes of a comment a container (libsndfile's name) holds."""
    return ROOM.get(container, USUAL_ROOM)


def texts_of(recording: Recording) -> dict[str, str]:
    """The recording's texts by libsndfile's names."""
    with open_audio(recording.path) as file:
        return {**file.copy_metadata(), "comment": comment_of(recording.path)}


def set_texts(file: sf.SoundFile, texts: Mapping[str, str]) -> None:
    """Put texts into a file that is about to be written; into a WAV `append_chunks` puts them."""
    if file.format in chunks.RIFF:
        return
    for name, text in texts.items():
        if text and len(text.encode()) <= room_for_comment(file.format):
            setattr(file, name, text)


def append_chunks(
    path: Path, recording: Recording, patches: Sequence[Patch], texts: Mapping[str, str]
) -> None:
    """Put texts, and what the recording has of chunks, behind the samples of a written WAV."""
    if not chunks.is_riff(path):
        return
    info = {NAMES[name]: text.encode() for name, text in texts.items() if name in NAMES}
    chunks.append(
        path,
        [
            *chunks.carried(recording.path, sample_map(recording, patches).output_of),
            *chunks.texts_chunk(chunks.texts_of(recording.path) | info),
        ],
    )
