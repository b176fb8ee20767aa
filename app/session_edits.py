"""A session's next edit: an edit of the original that continues the version shown."""

from __future__ import annotations

from dataclasses import replace

from a3t.errors import InputError
from a3t.plan.edit_plan import EditPlan
from a3t.projects.history import keep
from a3t.projects.project_edit import ProjectEdit
from a3t.rendering.edited import EditedRecording
from app import texts, word_times
from app.changes import words_of
from app.page_request import PageRequest
from app.recordings import opened
from app.sessions import Session
from app.worker import EditorProcess


def plan_edit(
    session: Session, request: PageRequest, editor: EditorProcess
) -> tuple[ProjectEdit, EditPlan]:
    """The edit of the original that makes the current version say the new text, and its plan.

    The original is aligned first if it has not been. Raises InputError as `check_text` does.
    """
    session.touch()
    text, original = request.edit.text, session.original
    if session.position:
        check_text(session, text)
    elif original.alignment is None or (text and original.text != text):
        text = text or editor.transcribe(original.audio, request.edit.new_text).text
        session.learn(text, editor.align(original.audio, text))
    original = session.original
    wanted = replace(request.edit, text=original.text, alignment=original.alignment)
    out = original.audio.with_name(session.result_name)
    edit = ProjectEdit(opened(original.audio), wanted, out, session.history)
    return edit, editor.plan(edit.recording, edit.request)


def check_text(session: Session, text: str | None) -> None:
    """Raises InputError if the transcript given for an edited version is not what it says."""
    if text and words_of(text).spoken != words_of(session.current.text).spoken:
        raise InputError(texts.CORRECT_THE_ORIGINAL)


def keep_accepted(session: Session, edit: ProjectEdit, result: EditedRecording) -> EditedRecording:
    """The result, with what the previous version had changed exactly as it sounded there."""
    before = None if edit.base is None else session.versions[edit.base + 1].result
    return result if before is None else keep(before, result)


def move_word(session: Session, number: int, start: float, end: float) -> None:
    """A word of the current version is a word of the original, whose times are corrected there.

    Raises InputError for a synthesised word, or for times that it can't have.
    """
    original, result = session.original, session.current.result
    if original.alignment is None:
        raise InputError(texts.NO_WORD)
    if result is not None:
        count = len(original.alignment.spoken)
        number, start, end = word_times.in_the_original(result, count, number, start, end)
    session.learn(original.text, word_times.move_word(original.alignment, number, start, end))
