"""The frames of an MP3, found one by one, whatever its headers say."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path

RATES_HZ = ((44_100, 48_000, 32_000), (22_050, 24_000, 16_000), (11_025, 12_000, 8_000))
KBITS_PER_S = {  # by version and layer
    (1, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
PADDING_FRAMES = 4  # that an encoder puts before and behind the sound, and a decoder takes off
FRAMES_PROBED = 3  # that must follow each other for the first of them to be one
TAG_MARKS = (b"TAG", b"ID3", b"APE", b"LYR")  # what may stand behind a frame of sound
MAX_SKIPPED = 1_000_000  # bytes between two frames: a picture in a tag


@dataclass(frozen=True)
class Mp3Frames:
    """The frames of an MP3.

    Attributes
    ----------
    spans
        The bytes [first, last) of the frames of sound and of the first header.
    count
        The number of frames of sound.
    samples
        The samples of one frame.
    stated
        The byte at which the first header counts the frames; None without a header.
    whole
        Whether the file ends with a frame or a tag, not within a frame.
    uniform
        Whether all frames have the same sample rate and number of channels.
    gap_s
        The second of the first bytes between two frames of sound that are neither a frame nor a
        tag; None without such bytes, or if the first header states no more frames than there are.
    """

    spans: tuple[tuple[int, int], ...]
    count: int
    samples: int
    stated: int | None
    whole: bool
    uniform: bool
    gap_s: float | None

    def contradict(self, samples: int) -> bool:
        """Return whether a decoder that finds this number of samples leaves some out.

        It may also find too many: those that a header states but that aren't there.
        """
        missing = self.count * self.samples - samples
        too_many = missing < -2 * self.samples and self.whole
        return not self.uniform or too_many or missing > PADDING_FRAMES * self.samples


@dataclass(frozen=True)
class _Frame:
    """What a frame's header says: its bytes, samples, sample rate in Hz and channels."""

    length: int
    samples: int
    rate: int
    channels: int

    @property
    def layout(self) -> tuple[int, int]:
        return self.rate, self.channels


def mp3_frames(path: Path) -> Mp3Frames | None:
    """Return the frames of an MP3; None if there are none."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        count, stated, place, end = 0, None, 0, 0
        whole = uniform = True
        gaps = list[float]()  # seconds
        skips = False
        spans = list[tuple[int, int]]()
        first: _Frame | None = None
        while place < len(data):
            if data[place : place + 3] == b"ID3" and place + 10 <= len(data):
                place += 10 + _synchsafe(data[place + 6 : place + 10])
                continue
            frame = _frame(data, place)
            expected = first and place == end and frame and frame.layout == first.layout
            if not frame or (not expected and not _followed(data, place, frame)):
                skips = skips or (place == end and data[place : place + 3] not in TAG_MARKS)
                place = data.find(b"\xff", place + 1, place + MAX_SKIPPED)
                if place < 0:
                    break
                continue
            if place + frame.length > len(data):
                whole = False
                break
            header = _count_place(data, place, frame.length)
            opening = header is not None and first is None
            if header is None:
                if first and skips:
                    gaps.append(count * first.samples / first.rate)
                skips = False
                count += 1
                first = first or frame
                uniform = uniform and frame.layout == first.layout
            elif opening and stated is None:
                stated = header
            if header is None or (opening and not spans):
                if spans and spans[-1][1] == place:
                    spans[-1] = (spans[-1][0], place + frame.length)
                else:
                    spans.append((place, place + frame.length))
            place = end = place + frame.length
        if first is None:
            return None
        # An encoder may count its header among the frames.
        misses = stated is not None and _stated_count(data, stated) > count + 1
        gap = gaps[0] if gaps and misses else None
        return Mp3Frames(tuple(spans), count, first.samples, stated, whole, uniform, gap)


def _frame(data: mmap.mmap, place: int) -> _Frame | None:
    """Return the frame whose header stands at a byte; None if there is none."""
    head = data[place : place + 4]
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return None
    version, layer = (head[1] >> 3) & 3, 4 - ((head[1] >> 1) & 3)
    bits, rate = head[2] >> 4, (head[2] >> 2) & 3
    if version == 1 or layer == 4 or not 0 < bits < 15 or rate == 3:
        return None
    half = version != 3  # MPEG 2 and 2.5 have half the rate, and half the samples
    hertz = RATES_HZ[{3: 0, 2: 1, 0: 2}[version]][rate]
    kilobits = KBITS_PER_S[(2, min(layer, 2)) if half else (1, layer)][bits - 1]
    padding = (head[2] >> 1) & 1
    channels = 1 if head[3] >> 6 == 3 else 2
    if layer == 1:
        return _Frame((12 * kilobits * 1000 // hertz + padding) * 4, 384, hertz, channels)
    samples = 576 if layer == 3 and half else 1152
    length = samples // 8 * kilobits * 1000 // hertz + padding
    return _Frame(length, samples, hertz, channels)


def _followed(data: mmap.mmap, place: int, frame: _Frame) -> bool:
    """Return whether frames of the same layout follow one, or the file or a tag does."""
    following = frame
    for _ in range(FRAMES_PROBED - 1):
        place += following.length
        if place >= len(data):
            return True
        next_frame = _frame(data, place)
        if not next_frame or next_frame.layout != frame.layout:
            return data[place : place + 3] in TAG_MARKS
        following = next_frame
    return True


def _count_place(data: mmap.mmap, place: int, length: int) -> int | None:
    """Return the byte of the count of frames in a header's frame; None for a frame of sound."""
    header = data[place : place + min(length, 64)]
    for name in (b"Xing", b"Info"):
        at = header.find(name)
        if at > 0:
            return place + at + 8
    return place + 36 + 14 if header[36:40] == b"VBRI" else None


def _stated_count(data: mmap.mmap, stated: int) -> int:
    """Return the number of frames that a header states; 0 if it states none."""
    flags = data[stated - 4 : stated]
    is_xing = data[stated - 8 : stated - 4] in (b"Xing", b"Info")
    if is_xing and not flags[3] & 1:
        return 0
    return int.from_bytes(data[stated : stated + 4], "big")


def _synchsafe(four: bytes) -> int:
    a, b, c, d = four
    return (a & 127) << 21 | (b & 127) << 14 | (c & 127) << 7 | d & 127
