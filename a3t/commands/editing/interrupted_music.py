"""A doubt about edits in speech with music under it, which they break off."""

from __future__ import annotations

from a3t.audio.analysis.background import music_under
from a3t.plan.edit_plan import EditPlan

MOST = 8  # edits that are looked at; music seldom begins after them


def music_doubt(plan: EditPlan) -> str | None:
    """A sentence about music under a plan's edits; None if there is none."""
    recording = plan.recording
    for edit in plan.edits[:MOST]:
        level = music_under(recording, plan.alignment, *recording.samples_in(edit.source))
        if level is not None:
            return (
                f"There is music or similar sound under the words that change ({-level:.0f} dB "
                "below the speech), which will audibly break off: edit the speech before the music "
                "is added, or listen closely."
            )
    return None
