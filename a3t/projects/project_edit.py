"""One edit with its files: what the single command, a batch and the page share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.recording import Recording
from a3t.audio.writing import check_output, default_output
from a3t.console import edit_request
from a3t.errors import InputError
from a3t.plan.request import EditRequest
from a3t.source.transcripts import SIDECARS
from a3t.text.transcript import Transcript

if TYPE_CHECKING:  # torch: what can be refused at once is refused before the models are loaded
    from a3t.editor import Editor
    from a3t.plan.edit_plan import EditPlan
    from a3t.projects.history import History
    from a3t.projects.project import Project
    from a3t.rendering.edited import EditedRecording


@dataclass(frozen=True)
class ProjectEdit:
    """A recording, what is wanted of it, where the result goes, and of what it is a next version.

    Checked as far as it can be without the models.
    """

    recording: Recording
    request: EditRequest
    out: Path
    history: History | None = None

    @classmethod
    def of(cls, options: argparse.Namespace) -> ProjectEdit:
        """The edit that parsed options ask for; InputError if it can be refused at once."""
        request = edit_request(options)
        recording = Recording.open(options.wav)
        request.new_transcript  # noqa: B018  (raises for a text that can't be spoken)
        out = options.out or default_output(options.wav)
        if not options.plan:
            check_output(recording, out)
        return cls(recording, request, out)

    def continuing(self, project: Project) -> ProjectEdit:
        """The same as an edit of the project's original, which goes on with its last version."""
        text = self.request.text
        if project.source.path != self.recording.path:
            current = str(project.history.current["new_text"])
            if (
                text is not None
                and Transcript.from_text(text).spoken != Transcript.from_text(current).spoken
            ):
                raise InputError(
                    f"{self.recording.path.name} was made to say “{current}”: omit --text, or move "
                    "its edit.json elsewhere if it says something else now."
                )
            text = None
        check_output(project.source, project.out)
        if text is None and not self._finds_its_text(project):
            text = project.text
        request = replace(self.request, text=text)
        return ProjectEdit(project.source, request, project.out, project.history)

    def _finds_its_text(self, project: Project) -> bool:
        """Whether the text is better looked for again: a given alignment has one, and that beside
        a long recording may have times, which say where to look."""
        beside = any(project.source.path.with_suffix(suffix).is_file() for suffix in SIDECARS)
        long = bool(project.history.current.get("aligned_words"))
        return self.request.alignment is not None or (long and beside)

    def make(self, editor: Editor, plan: EditPlan) -> list[EditedRecording]:
        """What the plan asks for, the best first; what the version before has changed stays as it
        sounded there."""
        results = editor.make(plan)
        if self.history is None or self.base is None:
            return results
        from a3t.projects.history import keep
        from a3t.projects.replay import remake

        before = remake(editor, self.recording, self.history.chain(self.base))
        return [keep(before, result) for result in results]

    @property
    def base(self) -> int | None:
        """The version whose sound this one goes on from; None for the original."""
        return None if self.history is None else self.history.base(self.request.new_text)

    def notes(self, result: EditedRecording) -> dict[str, Any]:
        """What the edit.json of a next version tells of the others; nothing for a first one."""
        if self.history is None:
            return {}
        continues = {"continues": self.base}
        return continues | self.history.with_next(result.record | continues).to_json()


def write(
    results: list[EditedRecording],
    out: Path,
    exports: Sequence[str] = (),
    provenance: bool = True,
    notes: Callable[[EditedRecording], Mapping[str, Any]] = lambda result: {},
) -> list[Path]:
    """Write the results, the best as ``out``, the others as its stem.2, .3 …

    ``provenance`` as for `EditedRecording.save`, and ``notes`` of each. The best one's ``exports``
    (`a3t.projects.exports`) are written as well; returns their paths.
    """
    from a3t.projects.exports import export

    for rank, result in enumerate(results, 1):
        to = out if rank == 1 else out.with_name(f"{out.stem}.{rank}{out.suffix}")
        result.save(to, provenance, notes(result))
    return export(results[0], out, exports)
