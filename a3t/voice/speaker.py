"""A person's way of speaking: pace, pauses, pitch and level, and a few seconds as a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from a3t.grid import FRAMES_PER_SECOND, frames_of
from a3t.model.speaker_encoder import least_likeness, load_speaker_encoder, speech_vector
from a3t.model.variance.durations import DurationPredictor
from a3t.plan.edit_sites import PAUSES, GridPhone
from a3t.plan.prompt import LONGEST, Prompt
from a3t.text.phones import PAUSE_ID, PHONES
from a3t.voice.voice_pieces import UnusedSpeech, VoicePiece

TELLING = frames_of(1.5)  # frames of words, from which a piece tells who speaks


def speaker_facts(pieces: Sequence[VoicePiece]) -> dict[str, Any]:
    """Seconds of speech; phones a second without the pauses; the median pause in seconds; the
    median pitch in Hz and its range (10th to 90th percentile) in semitones; the spoken frames'
    mean level in log10 mel. What can't be told is left out."""
    phones = np.concatenate([piece.phones for piece in pieces])
    frames = np.concatenate([piece.durations for piece in pieces])
    spoken = phones != PAUSE_ID
    facts: dict[str, Any] = {
        "seconds": round(sum(piece.seconds for piece in pieces), 1),
        "pieces": len(pieces),
        "phones_per_second": round(FRAMES_PER_SECOND / float(frames[spoken].mean()), 2),
    }
    pauses = frames[~spoken & (frames >= PAUSES[0]) & (frames <= PAUSES[1])]
    if len(pauses):
        facts["pause_seconds"] = round(float(np.median(pauses)) / FRAMES_PER_SECOND, 3)
    pitches = [piece.pitch for piece in pieces if piece.pitch is not None]
    voiced = np.concatenate([pitch[pitch > 0] for pitch in pitches]) if pitches else np.empty(0)
    if len(voiced):
        low, middle, high = np.percentile(voiced, [10, 50, 90])
        facts["pitch_hertz"] = round(float(2**middle), 1)
        facts["pitch_range_semitones"] = round(float(12 * (high - low)), 1)
    levels = [
        piece.mel[np.repeat(piece.phones != PAUSE_ID, piece.durations)].mean() for piece in pieces
    ]
    facts["level"] = round(float(np.mean(levels)), 3)
    return facts


def speaker_prompt(pieces: Sequence[VoicePiece], durations: DurationPredictor) -> Prompt:
    """The prompt of a voice: the pieces that match their text best, `LONGEST` frames in all."""
    mels: list[np.ndarray] = []
    phones: list[GridPhone] = []
    place = 0
    for piece in sorted(pieces, key=lambda piece: -piece.score):
        ends = np.cumsum(piece.durations)
        count = int(np.searchsorted(ends, LONGEST - place, side="right"))
        if count:
            mels.append(piece.mel[: ends[count - 1]])
        for phone, frames in zip(piece.phones[:count], piece.durations[:count], strict=True):
            phones.append(GridPhone(PHONES[int(phone)], place, place + int(frames), -1))
            place += int(frames)
    pace = durations.pace(
        ([PHONES[int(k)] for k in piece.phones], piece.words.tolist(), piece.durations.tolist())
        for piece in pieces
    )
    return Prompt(np.concatenate(mels), tuple(phones), pace)


def of_one_speaker(pieces: Sequence[VoicePiece]) -> tuple[list[VoicePiece], list[UnusedSpeech]]:
    """The pieces by the person who speaks most, and the others, which sound like somebody else.

    Too short a piece tells nothing, and goes with the rest of its recording.
    """
    encoder = load_speaker_encoder()
    telling = [k for k, piece in enumerate(pieces) if len(piece.spoken) >= TELLING]
    if len(telling) < 2:
        return list(pieces), []
    vectors = torch.stack([speech_vector(encoder, [pieces[k].spoken]) for k in telling])
    seconds = torch.tensor([pieces[k].seconds for k in telling])
    least = torch.tensor([least_likeness(len(pieces[k].spoken)) for k in telling])
    alike = vectors @ vectors.T >= torch.minimum(least[:, None], least)
    # Who speaks most is the one whose speech most of the speech is like.
    centre = vectors[alike[int((alike * seconds).sum(1).argmax())]].mean(0)
    centre = centre / centre.norm()
    own = dict(zip(telling, (vectors @ centre >= least).tolist(), strict=True))
    strangers = {pieces[k].source for k in own} - {
        pieces[k].source for k, same in own.items() if same
    }
    kept, others = [], []
    for k, piece in enumerate(pieces):
        if own.get(k, piece.source not in strangers):
            kept.append(piece)
        else:
            reason = "this sounds like another person than most of the speech."
            others.append(UnusedSpeech(piece.source, reason, piece.start))
    return kept, others
