"""Exports an edited recording for other programs: words, subtitles, lists of edits, a picture.

| kind | file beside OUT | |
|---|---|---|
| textgrid | .TextGrid | Praat: words and phones of the result |
| labels | .labels.txt | Audacity labels: its words |
| srt, vtt | .srt, .vtt | subtitles of the result |
| word-srt, word-vtt | .words.srt, .words.vtt | the same with a cue for each word |
| csv | .edits.csv | one edit per line: words, and times before and after in seconds |
| edl | .edl | CMX 3600: which parts of OUT are original, which synthetic |
| otio | .otio | OpenTimelineIO: the same in samples (needs opentimelineio, as does xml) |
| xml | .xml | the same for Final Cut 7, Premiere and Resolve |
| fcpxml | .fcpxml | the same for Final Cut Pro and Resolve |
| rpp | .rpp | the same as a Reaper project |
| md, docx | .md, .docx | the transcript in paragraphs, new words bold (docx needs python-docx) |
| png | .png | a picture of recording and result (needs matplotlib) |

Those that count pictures count a film's own, else 30 a second.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

from a3t.audio.output.files import atomic_path
from a3t.audio.output.muxing import picture_size, pictures_a_second
from a3t.errors import InputError
from a3t.plan.edit_plan import PlannedEdit
from a3t.projects.export.export_kinds import export_files, export_paths
from a3t.projects.export.given_cues import cues_after
from a3t.projects.export.timelines import (
    PICTURES,
    Played,
    Sound,
    fcpxml_text,
    framed,
    pictures_of,
    reaper_project,
    timeline_text,
    with_pictures,
)
from a3t.rendering.edited import EditedRecording
from a3t.rendering.edited_alignment import edited_alignment, made_spans
from alignment import Alignment
from alignment.formats import write_alignment
from alignment.formats.subtitles import write_subtitles

LONGEST_BREAK = 2.0  # seconds of silence after which a paragraph begins
MAX_PARAGRAPH_WORDS = 120  # words of a paragraph; the next sentence begins another
CSV_COLUMNS = (
    "edit", "op", "old_words", "new_words", "old_start", "old_end", "new_start", "new_end", "heard",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShownWord:
    """A word to show, its seconds, whether it is synthetic, and who says it, if named."""

    text: str
    start: float
    end: float
    made: bool
    speaker: str = ""


def paragraphs(words: list[ShownWord]) -> Iterator[list[ShownWord]]:
    """Yield the words in paragraphs.

    One begins where another speaks, after a long silence, or with a sentence after so many words.
    """
    own: list[ShownWord] = []
    for word in words:
        if own:
            ended = own[-1].text.rstrip("\"'”’)").endswith((".", "!", "?"))
            silent = word.start - own[-1].end > LONGEST_BREAK
            if (
                silent
                or word.speaker != own[-1].speaker
                or (len(own) >= MAX_PARAGRAPH_WORDS and ended)
            ):
                yield own
                own = []
        own.append(word)
    if own:
        yield own


def clock(seconds: float) -> str:
    """Return seconds as h:mm:ss."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def markdown(title: str, words: list[ShownWord]) -> str:
    """Write the words as Markdown, those that were made in bold."""
    lines = [f"# {_escaped(title)}", ""]
    for own in paragraphs(words):
        lines += [f"**[{clock(own[0].start)}]** {' '.join(_marked(own))}", ""]
    return "\n".join(lines)


def _marked(words: list[ShownWord]) -> Iterator[str]:
    for word in words:
        text = _escaped(word.text)
        yield f"**{text}**" if word.made else text


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in text)


def write_docx(title: str, words: list[ShownWord], path: Path) -> None:
    """Write a Word document, with the words that were made in bold."""
    import docx

    document = docx.Document()
    document.add_heading(_printable(title), level=1)
    for own in paragraphs(words):
        paragraph = document.add_paragraph()
        paragraph.add_run(f"[{clock(own[0].start)}] ").italic = True
        for word in own:
            paragraph.add_run(f"{_printable(word.text)} ").bold = word.made
    document.save(str(path))


def _printable(text: str) -> str:
    """Leave out the control characters that XML can't hold."""
    return "".join(letter for letter in text if letter.isprintable())


class ExportError(InputError):
    """Some exports can't be made; ``made`` are the paths of the others."""

    def __init__(self, sentence: str, made: Sequence[Path] = ()) -> None:
        super().__init__(sentence)
        self.made = list(made)


def export(
    result: EditedRecording, out: Path, kinds: Sequence[str], stage: Path | None = None
) -> list[Path]:
    """Write the kinds (of ENDINGS) beside ``out``, which was saved; returns their paths.

    ``stage``: where the files of the edit are until all are there, instead of beside ``out``; what
    is written names ``out`` nevertheless. Raises ExportError, once all others are written, if one
    can't be.
    """
    job, beside = _Export(result, out), (stage or out.parent) / out.name
    made, failed = list[Path](), list[str]()
    for kind, path in zip(kinds, export_paths(beside, kinds), strict=True):
        try:
            _WRITERS[kind](job, path)
            made.append(path)
        except Exception as error:  # the edit and the other exports don't go with it
            for part in export_files(beside, [kind]):
                part.unlink(missing_ok=True)
            expected = isinstance(error, InputError | OSError) and str(error)
            failed.append(f"{path.name} ({expected or repr(error)})")
    if failed:
        raise ExportError(f"These exports can't be made: {', '.join(failed)}.", made)
    return made


@dataclass(frozen=True)
class _Export:
    """An edit and its sound file."""

    result: EditedRecording
    out: Path

    @cached_property
    def alignment(self) -> Alignment:
        return edited_alignment(self.result)

    @property
    def shown(self) -> list[str]:
        """The text that is shown for each word."""
        return self.result.plan.revised_text.shown


def _words(job: _Export, path: Path) -> None:
    write_alignment(job.alignment, path, job.shown)


def _subtitles(job: _Export, path: Path) -> None:
    write_subtitles(job.alignment, path, job.shown, layout=cues_after(job.result))


def _each_word(job: _Export, path: Path) -> None:
    write_subtitles(job.alignment, path, job.shown, each_word=True)


def _edits(job: _Export, path: Path) -> None:
    result, text = job.result, io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(CSV_COLUMNS)
    changes = zip(result.plan.edits, result.map.samples.changes, strict=True)
    for k, (edit, change) in enumerate(changes):
        spans = (*change.source, *change.output)
        times = [f"{sample / result.recording.sample_rate:.6f}" for sample in spans]
        scores = [word.score for words in (result.scores or ())[k : k + 1] for word in words]
        table.writerow(
            [k + 1, edit.op, edit.old_words, edit.new_words, *times, min(scores, default="")]
        )
    _write(path, text.getvalue())


def _edit_list(job: _Export, path: Path) -> None:
    out, sounds = job.out, _sounds(job.result, job.out)
    rate = pictures_of(sounds)
    lines = [f"TITLE: {_plain(out.stem)}", "FCM: NON-DROP FRAME", ""]
    number = 0
    for clip in framed(_played(job), sounds, rate):
        part, made = clip.part, clip.part.file == out
        both = clip.seen is not None and not made
        shows = [("AA/V" if both else "AA", clip.begin)]
        if made and clip.seen is not None:
            shows.append(("V", clip.seen))
        for channels, begin in shows:
            number += 1
            file = part.file if channels != "V" else sounds[0].path
            reel = "A3T" if file == out else _reel(file)
            played = round(begin * rate)
            times = (played, played + clip.last - clip.first, clip.first, clip.last)
            codes = " ".join(timecode(each, rate) for each in times)
            lines.append(f"{number:03}  {reel:<8} {channels:<5} C        {codes}")
            lines.append(f"* FROM CLIP NAME: {_plain(file.name)}")
        if part.about:
            lines.append(f"* COMMENT: {_plain(part.about)}, {part.start:.6f}-{part.end:.6f} s")
    _write(path, "\n".join(lines) + "\n")


def _sounds(result: EditedRecording, out: Path) -> list[Sound]:
    """Return the recording, the result, and the recordings that speech was taken from."""
    source, seconds = result.recording, result.map.output_seconds
    like = source.sample_rate, source.channels
    film = pictures_a_second(source), picture_size(source)
    sounds = [Sound(source.path, source.seconds, *like, *film)]
    sounds.append(Sound(out, seconds, *like))
    for other in (origin.recording for origin in result.source_edits):
        if all(other.path != sound.path for sound in sounds):
            sounds.append(Sound(other.path, other.seconds, other.sample_rate, other.channels))
    return sounds


def _played(job: _Export) -> list[Played]:
    """Return the clips of a timeline in order; a film's picture with it."""
    result = job.result
    film = pictures_a_second(result.recording)
    played: list[Played] = []
    for times, begin, file, k in _events(result):
        part = Played(*times, file or job.out, begin)
        if k is not None:
            edit, change = result.plan.edits[k], result.map.samples.changes[k]
            since = times[0] - result.map.seconds(change.output[0])
            part = replace(
                part,
                name=edit.new_words or f"without {edit.old_words}",
                about=_changed(edit),
                joint=not edit.new_words or bool(result.recorded_parts(k)),
                picture=result.map.seconds(change.source[0]) + since if film else None,
            )
        played.append(part)
    return with_pictures(played, result.recording.path) if film else played


def _changed(edit: PlannedEdit) -> str:
    words = " by ".join(f'"{words}"' for words in (edit.old_words, edit.new_words) if words)
    return f"{edit.op} {words}"


def _events(
    result: EditedRecording,
) -> Iterator[tuple[tuple[float, float], float, Path | None, int | None]]:
    """Yield each stretch of the output in seconds, its start in its own file, and that file.

    The file is None for the output itself; the edit's number follows, if there is one.
    """
    spans, seconds = result.map.samples, result.map.seconds
    recorded = result.recording.path
    for k, (kept, change) in enumerate(zip_longest(spans.kept(), spans.changes)):
        first, last = map(seconds, kept.output)
        yield (first, last), seconds(kept.source[0]), recorded, None
        if change is None:
            return
        place = change.output[0]
        for part in result.recorded_parts(k):
            if not part.exact:
                continue  # its own samples are in the output alone
            yield (seconds(place), seconds(part.output[0])), seconds(place), None, k
            times = seconds(part.output[0]), seconds(part.output[1])
            yield times, seconds(part.source[0]), part.path, None
            place = part.output[1]
        yield (seconds(place), seconds(change.output[1])), seconds(place), None, k


def _timeline(job: _Export, path: Path) -> None:
    out = job.out
    played, sounds = _played(job), _sounds(job.result, out)
    if path.suffix == ".rpp":
        _write(path, reaper_project(out.stem, played, sounds, out.parent))
    elif path.suffix == ".fcpxml":
        _write(path, fcpxml_text(out.stem, played, sounds))
    else:
        _write(path, timeline_text(path.suffix[1:], out.stem, played, sounds))


def _document(job: _Export, path: Path) -> None:
    made, out = made_spans(job.result), job.out
    said = job.result.plan.revised_text
    words = [
        ShownWord(
            text,
            word.start,
            word.end,
            any(a < (word.start + word.end) / 2 < b for a, b in made),
            own.speaker,
        )
        for word, own, text in zip(job.alignment.spoken, said.words, job.shown, strict=True)
        if text
    ]
    if path.suffix == ".docx":
        with atomic_path(path) as temporary:
            write_docx(out.stem, words, temporary)
    else:
        _write(path, markdown(out.stem, words))


def timecode(frames: int, rate: Fraction = PICTURES) -> str:
    """Format as hh:mm:ss:ff, as if a second had a whole number of frames (non-drop)."""
    seconds, frame = divmod(frames, round(rate))
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}:{frame:02}"


def _reel(path: Path) -> str:
    """Return a reel name of up to eight letters and digits, the limit of CMX 3600."""
    letters = "".join(letter for letter in _plain(path.stem).upper() if letter.isalnum())
    return letters[:8] or "SOURCE"


def _plain(text: str) -> str:
    return text.encode("ascii", "replace").decode().replace("\n", " ")


def _picture(job: _Export, path: Path) -> None:
    from a3t.projects.export.pictures import draw_edit

    draw_edit(job.result, path)


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


_WRITERS: dict[str, Callable[[_Export, Path], None]] = {
    **dict.fromkeys(("textgrid", "labels"), _words),
    **dict.fromkeys(("srt", "vtt"), _subtitles),
    **dict.fromkeys(("word-srt", "word-vtt"), _each_word),
    "csv": _edits,
    "edl": _edit_list,
    **dict.fromkeys(("otio", "xml", "fcpxml", "rpp"), _timeline),
    **dict.fromkeys(("md", "docx"), _document),
    "png": _picture,
}
