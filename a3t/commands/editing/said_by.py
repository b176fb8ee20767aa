"""New words spoken by another engine, as if they had been recorded for the edit (`--said-by`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from a3t.errors import InputError
from a3t.fetching.speech_server import SpeechServer
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import OtherRecording
from a3t.spans import Span
from a3t.text.transcript import Transcript

if TYPE_CHECKING:
    from a3t.editor import Editor
    from a3t.projects.project_edit import ProjectEdit

SENTENCE_ENDS = (".", "?")
BESIDE_WORDS = 30  # of a sentence on either side of the new words at most


def said_by(
    server: SpeechServer, editor: Editor, job: ProjectEdit, plan: EditPlan
) -> tuple[ProjectEdit, EditPlan]:
    """Let a server speak the sentences with a plan's new words, and plan the edit with them.

    The spoken sentences are written beside the output. Raises InputError, and leaves none of them,
    if the server can't be used or a new word isn't found in what it said.
    """
    spans = sentences(plan.new_text, [edit.new for edit in plan.edits if edit.is_spoken])
    if not spans:
        raise InputError("There is no new word that a server could say: omit --said-by.")
    taken = {other.path for other in job.request.others}
    free = (
        path
        for number in count(1)
        if not (path := job.out.with_name(f"{job.out.stem}.spoken{number}.wav")).exists()
        and path not in taken
    )
    written: list[OtherRecording] = []
    try:
        for span in spans:
            text, path = plan.new_text.said(*span), next(free)
            written.append(OtherRecording(path, text, punch_in=True))
            server.speak(text, path)
        request = replace(job.request, others=(*written, *job.request.others))
        job = replace(job, request=request)
        plan = job.plan(editor)
        if left := [edit.new_words for edit in plan.edits if edit.is_spoken]:
            raise InputError(f"“{left[0]}” isn't heard in what the server said: try it again.")
    except BaseException:
        for other in written:
            with suppress(OSError):
                other.path.unlink()
        raise
    return job, plan


def sentences(text: Transcript, new: Sequence[Span]) -> list[Span]:
    """Return the sentences that new words stand in, each once, as spans of words."""
    found: list[Span] = []
    for first, last in new:
        begin, end = first, last
        while begin and first - begin < BESIDE_WORDS and not _ends(text, begin - 1):
            begin -= 1
        while end < len(text.words) and end - last < BESIDE_WORDS and not _ends(text, end - 1):
            end += 1
        if found and begin < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def _ends(text: Transcript, word: int) -> bool:
    return text.words[word].mark in SENTENCE_ENDS
