"""Writing an edited recording: same rate, channels and sample format, whole or not at all."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import soundfile as sf

from a3t.audio.output import id3
from a3t.audio.output.chapters import as_cues, chapters_after, with_chapters
from a3t.audio.output.chunks import COMMENT, RIFF_CONTAINERS, append, texts_chunk
from a3t.audio.output.files import atomic_path, check_target
from a3t.audio.output.metadata import (
    append_chunks,
    decoded_texts,
    set_texts,
    texts_of,
)
from a3t.audio.output.muxing import check_in_sync, codec_in, muxed_format, write_muxed
from a3t.audio.output.patches import Patch, in_order, insert_patches, sample_map
from a3t.audio.reading.checks import open_audio, read_block
from a3t.audio.reading.formats import Native, can_hold, is_lossy, quantise, to_float
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError

CONTAINERS = {
    ".wav": "WAV",
    ".rf64": "RF64",
    ".w64": "W64",
    ".flac": "FLAC",
    ".aif": "AIFF",
    ".aiff": "AIFF",
    ".caf": "CAF",
    ".ogg": "OGG",
    ".oga": "OGG",
    ".opus": "OGG",
    ".mp3": "MP3",
}
# Bytes of samples; a WAV counts its bytes in 32 bits, header included.
MAX_WAV_BYTES = 2**32 - 2**16
LOSSY_SUBTYPES = {"OGG": "VORBIS", "MP3": "MPEG_LAYER_III"}


def default_output(path: Path | str) -> Path:
    """Return {stem}.edited.wav beside the recording."""
    path = Path(path)
    return path.with_name(f"{path.stem}.edited.wav")


def check_output(recording: Recording, out: Path | str) -> Path:
    """Raise InputError if ``out`` can't become the edited recording; see also check_target.

    Reads and writes nothing: the place to fail before the work is done.
    """
    container_and_subtype(recording, out, recording.samples)
    return check_target(out, recording.path)


def write_edited(
    recording: Recording,
    patches: Sequence[Patch],
    out: Path | str,
    comment: str | None = None,
    gain: float = 0.0,
) -> None:
    """Write the recording with the patches in it, streaming; memory does not grow with length.

    The container follows ``out``'s extension, the sample format is the recording's own (for a lossy
    one the 32-bit floats it decodes to, in FLAC 24-bit integers). A container for films takes the
    recording's picture along, if it has one (`a3t.audio.output.muxing`). Without patches the
    samples are identical, and in a file of the same kind every byte. What texts the recording has
    are kept (`a3t.audio.output.metadata`), with ``comment`` in the place of its own if one is
    given. All of it is made louder by ``gain`` dB, and then no sample is as it was.

    Raises InputError if ``out`` is the recording, can't hold its samples, or can't be written; then
    an existing ``out`` is as it was and nothing else is left. Raises ValueError if patches overlap.
    """
    out = Path(out)
    check_target(out, recording.path)
    ordered = in_order(patches, recording)
    samples = sample_map(recording, patches).output_length
    if not samples:
        raise InputError(f"The edit would delete all of {recording.path}: keep at least one word.")
    container, subtype = container_and_subtype(recording, out, samples)
    has_chapters = muxed_format(out) or container in (*RIFF_CONTAINERS, "MP3")
    chapters = chapters_after(recording, sample_map(recording, patches)) if has_chapters else ()
    if muxed_format(out):
        check_in_sync(recording, samples, out)
        blocks, texts = edited_blocks(recording, ordered, gain), texts_of(recording, comment)
        with atomic_path(out) as temporary:
            write_muxed(recording, blocks, temporary, out, texts, chapters)
        return
    if (
        not ordered
        and not gain
        and (container, subtype) == (recording.container, recording.subtype)
    ):
        with atomic_path(out) as temporary:
            shutil.copyfile(recording.path, temporary)
        return
    texts = texts_of(recording, comment)
    layout = (recording.sample_rate, recording.channels, subtype)
    with atomic_path(out) as temporary:
        blocks = edited_blocks(recording, ordered, gain)
        size = samples * recording.channels * recording.format.width
        if not _write(temporary, container, layout, blocks, samples, texts):
            raise _no_room(out, temporary, size)
        append_chunks(temporary, recording, ordered, texts, as_cues(chapters))
        if container == "MP3":
            recorded_tag = id3.tag_of(recording.path) or id3.Tag()
            tag = recorded_tag.without_times().with_texts(decoded_texts(texts))
            id3.prepend(temporary, with_chapters(tag, chapters, recording.sample_rate))


def edited_blocks(recording: Recording, patches: Sequence[Patch], gain: float) -> Iterator[Native]:
    """Yield the edited recording in blocks of its own dtype, louder by ``gain`` dB."""
    for block in insert_patches(recording, patches):
        yield quantise(to_float(block) * 10 ** (gain / 20), recording.format) if gain else block


def container_and_subtype(recording: Recording, out: Path | str, samples: int) -> tuple[str, str]:
    """Return the container and subtype of ``out``, named as libsndfile or, for codecs, FFmpeg does.

    Raises InputError if it can't hold the samples.
    """
    out = Path(out)
    if muxed_format(out):
        return out.suffix[1:].upper(), codec_in(recording, out)
    kind = recording.format
    container = CONTAINERS.get(out.suffix.lower())
    if container is None:
        unknown = f"the ending {out.suffix}, which a3t can't write" if out.suffix else "no ending"
        raise InputError(
            f"{out.name} has {unknown}: use .wav, .flac, .aiff, .caf, .w64, .mp3, .ogg, .opus or "
            ".m4a, or .mov, .mkv, .mp4 or .webm for a film."
        )
    if container == "WAV":
        if samples * recording.channels * kind.width > MAX_WAV_BYTES:
            container = "RF64"
        elif recording.container == "WAVEX":
            container = "WAVEX"
    wanted = kind.subtypes
    if container == "MP3":
        wanted = ("MPEG_LAYER_III",)
    elif container == "FLAC" and is_lossy(recording.subtype):
        wanted = ("PCM_24",)  # which is far finer than what the codec left
    elif container == "OGG":
        opus = out.suffix.lower() == ".opus" or recording.subtype == "OPUS"
        wanted = ("OPUS",) if opus else ("VORBIS",)
    for subtype in wanted:
        if can_hold(container, subtype, recording.sample_rate, recording.channels):
            return container, subtype
    lossless = container not in ("MP3", "OGG")
    raise InputError(
        f"{out} can't hold {f'{kind} samples' if lossless else 'this recording'} at "
        f"{recording.sample_rate} Hz in {recording.channels} channel(s): use a name that ends in "
        ".wav."
    )


def _write(
    path: Path,
    container: str,
    layout: tuple[int, int, str],
    blocks: Iterable[Native],
    samples: int,
    texts: Mapping[str, bytes],
) -> bool:
    """Write a file; True if all of it is there afterwards."""
    try:
        with sf.SoundFile(path, "w", *layout, format=container) as file:
            set_texts(file, texts)
            for block in blocks:
                file.write(block)
    except sf.LibsndfileError:
        return False
    try:
        # The FLAC and Ogg encoders write their last pages on closing, where libsndfile can't
        # report that the disk is full: what a reader finds is the proof.
        with open_audio(path) as file:
            file.seek(max(0, file.frames - 1))
            return file.frames == samples and len(read_block(file, 1, "float32")) == 1
    except (sf.LibsndfileError, InputError):
        return False


def _no_room(out: Path, temporary: Path, size: int) -> InputError:
    """Return the error of a file of up to so many bytes that isn't whole."""
    free = shutil.disk_usage(temporary.parent).free / 1e6
    return InputError(
        f"{out} could not be written to its end (up to {size / 1e6:.1f} MB are needed and "
        f"{free:.1f} MB are free there): make room or choose another place."
    )


def speech_container(out: Path) -> str:
    """Return the kind of file that ``out`` ends in; raise InputError for another ending."""
    container = CONTAINERS.get(out.suffix.lower())
    if container is None:
        raise InputError(
            f"{out} doesn't say by its ending which sound file to write: use .wav or .flac."
        )
    return container


def write_speech(
    out: Path | str,
    samples: np.ndarray,
    sample_rate: int,
    comment: str = "",
) -> None:
    """Write mono float samples (n,) as 16 bits, whole or not at all.

    The file is of the kind that ``out`` ends in. The ``comment`` goes into it if it has room for
    one. Raises InputError if ``out`` has no sound's ending, or can't be written.
    """
    out = check_target(out)
    container = speech_container(out)
    # Limited, not clipped: one loud sample must not be a click.
    samples = samples * min(1.0, 0.99 / max(float(np.abs(samples).max(initial=0.0)), 1e-9))
    subtype = LOSSY_SUBTYPES.get(container, "PCM_16")
    layout, texts = (sample_rate, 1, subtype), {"comment": comment.encode()}
    with atomic_path(out) as temporary:
        if not _write(temporary, container, layout, [samples], len(samples), texts):
            raise _no_room(out, temporary, 2 * len(samples))
        if container in RIFF_CONTAINERS:
            append(temporary, texts_chunk({COMMENT: texts["comment"]}))
        elif container == "MP3":
            id3.prepend(temporary, id3.Tag().with_texts({"comment": comment}))


def stream_header(sample_rate: int) -> bytes:
    """Return the head of a mono WAV of 16 bits whose length isn't known yet; its samples follow.

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
    """Return mono float samples (n,) as little-endian 16-bit integers.

    What is louder than full scale is clipped, since what follows isn't known.
    """
    return bytes((np.clip(samples, -1.0, 1.0) * 32767).round().astype("<i2").tobytes())
