"""Making a voice: a person's recordings are gathered, aligned and adapted to, and it is saved.

A person's way of speaking: pace, pauses, pitch and level, and a few seconds as a prompt.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from a3t.audio.output.writing import CONTAINERS
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, frames_of
from a3t.model.a3t import A3T
from a3t.model.loading import Networks
from a3t.model.saved_voices import check_name, save_voice, voices_folder
from a3t.model.speaker_encoder import least_likeness, load_speaker_encoder, speech_vector
from a3t.model.variance.durations import DurationPredictor
from a3t.plan.prompt import MAX_PROMPT_FRAMES, Prompt
from a3t.plan.usual_pauses import PAUSES
from a3t.plan.word_grid import GridPhone
from a3t.text.phones import PAUSE_ID, PHONES
from a3t.voice.adaptation import (
    LEAST_SECONDS,
    Adaptation,
    AdaptationConfig,
    UnusedSpeech,
    VoicePiece,
    adapt,
    pieces_of,
)
from alignment import Alignment

TELLING = frames_of(1.5)  # frames of words, from which a piece tells who speaks
MOST_SECONDS = 1800.0  # of speech, half an hour: so few steps learn nothing from more
MOST_FILES = 5000
MUCH = 60.0  # seconds of speech: what less gains is hard to hear (docs/log.md)


def speaker_facts(pieces: Sequence[VoicePiece]) -> dict[str, Any]:
    """Measure a speaker; what can't be measured is left out.

    Returns seconds of speech; phones a second without the pauses; the median pause in seconds; the
    median pitch in Hz and its range (10th to 90th percentile) in semitones; the spoken frames' mean
    level in log10 mel.
    """
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
    """Make a prompt of the pieces that match their text best, `MAX_PROMPT_FRAMES` in all."""
    mels: list[np.ndarray] = []
    phones: list[GridPhone] = []
    place = 0
    for piece in sorted(pieces, key=lambda piece: -piece.score):
        ends = np.cumsum(piece.durations)
        count = int(np.searchsorted(ends, MAX_PROMPT_FRAMES - place, side="right"))
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
    """Separate the pieces of the person who speaks most from those that sound like others.

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


Align = Callable[[Recording], Alignment]  # by the text beside it, or what is recognised


def make_voice(
    name: str,
    paths: Sequence[Path],
    networks: Networks,
    align: Align,
    config: AdaptationConfig | None = None,
    say: Callable[[str], None] = lambda sentence: None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Path, Adaptation]:
    """Make a voice from recordings, or folders of them, and return its folder and adaptation.

    Transcripts beside the recordings are used. Interrupted, the same call resumes the adaptation.
    ``say`` gets every piece that is left out as it is found. Raises InputError if nothing can be
    made of them.
    """
    check_name(name)
    if not isinstance(networks.model, A3T):
        raise InputError(f"{networks.name} can't learn a voice: choose one of a3t's own models.")
    work = voices_folder() / f".{name}.making"
    found, left_out = gather(recordings_in(paths), align, say)
    pieces, others = of_one_speaker(found)
    for other in others:
        say(f"Left out: {other}")
    left_out += others
    if not pieces:
        reasons = "; ".join(map(str, left_out[:3]))
        raise InputError(f"None of these recordings can be used ({reasons}): give others.")
    seconds = sum(piece.seconds for piece in pieces)
    if LEAST_SECONDS <= seconds < MUCH:
        say(
            f"From {seconds:.0f} s of speech, new words become a little more like the speaker; "
            "give a minute or more for a clear difference."
        )
    config = config or AdaptationConfig()
    adaptation = adapt(
        networks.model, pieces, work / _digest(networks, pieces, config), config, progress
    )
    facts = speaker_facts(pieces) | {"steps": adaptation.step, "consent": True}
    if adaptation.before is not None and adaptation.after is not None:
        facts["held_out_error_before"] = round(adaptation.before, 4)
        facts["held_out_error_after"] = round(adaptation.after, 4)
    model = {"name": networks.name, "sha256": networks.sha256}
    prompt = speaker_prompt(pieces, networks.durations).to_tensors()
    speaker = speech_vector(load_speaker_encoder(), [piece.spoken for piece in pieces])
    folder = save_voice(name, model, facts, adaptation.changes, prompt, speaker)
    shutil.rmtree(work, ignore_errors=True)
    return folder, adaptation


def _digest(networks: Networks, pieces: Sequence[VoicePiece], config: AdaptationConfig) -> str:
    """Name what an interrupted adaptation may continue: the same model, speech and settings."""
    digest = hashlib.sha256(f"{networks.sha256}\n{config!r}".encode())
    for piece in pieces:
        digest.update(piece.name.encode() + piece.phones.tobytes() + piece.durations.tobytes())
    return digest.hexdigest()[:16]


def recordings_in(paths: Sequence[Path]) -> list[Path]:
    """List the files named, and the audio files below the folders named, in order."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            sounds = (file for file in path.rglob("*") if file.suffix.lower() in CONTAINERS)
            found += sorted(file for file in sounds if file.is_file())
        else:
            found.append(path)
    if not found:
        raise InputError("There are no recordings there: name files, or a folder with some.")
    if len(found) > MOST_FILES:
        raise InputError(f"These are {len(found)} recordings: choose at most {MOST_FILES}.")
    return list(dict.fromkeys(found))


def gather(
    paths: Sequence[Path], align: Align, say: Callable[[str], None]
) -> tuple[list[VoicePiece], list[UnusedSpeech]]:
    """Return the usable pieces of all recordings, and the rejected ones."""
    pieces: list[VoicePiece] = []
    left_out: list[UnusedSpeech] = []

    def leave_out(one: UnusedSpeech) -> None:
        left_out.append(one)
        say(f"Left out: {one}")

    names: set[str] = set()
    for path in paths:
        if sum(piece.seconds for piece in pieces) >= MOST_SECONDS:
            say(f"{MOST_SECONDS / 60:.0f} minutes of speech are enough: the rest is not used.")
            break
        try:
            recording = Recording.open(path)
            found = list(pieces_of(recording, align(recording)))
        except InputError as error:
            leave_out(UnusedSpeech(path, str(error)))
            continue
        for one in found:
            if isinstance(one, UnusedSpeech):
                leave_out(one)
            elif one.name in names:
                leave_out(UnusedSpeech(path, "the same recording was used before."))
            else:
                names.add(one.name)
                pieces.append(one)
    return pieces, left_out
