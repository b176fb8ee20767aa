"""The service behind the page and /v1: a method for each kind of request, all through the Editor.

Every request has a folder of its own under `folder`, with a name that can't be guessed; it is
deleted an hour after it was last used (`limits.forget_old`).
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter, methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.output.files import safe_name
from a3t.audio.output.records import record_path, with_bare_names, write_json
from a3t.errors import InputError
from a3t.plan.cleaning import Cleaning
from a3t.plan.options import HTTP, PAGE, EditOptions, SpeechOptions, read_options
from a3t.plan.request import (
    EditRequest,
    Pronunciations,
    SpeechRequest,
    Track,
    pronunciations_of,
    tracks_of,
)
from a3t.rendering.edited import track_outputs
from a3t.source.differences import (
    Difference,
    UnchangedError,
    UnsureError,
    left_as_recorded,
    parsed_changes,
)
from a3t.source.records import LONG
from a3t.text.transcript import Transcript, TranscriptWord, parsed
from alignment import Alignment
from app import limits, texts
from app.models import Models
from app.processes.lanes import EditorLane
from app.processes.request_jobs import RequestJobs, Watch
from app.processes.worker import IDLE_S, WorkerProcess, run_in_sandbox
from app.server.voice_folder import PromptVoice

if TYPE_CHECKING:  # torch is imported with the models, in their processes
    from a3t.editor import Editor
    from a3t.plan.edit_plan import EditPlan
    from a3t.rendering.edited import EditedRecording
    from a3t.rendering.spoken import SpokenRecording
    from a3t.source.proof import Remark


@dataclass(frozen=True)
class FinishedEdit:
    """An edited recording with the files and texts that the page shows.

    record: its edit.json. picture: of before and after. respelled: as `respelled` writes the old
    text. left: a sentence that names the differences that weren't made, or "".
    """

    recording: Path
    record: Path
    textgrid: Path
    picture: Path
    text: str
    new_text: str
    respelled: str
    left: str

    @property
    def files(self) -> tuple[Path, Path, Path]:
        """The files that the page offers for download."""
        return self.recording, self.record, self.textgrid


class Service:
    """The editor behind the page.

    `folder` also takes the web server's uploads; nothing outside it is ever read on request.
    """

    def __init__(
        self,
        folder: Path,
        start: Callable[[], WorkerProcess] = WorkerProcess,
        start_long: Callable[[], WorkerProcess] | None = None,
    ) -> None:
        self.folder = folder
        self.quick = EditorLane(start)
        # Without a process of its own, long work waits in the same line.
        self.long = self.quick if start_long is None else EditorLane(start_long, IDLE_S)
        # What takes minutes, so that not even an export of a long recording waits for it.
        self.learning = self.quick if start_long is None else EditorLane(start_long, IDLE_S)
        self.jobs = RequestJobs()

    def stop(self) -> None:
        """End what is being worked on, and tell those who wait."""
        for lane in (self.quick, self.long, self.learning):
            lane.stop()
        self.jobs.stop()

    def close(self) -> None:
        """End the editors' processes."""
        for lane in (self.quick, self.long, self.learning):
            lane.close()

    def lane(self, *recordings: Path) -> EditorLane:
        """Return the lane for these recordings; those longer than LONG have their own."""
        is_long = any(run_in_sandbox(limits.stated_length, each) > LONG for each in recordings)
        return self.long if is_long else self.quick

    # ---- what is asked of it: by the page, its endpoints and /v1 --------------------------------

    def transcribe(self, watch: Watch, recording: str | None, expected: str = "") -> str:
        """Transcribe the recording; a text close to what it says helps."""
        return self.heard(watch, recording, expected, timed=False)[0].text

    def heard(
        self, watch: Watch, recording: str | None, prior: str, timed: bool, words: str = ""
    ) -> tuple[Transcript, Alignment | None]:
        """Return the recording's words and, if `timed`, their times.

        prior: a text close to them. words: a list of names that are said.
        """
        hint = limits.check_text(prior, texts.THE_EXPECTED_TEXT) or None
        with self._request(recording) as copy:
            found: tuple[Transcript, Alignment | None] = self.lane(copy).do(
                watch, transcribed, copy, hint, timed, limits.check_text(words, texts.THE_LIST)
            )
        return found

    def align(self, watch: Watch, recording: str | None, text: str = "") -> Alignment:
        """Return words and phones with start, end (seconds) and confidence (0..1)."""
        typed = limits.check_text(text, texts.THE_TRANSCRIPT)
        with self._request(recording) as copy:
            found: Alignment = self.lane(copy).do(watch, methodcaller("align", copy, typed or None))
        return found

    def plan(
        self,
        watch: Watch,
        recording: str | None,
        new_text: str,
        text: str = "",
        speed: float = 1.0,
        changes: str = "",
    ) -> dict[str, Any]:
        """Plan an edit, in frames of 12.5 ms; nothing is rendered.

        changes: of the differences from a recognised text those to make, as `parsed_changes` reads
        them; "" to plan those that are ticked.
        """
        options = read_options(SpeechOptions, PAGE, {"speed": speed})
        request = edit_request(text, new_text, changes, **vars(options))
        with self._request(recording) as copy:
            plan, differences = self.lane(copy).do(watch, planned, copy, request)
        told: dict[str, Any] = {"edits": []} if plan is None else plan.to_json()
        told.pop("source", None)  # visitors need not know the server's folders
        told["differences"] = [each.to_json() | {"shown": shown(each)} for each in differences]
        return told | {"preview": [] if plan is None else preview_of(plan)}

    def edit(
        self,
        watch: Watch,
        recording: str | None,
        text: str,
        new_text: str,
        options: Mapping[str, object],
        changes: str = "",
    ) -> FinishedEdit:
        """Edit the recording.

        options: values for rows of `EditOptions`. changes: as for `plan`, but with none chosen
        nothing is made while one is open.
        """
        request = edit_request(
            text, new_text, changes, **vars(read_options(EditOptions, HTTP, options))
        )
        with self._request(recording) as copy:
            result: EditedRecording = self.lane(copy).do(watch, methodcaller("edit", copy, request))
            out, record, used = _saved(result, copy, "")
            textgrid, picture = run_in_sandbox(exported, result, out)
        left = left_as_recorded(result.plan.differences)
        new, base = result.plan.new_text.text, respelled(result.plan)
        return FinishedEdit(out, record, textgrid, picture, used, new, base, left)

    def align_with_files(
        self, watch: Watch, recording: str | None, text: str = ""
    ) -> tuple[Alignment, Path, Path]:
        """Return `align`'s answer, a TextGrid of it, and its picture."""
        typed = limits.check_text(text, texts.THE_TRANSCRIPT)
        with self._request(recording) as copy:
            found = self.lane(copy).do(watch, methodcaller("align", copy, typed or None))
            textgrid, picture = run_in_sandbox(drawn, copy, found)
        return found, textgrid, picture

    def check(self, watch: Watch, recording: str | None, script: str) -> list[Remark]:
        """Return where a reading departs from its script."""
        book = limits.required(script, texts.THE_TEXT, texts.NO_SCRIPT)
        with self._request(recording) as copy:
            found: list[Remark] = self.lane(copy).do(watch, checked, copy, book)
        return found

    def inspect(self, watch: Watch, recording: str | None) -> str:
        """Return what a file's record or watermark says of its synthetic parts."""
        with self._request(recording) as copy:
            return run_in_sandbox(inspected, copy).replace(f"{copy.parent}{os.sep}", "")

    def edited(
        self,
        watch: Watch,
        recording: str | None,
        request: EditRequest,
        suffix: str = "",
        words: str = "",
    ) -> tuple[Path, Path, str]:
        """Make a requested edit; return the recording, its edit.json and the old text.

        The request's other recordings and tracks are uploads too. With tracks, a zip of the edited
        recording, its edit.json and the tracks stands for the recording. suffix: ".wav", ".flac",
        or "" for the recording's own. words: a list of names that are said.
        """
        listed = limits.check_text(words, texts.THE_LIST)
        with (
            self._request(recording) as copy,
            self._further([each.path for each in request.others]) as files,
            self._in_step(request.tracks, copy) as tracks,
        ):
            limits.check_together(run_in_sandbox(limits.stated_length, file) for file in files)
            others = zip(request.others, files, strict=True)
            request = replace(
                request,
                others=tuple(replace(other, path=path) for other, path in others),
                tracks=tracks,
            )
            lane = self.lane(copy, *files, *(track.path for track in tracks))
            result = lane.do(watch, edit_with_words, copy, request, listed)
            return _saved(result, copy, suffix)

    def cleaned(
        self,
        watch: Watch,
        recording: str | None,
        want: Cleaning,
        request: EditRequest,
        suffix: str = "",
        words: str = "",
    ) -> tuple[Path, Path, str]:
        """Take out of the recording what `want` finds in it; return what `edited` does.

        request: only its text and tracks count.
        """
        listed = limits.check_text(words, texts.THE_LIST)
        with self._request(recording) as copy, self._in_step(request.tracks, copy) as tracks:
            lane = self.lane(copy, *(track.path for track in tracks))
            request = replace(request, tracks=tracks)
            result = lane.do(watch, clean_with_words, copy, want, request, listed)
            return _saved(result, copy, suffix)

    def tts(
        self,
        watch: Watch,
        prompt: str | None,
        text: str,
        prompt_text: str = "",
        seed: int = 0,
        speed: float = 1.0,
        voice: PromptVoice | None = None,
    ) -> tuple[Path, Path, str]:
        """Return the text in the prompt's voice, its speech.json, and the prompt's text.

        voice: one of the server's own, instead of a prompt.
        """
        if voice is not None:
            prompt_text = voice.text or ""
        request = SpeechRequest(
            text=limits.required(text, texts.THE_TEXT, texts.NO_TEXT_TO_SAY),
            prompt_text=limits.check_text(prompt_text, texts.THE_PROMPTS_TEXT) or None,
            **vars(read_options(SpeechOptions, PAGE, {"seed": seed, "speed": speed})),
        )
        models = Models(voice=voice.name if voice is not None and voice.learnt else "")
        with self._request(prompt) if voice is None else self._copied(voice.prompt) as copy:
            result = self.lane(copy).do(watch, spoken, copy, request, models=models)
            out = run_in_sandbox(result.save, copy.with_name(f"{copy.stem}.spoken.wav"))
        return out, without_folders(out.with_suffix(".speech.json")), result.prompt_text

    @contextmanager
    def _request(self, upload: str | None) -> Iterator[Path]:
        """Yield a copy of the upload in a folder of its own, which no error reveals."""
        with self._copied(limits.check_upload(upload, self.folder)) as copy:
            yield copy

    @contextmanager
    def _copied(self, source: Path) -> Iterator[Path]:
        """Yield a copy of a file in a folder of its own, which no error reveals."""
        copy = self.request_folder() / safe_name(source.name)
        shutil.copyfile(source, copy)
        with without_folder(copy.parent):
            yield copy

    @contextmanager
    def _further(self, uploads: Sequence[Path]) -> Iterator[list[Path]]:
        """Yield a request's further files, each in a folder of its own, which no error reveals."""
        with without_folder(*(upload.parent.resolve() for upload in uploads)):
            files = []
            for upload in uploads:
                try:
                    files.append(limits.check_upload(str(upload), self.folder))
                except InputError as error:
                    raise InputError(f"{upload.name}: {error}") from None
            yield files

    @contextmanager
    def _in_step(self, tracks: Sequence[Track], copy: Path) -> Iterator[tuple[Track, ...]]:
        """Yield an edit's uploaded tracks; InputError if two results would have one name."""
        with self._further([each.path for each in tracks]) as files:
            limits.check_together(run_in_sandbox(limits.stated_length, file) for file in files)
            found = tracks_of(files)
            track_outputs(edited_name(copy), copy, found)
            yield found

    def request_folder(self) -> Path:
        """Make a folder whose name can't be guessed, and delete old ones."""
        limits.forget_old(self.folder)
        folder = self.folder / secrets.token_hex(24)
        folder.mkdir(parents=True)
        return folder


def edit_request(text: str, new_text: str, changes: str = "", **more: Any) -> EditRequest:
    """Return the edit request that these fields make; InputError if one can't be used."""
    new = limits.required(new_text, texts.THE_NEW_TEXT, texts.NO_NEW_TEXT)
    old = limits.check_text(text, texts.THE_TRANSCRIPT) or None
    chosen = parsed_changes(changes) if changes.strip() else None
    return EditRequest(new_text=new, text=old, changes=chosen, **more)


def _saved(result: EditedRecording, copy: Path, suffix: str) -> tuple[Path, Path, str]:
    """Save an edit beside the copy that it was made of; return its file, edit.json and old text."""
    suffix = suffix or (".flac" if copy.suffix == ".flac" else ".wav")
    out = run_in_sandbox(result.save, edited_name(copy, suffix))
    record = without_folders(record_path(out))
    if tracks := result.track_outputs(out):
        out = zipped(out.with_suffix(".zip"), [out, *tracks], record)
    return out, record, result.plan.text.text


def edited_name(copy: Path, suffix: str = ".wav") -> Path:
    """Return the path of an edit of a request's recording."""
    return copy.with_name(f"{copy.stem}.edited{suffix}")


def zipped(target: Path, sounds: Sequence[Path], record: Path) -> Path:
    """Pack an edit's sounds and its record into a zip, and delete the sounds."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in (*sounds, record):
            archive.write(path, path.name)
    for path in sounds:
        path.unlink()
    return target


def clean_with_words(
    editor: Editor, recording: Path, want: Cleaning, request: EditRequest, words: str
) -> Any:
    """Clean in the worker's process, and listen for the names of a list."""
    found = editor.findings(
        recording, want, text=request.text, tracks=request.tracks, pronunciations=own_words(words)
    )
    found.check_named()
    if not found.found:
        raise InputError("Nothing was found that could be taken out.")
    return editor.edit(found.source, found.request(found.found))


def edit_with_words(editor: Editor, recording: Path, request: EditRequest, words: str) -> Any:
    """Edit in the worker's process, and say the names of a list as it has them."""
    return editor.edit(recording, replace(request, pronunciations=own_words(words)))


def own_words(words: str) -> Pronunciations:
    """Return the pronunciations of a list of names; AlignmentError if it can't be used."""
    from a3t.text.pronunciation.pronouncer import listed_words

    return pronunciations_of(listed_words(words, "The list"))


def transcribed(
    editor: Editor, recording: Path, prior: str | None, timed: bool, words: str = ""
) -> tuple[Transcript, Alignment | None]:
    """Return a recording's words and, if `timed`, their times; in the worker's process.

    words: a list of names that are listened for.
    """
    found = editor.transcribe(recording, prior, pronunciations=own_words(words))
    return found, editor.align(recording, found) if timed else None


def planned(
    editor: Editor, recording: Path, request: EditRequest
) -> tuple[EditPlan | None, tuple[Difference, ...]]:
    """Plan in the worker's process, with the ticked differences unless some are chosen.

    The plan is None if there is nothing to change.
    """
    try:
        plan = editor.plan(recording, request)
        return plan, plan.differences
    except UnsureError as error:
        if not any(each.ticked for each in error.differences):
            return None, error.differences
        return editor.plan(recording, replace(request, changes="ticked")), error.differences
    except UnchangedError as error:
        if not error.differences:
            raise
        return None, error.differences


def shown(difference: Difference) -> str:
    """Return a difference as a line of a list."""
    return f"{difference.number}. {difference.line}"


def preview_of(plan: EditPlan) -> list[tuple[str, str | None]]:
    """Return both texts as one, in pieces that are kept (None), "doubtful", "deleted" or "new"."""
    old, new, rate = plan.text.shown, plan.new_text.shown, plan.recording.sample_rate
    doubts = [(each.start, each.end) for each in plan.doubts if each.text] + [
        (each.source[0] / rate, each.source[1] / rate)
        for each in plan.differences
        if each.verdict == "open" and not each.ticked
    ]
    kinds = [
        "doubtful" if any(a <= (word.start + word.end) / 2 < b for a, b in doubts) else None
        for word in plan.alignment.spoken
    ]
    words: list[tuple[str, str | None]] = []
    place = (0, 0)  # in the old text, in the new one
    for edit in plan.edits:
        words += zip(new[place[1] : edit.new[0]], kinds[place[0] : edit.old[0]], strict=True)
        words += [(word, "deleted") for word in old[slice(*edit.old)]]
        words += [(word, "new") for word in new[slice(*edit.new)]]
        place = edit.old[1], edit.new[1]
    words += zip(new[place[1] :], kinds[place[0] :], strict=True)
    pieces = [
        (" ".join(filter(None, (word for word, _ in group))), kind)
        for kind, group in groupby(words, key=itemgetter(1))
    ]
    return [(f"{text} ", kind) for text, kind in pieces if text]


def respelled(plan: EditPlan) -> str:
    """Return a plan's old text, with the words that stay written as in the new one.

    A full stop after one of them is a pause, which the new text may not have.
    """
    words: list[TranscriptWord] = []
    end = 0
    for edit in plan.edits:
        words += plan.new_text.words[end : edit.new[0]]
        words += [replace(each, token=~each.token) for each in plan.text.words[slice(*edit.old)]]
        end = edit.new[1]
    text = Transcript.of_tokens([*words, *plan.new_text.words[end:]]).text
    return plan.text.written_as(text).text


def exported(result: EditedRecording, out: Path) -> list[Path]:
    """Write the TextGrid and the picture of an edit beside it."""
    from a3t.projects.export.exports import export

    return export(result, out, ("textgrid", "png"))


def drawn(recording: Path, alignment: Alignment) -> tuple[Path, Path]:
    """Write a recording's TextGrid, and a picture of its words, beside it."""
    from a3t.audio.reading.recording import Recording
    from a3t.projects.export.pictures import draw_alignment
    from alignment.formats import write_alignment

    textgrid, picture = recording.with_suffix(".TextGrid"), recording.with_suffix(".png")
    write_alignment(alignment, textgrid)
    draw_alignment(Recording.open(recording), alignment, picture)
    return textgrid, picture


def checked(editor: Editor, recording: Path, script: str) -> list[Remark]:
    """Compare a reading with its script, in the worker's process."""
    from a3t.audio.reading.recording import Recording
    from a3t.source.proof import remarks, stretch_of
    from alignment.recognition import whisper_model

    sound, model = Recording.open(recording), whisper_model("auto")
    stretch = stretch_of(sound, parsed(script), model)
    return remarks(sound, stretch, editor.alignments, model)


def inspected(recording: Path) -> str:
    """Return what `a3t inspect` prints of a file."""
    from a3t.audio.output.inspection import account_of

    return account_of(recording)


def spoken(editor: Editor, prompt: Path, request: SpeechRequest) -> SpokenRecording:
    """Speak in the worker's process; `request_jobs.Watch.take` gets each piece once it is made."""
    tell: Any = editor.progress
    return editor.spoken(editor.plan_speech(prompt, request), tell)


@contextmanager
def without_folder(*folders: Path) -> Iterator[None]:
    """Leave the server's folders out of the sentences of errors."""
    try:
        yield
    except InputError as error:
        sentence = str(error)
        for folder in folders:
            sentence = sentence.replace(f"{folder}{os.sep}", "").replace(f"{folder}", "")
        if isinstance(error, UnsureError | UnchangedError):
            raise type(error)(sentence, error.differences) from None
        raise InputError(sentence) from None


def without_folders(record: Path) -> Path:
    """Rewrite a record with bare file names: visitors need not know the server's folders."""
    written = json.loads(record.read_text(encoding="utf-8"))
    write_json(record, with_bare_names(written))
    return record
