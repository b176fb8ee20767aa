"""Exports an edited recording for other programs: words, subtitles, lists of edits, a picture.

| kind | file beside OUT | |
|---|---|---|
| textgrid | .TextGrid | Praat: words and phones of the result |
| labels | .labels.txt | Audacity labels: its words |
| srt, vtt | .srt, .vtt | subtitles of the result |
| word-srt, word-vtt | .words.srt, .words.vtt | the same with a cue for each word |
| csv | .edits.csv | one edit per line: words, and times before and after in seconds |
| edl | .edl | CMX 3600, 30 frames per second: which parts of OUT are original, which synthetic |
| otio | .otio | OpenTimelineIO: the same in samples (needs opentimelineio, as does xml) |
| xml | .xml | the same for Final Cut 7, Premiere and Resolve, 30 frames per second |
| rpp | .rpp | the same as a Reaper project |
| md, docx | .md, .docx | the transcript in paragraphs, new words bold (docx needs python-docx) |
| png | .png | a picture of recording and result (needs matplotlib) |
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from a3t.audio.files import atomic_path
from a3t.projects.documents import ShownWord, markdown, write_docx
from a3t.projects.output_files import export_paths
from a3t.projects.timelines import Played, Sound, reaper_project, timeline_text
from a3t.rendering.edited import EditedRecording
from a3t.rendering.edited_alignment import edited_alignment, made_spans, shown_words
from alignment.formats import write_alignment
from alignment.formats.subtitles import write_subtitles

FRAMES = 30  # per second, in an EDL, which says NON-DROP FRAME
COLUMNS = (
    "edit", "op", "old_words", "new_words", "old_start", "old_end", "new_start", "new_end", "heard",
)  # fmt: skip


def export(
    result: EditedRecording, out: Path, kinds: Sequence[str], stage: Path | None = None
) -> list[Path]:
    """Write the kinds (of ENDINGS) beside ``out``, which was saved; returns their paths.

    ``stage``: where the files of the edit are until all are there, instead of beside ``out``; what
    is written names ``out`` nevertheless. Raises InputError or AlignmentError if one can't be
    written.
    """
    record = result.record
    paths = export_paths((stage or out.parent) / out.name, kinds)
    for kind, path in zip(kinds, paths, strict=True):
        _WRITERS[kind](result, record, out, path)
    return paths


Record = Mapping[str, Any]


def _words(result: EditedRecording, record: Record, out: Path, path: Path) -> None:
    write_alignment(edited_alignment(result), path, shown_words(result.plan.new_text))


def _each_word(result: EditedRecording, record: Record, out: Path, path: Path) -> None:
    shown = shown_words(result.plan.new_text)
    write_subtitles(edited_alignment(result), path, shown, each_word=True)


def _edits(result: EditedRecording, record: Record, out: Path, path: Path) -> None:
    rate = record["source"]["sample_rate"]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for number, edit in enumerate(record["edits"], 1):
        times = [f"{sample / rate:.6f}" for sample in (*edit["source"], *edit["output"])]
        heard = min((word["score"] for word in edit.get("heard", ())), default="")
        words = (edit["old_words"], edit["new_words"])
        table.writerow([number, edit["op"], *words, *times, heard])
    _write(path, text.getvalue())


def _edit_list(result: EditedRecording, record: Record, out: Path, path: Path) -> None:
    lines = [f"TITLE: {_plain(out.stem)}", "FCM: NON-DROP FRAME", ""]
    number = 0
    for (start, end), begin, file, edit in _events(result, record):
        frames = [round(second * FRAMES) for second in (start, end)]
        if frames[0] == frames[1]:
            continue
        number += 1
        clip = file or out
        reel = _reel(file) if file else "A3T"
        played = round(begin * FRAMES)
        times = (played, played + frames[1] - frames[0], *frames)
        codes = " ".join(map(timecode, times))
        lines.append(f"{number:03}  {reel:<8} AA    C        {codes}")
        lines.append(f"* FROM CLIP NAME: {_plain(clip.name)}")
        if edit is not None:
            changed = " by ".join(f'"{edit[k]}"' for k in ("old_words", "new_words") if edit[k])
            lines.append(f"* COMMENT: {edit['op']} {_plain(changed)}, {start:.6f}-{end:.6f} s")
    _write(path, "\n".join(lines) + "\n")


def _events(
    result: EditedRecording, record: Record
) -> Iterator[tuple[tuple[float, float], float, Path | None, Mapping[str, Any] | None]]:
    """Each stretch of the output in seconds, its start in its own file, that file unless it is the
    output itself, and its edit, if any."""
    spans, seconds = result.map.samples, result.map.seconds
    recorded = result.recording.path
    for k, (kept, change) in enumerate(zip_longest(spans.kept(), spans.changes)):
        first, last = map(seconds, kept.output)
        yield (first, last), seconds(kept.source[0]), recorded, None
        if change is None:
            return
        edit, place = record["edits"][k], change.output[0]
        for part in result.recorded_parts(k):
            if not part.exact:
                continue  # its own samples are in the output alone
            yield (seconds(place), seconds(part.output[0])), seconds(place), None, edit
            times = seconds(part.output[0]), seconds(part.output[1])
            yield times, seconds(part.source[0]), part.path, None
            place = part.output[1]
        yield (seconds(place), seconds(change.output[1])), seconds(place), None, edit


def _timeline(result: EditedRecording, record: Record, out: Path, path: Path) -> None:
    source, rate = result.recording, result.recording.sample_rate
    played = [
        Played(*times, file or out, begin, _made_there(edit))
        for times, begin, file, edit in _events(result, record)
    ]
    sounds = [
        Sound(source.path, source.seconds, rate, source.channels),
        Sound(out, result.map.output_seconds, rate, source.channels),
    ]
    if path.suffix == ".rpp":
        _write(path, reaper_project(out.stem, played, sounds, out.parent))
    else:
        _write(path, timeline_text(path.suffix[1:], out.stem, played, sounds))


def _made_there(edit: Mapping[str, Any] | None) -> str:
    """What stands for an edit on a timeline: its new words, or what it left out."""
    if edit is None:
        return ""
    return str(edit["new_words"] or f"without {edit['old_words']}")


def _document(result: EditedRecording, record: Record, out: Path, path: Path) -> None:
    made = made_spans(result)
    said = result.plan.new_text
    words = [
        ShownWord(
            text,
            word.start,
            word.end,
            any(a < (word.start + word.end) / 2 < b for a, b in made),
            own.speaker,
        )
        for word, own, text in zip(
            edited_alignment(result).spoken, said.words, shown_words(said), strict=True
        )
        if text
    ]
    if path.suffix == ".docx":
        with atomic_path(path) as temporary:
            write_docx(out.stem, words, temporary)
    else:
        _write(path, markdown(out.stem, words))


def timecode(frames: int) -> str:
    """hh:mm:ss:ff"""
    seconds, frame = divmod(frames, FRAMES)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}:{frame:02}"


def _reel(path: Path) -> str:
    """A reel name of up to eight letters and digits, the limit of CMX 3600."""
    letters = "".join(letter for letter in _plain(path.stem).upper() if letter.isalnum())
    return letters[:8] or "SOURCE"


def _plain(text: str) -> str:
    return text.encode("ascii", "replace").decode().replace("\n", " ")


def _picture(result: EditedRecording, record: Record, out: Path, path: Path) -> None:
    from a3t.evaluation.pictures import draw_edit

    draw_edit(result.recording.path, path.with_name(out.name), record, path)


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


_WRITERS: dict[str, Callable[[EditedRecording, Record, Path, Path], None]] = {
    **dict.fromkeys(("textgrid", "labels", "srt", "vtt"), _words),
    **dict.fromkeys(("word-srt", "word-vtt"), _each_word),
    "csv": _edits,
    "edl": _edit_list,
    **dict.fromkeys(("otio", "xml", "rpp"), _timeline),
    **dict.fromkeys(("md", "docx"), _document),
    "png": _picture,
}
