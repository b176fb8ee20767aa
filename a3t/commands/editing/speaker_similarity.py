"""The check that a recording sounds like a saved voice: another person's makes edits worse."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from a3t.audio.analysis.mel_window import mel_window
from a3t.grid import frames_of
from a3t.model.saved_voices import Voice
from a3t.model.speaker_encoder import least_likeness, load_speaker_encoder, speech_vector
from a3t.plan.edit_plan import EditPlan

HEARD = frames_of(20.0)  # of the recording's words; more tells hardly more
LEAST = frames_of(1.0)


@dataclass(frozen=True)
class Likeness:
    """The likeness of a recording to a voice: the cosine of their vectors, and the least one that
    as much speech of that voice usually has."""

    cosine: float
    least: float


def likeness(plan: EditPlan, voice: Voice) -> Likeness | None:
    """The likeness of a plan's recording to a voice; None if there is too little speech, or if
    the voice was made before voices had a vector."""
    if voice.speaker is None:
        return None
    left = HEARD
    stretches: list[list[int]] = []  # [first, last) frames
    for phone in plan.phones:
        if phone.word < 0 or left <= 0:
            continue
        left -= phone.frames
        if stretches and stretches[-1][1] == phone.first:
            stretches[-1][1] = phone.last
        else:
            stretches.append([phone.first, phone.last])
    if HEARD - left < LEAST:
        return None
    mels = [mel_window(plan.recording, first, last) for first, last in stretches]
    vector: Tensor = speech_vector(load_speaker_encoder(), mels)
    known = frames_of(float(voice.facts.get("seconds", 0.0))) or HEARD  # of the voice itself
    return Likeness(float(vector @ voice.speaker), least_likeness(min(HEARD - left, known)))


def voice_doubt(plan: EditPlan, voice: Voice) -> str | None:
    """A sentence if the recording doesn't sound like the voice."""
    found = likeness(plan, voice)
    if found is None or found.cosine >= found.least:
        return None
    return (
        f"The recording doesn't sound like the voice {voice.name!r} (likeness {found.cosine:.2f}, "
        f"usually above {found.least:.2f}), so the result may sound like somebody else."
    )
