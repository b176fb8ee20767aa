"""The formats of samples: what each holds, and how samples become floats and integers again."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import soundfile as sf

Native = np.ndarray[Any, np.dtype[Any]]
"""(samples, channels) in a file's own dtype: int16, int32, float32 or float64."""
# Companded and ADPCM speech decodes to 16-bit integers; those values are kept.
_SPEECH_CODECS = (
    "ULAW ALAW IMA_ADPCM MS_ADPCM GSM610 DPCM_8 DPCM_16 NMS_ADPCM_16 NMS_ADPCM_24 NMS_ADPCM_32 "
    "G721_32 G723_24 G723_40"
)


@dataclass(frozen=True)
class SampleFormat:
    """The samples that a subtype decodes to.

    dtype: the numpy type that holds every decoded value; bits: significant bits of an integer
    sample, None for floats; subtypes: the plain subtypes that keep the decoded values exactly,
    in order of preference.
    """

    dtype: str
    bits: int | None
    subtypes: tuple[str, ...]

    @property
    def is_float(self) -> bool:
        """Whether its samples are floats."""
        return self.bits is None

    @property
    def width(self) -> int:
        """Bytes of one sample in a file."""
        return self.bits // 8 if self.bits else np.dtype(self.dtype).itemsize

    def __str__(self) -> str:
        """Return the format as users know it."""
        return f"{self.bits}-bit" if self.bits else f"{self.dtype[-2:]}-bit float"


_EIGHT = SampleFormat("int16", 8, ("PCM_U8", "PCM_S8"))
_SIXTEEN = SampleFormat("int16", 16, ("PCM_16",))
_TWENTY_FOUR = SampleFormat("int32", 24, ("PCM_24",))
_THIRTY_TWO = SampleFormat("int32", 32, ("PCM_32",))
_FLOAT = SampleFormat("float32", None, ("FLOAT",))
_DOUBLE = SampleFormat("float64", None, ("DOUBLE",))

_BY_SUBTYPE = {
    subtype: kind
    for kind, subtypes in (
        (_EIGHT, "PCM_S8 PCM_U8"),
        (_SIXTEEN, f"PCM_16 ALAC_16 {_SPEECH_CODECS}"),
        (_TWENTY_FOUR, "PCM_24 ALAC_20 ALAC_24"),
        (_THIRTY_TWO, "PCM_32 ALAC_32"),
        (_FLOAT, "FLOAT"),
        (_DOUBLE, "DOUBLE"),
    )
    for subtype in subtypes.split()
}


def sample_format(subtype: str) -> SampleFormat:
    """Return the format of a libsndfile subtype; lossy codecs (MP3, Vorbis, Opus) give float32."""
    return _BY_SUBTYPE.get(subtype, _FLOAT)


def speech_codec(subtype: str) -> str:
    """Return the name of a speech codec whose samples are kept, but not its coding; "" for others.

    A second coding would change all samples.
    """
    if subtype not in _SPEECH_CODECS.split():
        return ""
    return {"ULAW": "µ-law", "ALAW": "A-law"}.get(subtype, subtype)


def is_lossy(subtype: str) -> bool:
    """Return whether a codec's re-encoding changes the samples that were decoded from it."""
    return subtype in {"VORBIS", "OPUS"} or subtype.startswith("MPEG_LAYER")


def to_float(samples: Native) -> np.ndarray:
    """Convert native samples to float64, full scale at 1; exact for every format."""
    if np.issubdtype(samples.dtype, np.integer):
        return samples / float(2 ** (8 * samples.dtype.itemsize - 1))
    return samples.astype(np.float64)


def quantise(samples: np.ndarray, target: SampleFormat) -> Native:
    """Convert float64 samples to `target`'s dtype: rounded to its bits, clipped at full scale.

    There is no dither. Speech carries noise far above one step of 16 bits, dither would put
    noise into a channel that is digitally silent, and a patch that repeats the recording would
    no longer be the recording.
    """
    if target.bits is None:
        return samples.astype(target.dtype)
    full = 2.0 ** (target.bits - 1)
    levels = np.clip(np.rint(samples * full), -full, full - 1)
    shift = 8 * np.dtype(target.dtype).itemsize - target.bits
    return levels.astype(target.dtype) << shift


def can_hold(container: str, subtype: str, sample_rate: int, channels: int) -> bool:
    """Return whether libsndfile writes this combination; tried by opening such a file in memory."""
    if container == "AIFF" and subtype in ("PCM_U8", "PCM_S8"):
        return False  # libsndfile takes the byte that pads an odd number of them for a sample
    try:
        with sf.SoundFile(io.BytesIO(), "w", sample_rate, channels, subtype, format=container):
            return True
    except (sf.LibsndfileError, ValueError, TypeError):
        return False
