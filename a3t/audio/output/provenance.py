"""The synthetic parts of a sound file, written into the file and read again.

The comment of the file (LIST INFO in a WAV, a Vorbis comment in FLAC or Ogg) gets a block of lines
that people and programs can read:

    [a3t 0.1.0 wrote this file: 61234 samples at 16000 Hz]
    1.234500-1.800000 s synthetic "never" (small 76ddcab8521a, builtin 53121e709e2c)
    2.345000-2.351000 s joined where something was cut out
    3.500000-5.250000 s recorded elsewhere "We meet on Friday."
    [end of a3t]

What was deleted is not named. What stood in the comment before stays there; an edit of a file that
was edited before keeps the older lines, at their new times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from msgspec import Meta

from a3t import __version__
from a3t.audio.output.metadata import comment_of, room_for_comment
from a3t.audio.output.patches import Patch, sample_map
from a3t.audio.output.writing import container_and_subtype
from a3t.audio.reading.checks import open_audio
from a3t.audio.reading.containers import TrackReader
from a3t.audio.reading.recording import Recording
from a3t.spans import SpanMap
from alignment.serialisation import Record

CUT = "joined where something was cut out"
EXACT = ("PCM_", "FLOAT", "DOUBLE")  # libsndfile's names of samples that no codec changes
MAX_PADDING_S = 0.05  # that AAC and Opus in a container of films add or leave out
MAX_TRACES = 20_000  # that are read; an edited word every second for five hours is fewer

# A comment may be anybody's: nothing here searches a stretch of it twice, and numbers have an end.
_HEAD = re.compile(r"\[a3t \S{1,40} wrote this file: (\d{1,15}) samples at (\d{1,9}) Hz\]\n")
_END = "[end of a3t]"
MOVED_PHRASE = "recorded elsewhere"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # a NUL ends a comment, a line break a line
_TIME = r"(\d{1,9}(?:\.\d{1,9})?)"
_LINE = re.compile(
    rf"{_TIME}-{_TIME} s "
    rf'(?:(synthetic|{MOVED_PHRASE})(?: "([^"\n]*)")?(?: \(([^)\n]*)\))?|{CUT})'
)


@dataclass(frozen=True, slots=True)
class Trace:
    """A part [start, end) of a file, in seconds, that is not as it was recorded.

    ``synthetic`` if a machine made it, ``moved`` if it was recorded elsewhere, else the joint of a
    cut. ``words``: the words there; ``models``: the model's and the vocoder's names with the
    beginning of their sha256.
    """

    start: float
    end: float
    synthetic: bool
    words: str = ""
    models: str = ""
    moved: bool = False

    def at(self, start: float, end: float) -> Trace:
        """Return the trace at another time."""
        return replace(self, start=start, end=end)

    def __str__(self) -> str:
        """Return the line that a file's comment has of it."""
        if not self.synthetic and not self.moved:
            return f"{self.start:.6f}-{self.end:.6f} s {CUT}"
        words, models = (_CONTROL.sub(" ", text) for text in (self.words, self.models))
        words = ' "{}"'.format(words.replace('"', "'")) if words else ""
        models = " ({})".format(re.sub("[()]", "", models)) if models else ""
        kind = MOVED_PHRASE if self.moved else "synthetic"
        return f"{self.start:.6f}-{self.end:.6f} s {kind}{words}{models}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """A file's own account of its parts; ``intact`` if the file is still as long as it says."""

    traces: tuple[Trace, ...]
    sample_rate: int
    samples: int
    intact: bool = True

    @property
    def synthetic_seconds(self) -> float:
        """Seconds that are synthetic."""
        return sum(trace.end - trace.start for trace in self.traces if trace.synthetic)


@dataclass(frozen=True)
class Weights(Record):
    """The network by which something was made; sha256: of its file, if it has one."""

    name: Annotated[str, Meta(max_length=2000)]
    sha256: Annotated[str, Meta(max_length=2000)] | None


def models_named(*models: Weights | None) -> str:
    """Return the names of those that are there, each with the first 12 digits of its sha256."""
    named = ((Path(each.name).name, (each.sha256 or "")[:12]) for each in models if each)
    return ", ".join(" ".join(filter(None, pair)) for pair in named)


def provenance_of(path: Path) -> Provenance:
    """Read a file's own account of its synthetic parts; raise InputError if it is no sound."""
    with open_audio(path) as file:
        rate, samples = file.samplerate, file.frames
        encoded = isinstance(file, TrackReader) and not file.subtype.startswith(EXACT)
    block, _ = _split(comment_of(path).replace("\r\n", "\n"))
    if block is None:
        return Provenance((), rate, samples)
    matches = map(_LINE.fullmatch, block.lines.split("\n"))
    traces = tuple(
        Trace(
            *(float(line[1]), float(line[2])),
            line[3] == "synthetic",
            *(line[4] or "", line[5] or ""),
            moved=line[3] == MOVED_PHRASE,
        )
        for line in islice(filter(None, matches), MAX_TRACES)
    )
    intact = (block.samples, block.rate) == (samples, rate)
    if encoded and block.rate:
        intact = abs(block.samples / block.rate - samples / rate) <= MAX_PADDING_S
    return Provenance(traces, rate, samples, intact)


def traces_after(
    recording: Recording,
    patches: Sequence[Patch],
    words: Sequence[str | None],
    models: str,
    within: Mapping[int, Sequence[Trace]] = MappingProxyType({}),
) -> tuple[Trace, ...]:
    """Return the edited recording's traces in order, with those that the recording had before.

    ``words``: of each of the ordered patches; None where nothing was made, only something cut out.
    ``within``: of patches that were recorded elsewhere, by their number, the traces that came with
    them.
    """
    rate, spans = recording.sample_rate, sample_map(recording, patches)
    traces = [*_moved(provenance_of(recording.path).traces, spans, rate)]
    for number, (change, made) in enumerate(zip(spans.changes, words, strict=True)):
        times = (change.output[0] / rate, change.output[1] / rate)
        if number in within:
            traces += [Trace(*times, False, made or "", moved=True), *within[number]]
        else:
            traces.append(Trace(*times, made is not None, made or "", models if made else ""))
    return tuple(sorted(traces, key=lambda trace: (trace.start, trace.end)))


def comment(
    recording: Recording, patches: Sequence[Patch], traces: Sequence[Trace], out: Path
) -> str:
    """Return the comment of the edited recording ``out``: the recording's own, and the traces.

    Where a file of this kind has little room the words are left out, or all.
    """
    samples = sample_map(recording, patches).output_length
    container, _ = container_and_subtype(recording, out, samples)
    _, rest = _split(comment_of(recording.path).replace("\r\n", "\n"))
    before = rest.strip("\n")
    for shown in (traces, [replace(trace, words="") for trace in traces]):
        block = provenance_block(shown, samples, recording.sample_rate)
        text = "\n".join(filter(None, (before, block)))
        if len(text.encode()) <= room_for_comment(container):
            return text
    return before


def provenance_block(traces: Sequence[Trace], samples: int, sample_rate: int) -> str:
    """Return the block of lines that tells of these traces; "" for none."""
    if not traces:
        return ""
    head = f"[a3t {__version__} wrote this file: {samples} samples at {sample_rate} Hz]"
    return "\n".join([head, *map(str, traces), "[end of a3t]"])


@dataclass(frozen=True, slots=True)
class _Block:
    """A parsed block: the file's length then, in samples, its rate, and the lines."""

    samples: int
    rate: int
    lines: str


def _split(comment: str) -> tuple[_Block | None, str]:
    """Return the first block of a comment, and the comment without any, in linear time."""
    first: _Block | None = None
    rest: list[str] = []
    position = 0
    while (head := _HEAD.search(comment, position)) and (
        end := comment.find(_END, head.end())
    ) >= 0:
        if first is None:
            first = _Block(int(head[1]), int(head[2]), comment[head.end() : end])
        rest.append(comment[position : head.start()])
        position = end + len(_END)
        position += comment.startswith("\n", position)
    return first, "".join([*rest, comment[position:]])


def _moved(traces: Iterable[Trace], spans: SpanMap, rate: int) -> Iterator[Trace]:
    """Yield the traces that the edit leaves, at their new times."""
    move, changed = spans.output_of, [change.source for change in spans.changes]
    for trace in traces:
        first, last = round(trace.start * rate), round(trace.end * rate)
        if first == last and not any(begin < first < end for begin, end in changed):
            yield trace.at(move(first) / rate, move(first) / rate)
        for begin, end in changed:
            if first < begin < last:
                yield trace.at(move(first) / rate, (move(begin - 1) + 1) / rate)
            if first < end and begin < last:
                first = end
        if first < last:
            yield trace.at(move(first) / rate, (move(last - 1) + 1) / rate)
