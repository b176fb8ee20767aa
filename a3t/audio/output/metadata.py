"""The texts of a sound file (title, artist, comment …): read, and carried into an edited copy.

WAV and RF64: every text of LIST INFO, and the chunks of `a3t.audio.output.chunks`. FLAC, Ogg, AIFF,
CAF: the ten texts that libsndfile knows. MP3: the ID3v2 tag (`a3t.audio.output.id3`). W64 holds
none. MP4, Matroska and their like: whatever they have, by `a3t.audio.output.muxing`.

A WAV or AIFF doesn't say how its texts are encoded: their bytes are carried as they are. The others
hold UTF-8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import soundfile as sf

from a3t.audio.output import chunks
from a3t.audio.output.patches import Patch, sample_map
from a3t.audio.reading.checks import open_audio
from a3t.audio.reading.recording import Recording

# libsndfile's names of texts, and those of LIST INFO.
INFO_NAMES = {
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
COMMENT_BYTES = {
    "WAV": 10**7, "WAVEX": 10**7, "RF64": 10**7, "FLAC": 10**6, "OGG": 40_000, "W64": 0,
    "MP4": 10**6, "M4V": 10**6, "M4A": 10**6, "MOV": 60_000, "MKV": 10**6, "MKA": 10**6,
    "WEBM": 10**6,
}  # fmt: skip
USUAL_COMMENT_BYTES = 6_000

ENCODINGS = ("utf-8", "cp1252", "latin-1")  # of texts, the first that fits; the last always does
UTF_8_ONLY = ("FLAC", "OGG", "CAF")


def comment_of(path: Path) -> str:
    """Return the file's comment, "" if it has none; raise InputError if it is no sound."""
    return _decoded(_comment(path))


def room_for_comment(container: str) -> int:
    """Return the bytes of a comment that a container (libsndfile's name) holds."""
    return COMMENT_BYTES.get(container, USUAL_COMMENT_BYTES)


def texts_of(recording: Recording, comment: str | None = None) -> dict[str, bytes]:
    """Return the recording's texts by libsndfile's names, in their own encoding.

    A ``comment`` takes the place of its own, in the same encoding if that has all its characters.
    """
    with open_audio(recording.path, recording.track) as file:
        texts = {name: text for name in sf._str_types if (text := file.text(name))}
    recorded = _comment(recording.path)
    return texts | {"comment": recorded if comment is None else _encoded(comment, recorded)}


def decoded_texts(texts: Mapping[str, bytes]) -> dict[str, str]:
    """Return texts whose encoding isn't stated as strings, without the empty ones."""
    return {name: _decoded(text) for name, text in texts.items() if text}


def as_unicode(texts: Mapping[str, str]) -> dict[str, str]:
    """Return PyAV's texts with those bytes decoded that are no UTF-8."""
    return {name: _decoded(text.encode("utf-8", "surrogateescape")) for name, text in texts.items()}


def set_texts(file: sf.SoundFile, texts: Mapping[str, bytes]) -> None:
    """Put texts into a file that is about to be written, as far as it has room.

    Into a WAV `append_chunks` puts them, into an MP3 `a3t.audio.output.id3`.
    """
    if file.format in (*chunks.RIFF_CONTAINERS, "MP3"):
        return
    for name, text in texts.items():
        if file.format in UTF_8_ONLY:
            text = _decoded(text).encode()
        if text and len(text) <= room_for_comment(file.format):
            _set(file, name, text)


def append_chunks(
    path: Path,
    recording: Recording,
    patches: Sequence[Patch],
    texts: Mapping[str, bytes],
    cues: Sequence[tuple[bytes, bytes]] = (),
) -> None:
    """Write texts, and the recording's chunks, behind the samples of a written WAV.

    ``cues`` are written if it has none of its own.
    """
    if not chunks.is_riff(path):
        return
    texts_before = chunks.texts_of(recording.path)
    info = {INFO_NAMES[name]: text for name, text in texts.items() if name in INFO_NAMES}
    added = {
        name: text
        for name, text in info.items()
        if name == chunks.COMMENT or name not in texts_before
    }
    kept = chunks.carried(
        recording.path, sample_map(recording, patches).output_of, recording.sample_rate
    )
    marked = () if any(name == b"cue " for name, _ in kept) else cues
    chunks.append(path, [*kept, *marked, *chunks.texts_chunk(texts_before | added)])


def _comment(path: Path) -> bytes:
    """Return the comment as the file has it: of a WAV's, libsndfile keeps the beginning only."""
    with open_audio(path) as file:
        if file.format not in chunks.RIFF_CONTAINERS:
            return file.text("comment")
    return chunks.texts_of(path).get(chunks.COMMENT, b"")


def _decoded(text: bytes) -> str:
    return text.decode(_encoding(text))


def _encoded(text: str, like: bytes) -> bytes:
    """Encode a text like another one; in UTF-8 where that encoding lacks a character."""
    try:
        return text.encode(_encoding(like))
    except UnicodeEncodeError:
        return text.encode()


def _encoding(text: bytes) -> str:
    for encoding in ENCODINGS:
        try:
            text.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    raise AssertionError("Latin-1 has a character for every byte")


# soundfile decodes texts as UTF-8 and loses what is none, so its binding is called directly.


def _set(file: sf.SoundFile, name: str, text: bytes) -> None:
    sf._snd.sf_set_string(file._file, sf._str_types[name], text)
