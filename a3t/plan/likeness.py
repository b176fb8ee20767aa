"""Whether a recording sounds like a saved voice: one made for another person makes edits worse."""

from __future__ import annotations

from torch import Tensor

from a3t.audio.mel_window import mel_window
from a3t.grid import frames_of
from a3t.model.saved_voices import Voice
from a3t.model.speaker_encoder import SAME, load_speaker_encoder, speech_vector
from a3t.plan.edit_plan import EditPlan

HEARD = frames_of(20.0)  # of the recording's words; more tells hardly more
LEAST = frames_of(1.0)


def likeness(plan: EditPlan, voice: Voice) -> float | None:
    """How much a plan's recording sounds like a voice, the cosine of their vectors; None if there
    is too little speech, or if the voice was made before voices had one."""
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
    return float(vector @ voice.speaker)


def voice_doubt(plan: EditPlan, voice: Voice) -> str | None:
    """A sentence if the recording doesn't sound like the voice."""
    found = likeness(plan, voice)
    if found is None or found >= SAME:
        return None
    return (
        f"The recording doesn't sound like the voice {voice.name!r} (likeness {found:.2f}, "
        f"usually above {SAME:g}), so what is made may sound like somebody else."
    )
