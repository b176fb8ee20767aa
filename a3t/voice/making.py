"""Making a voice: a person's recordings are gathered, aligned and adapted to, and it is saved."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from a3t.audio.output.writing import CONTAINERS
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.model.loading import Networks
from a3t.model.saved_voices import check_name, save_voice, voices_folder
from a3t.model.speaker_encoder import load_speaker_encoder, speech_vector
from a3t.voice.adaptation import LEAST_SECONDS, Adaptation, AdaptationConfig, adapt
from a3t.voice.speaker import of_one_speaker, speaker_facts, speaker_prompt
from a3t.voice.voice_pieces import UnusedSpeech, VoicePiece, pieces_of
from alignment import Alignment

MOST_SECONDS = 1800.0  # of speech, half an hour: so few steps learn nothing from more
MOST_FILES = 5000
MUCH = 60.0  # seconds of speech: what less gains is hard to hear (docs/log.md)

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
    """Make a voice from recordings, or folders of them, with or without transcripts beside them;
    its folder, and how it was adapted.

    Interrupted, the same call resumes the adaptation. ``say`` gets every piece that is left out as
    it is found. Raises InputError if nothing can be made of them.
    """
    check_name(name)
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
    """Names what an interrupted adaptation may go on with: the same model, speech and settings."""
    digest = hashlib.sha256(f"{networks.sha256}\n{config!r}".encode())
    for piece in pieces:
        digest.update(piece.name.encode() + piece.phones.tobytes() + piece.durations.tobytes())
    return digest.hexdigest()[:16]


def recordings_in(paths: Sequence[Path]) -> list[Path]:
    """The files named, and the audio files below the folders named, in order."""
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
    """The usable pieces of all recordings, and the rejected ones."""
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
