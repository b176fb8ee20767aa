"""Speakers told apart: other people's recordings in a voice's folder, and another's voice."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from a3t.commands.editing.edit_doubts import confirm_doubts, doubts_of, likeness
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import frames_of
from a3t.model.saved_voices import load_voice, save_voice
from a3t.model.speaker_encoder import (
    SAME_VOICE_COSINES,
    least_likeness,
    load_speaker_encoder,
    speech_vector,
)
from a3t.voice.adaptation import VoicePiece
from a3t.voice.making import of_one_speaker
from tests.conftest import ARCTIC, NEVER
from training.features.augment import warp_frequency


def other_person(piece: VoicePiece, name: str) -> VoicePiece:
    """The same words with a shorter vocal tract and a higher pitch, louder."""
    mel = warp_frequency(piece.mel, 1.3) + np.float32(0.2)
    return replace(piece, name=name, mel=mel, source=Path(f"{name}.wav"))


def test_another_person_in_the_folder_is_left_out(pieces: list[VoicePiece]) -> None:
    (own,) = pieces
    short = replace(own, mel=own.mel[:0], words=own.words[:0], durations=own.durations[:0])
    strangers = [other_person(own, "guest")]
    strangers.append(replace(short, source=strangers[0].source))  # goes with its recording
    same = [own, replace(own, name="again"), replace(short, source=own.source)]
    kept, others = of_one_speaker([*strangers, *same])
    assert kept == same
    assert [other.path for other in others] == [Path("guest.wav")] * 2
    assert "another person" in others[0].reason
    assert of_one_speaker(strangers[:1]) == (strangers[:1], [])  # alone it is who it is


def test_an_edit_in_another_persons_voice_says_so(
    editor: Editor, arctic: Path, pieces: list[VoicePiece], capsys: pytest.CaptureFixture[str]
) -> None:
    plan = editor.plan(arctic, text=ARCTIC, new_text=NEVER)
    model = {"name": editor.name, "sha256": editor.sha256}
    vectors = {
        name: speech_vector(load_speaker_encoder(), [piece.spoken])
        for name, piece in (("own", pieces[0]), ("guest", other_person(pieces[0], "guest")))
    }
    for name, vector in vectors.items():
        save_voice(name, model, {}, {}, speaker=vector)
    save_voice("old", model, {}, {})  # of a version that kept no vector
    own, old = likeness(plan, load_voice("own")), likeness(plan, load_voice("old"))
    assert own is not None and own.cosine > 0.9 and old is None
    assert doubts_of(plan, "own") == doubts_of(plan, "old") == doubts_of(plan, None)
    (doubt,) = set(doubts_of(plan, "guest")) - set(doubts_of(plan, None))
    assert "doesn't sound like the voice 'guest'" in doubt
    with pytest.raises(InputError, match="Nothing was made"):
        confirm_doubts([doubt], ask=False, strict=True)
    confirm_doubts([doubt], ask=False)
    assert doubt in capsys.readouterr().err


def test_the_more_is_heard_the_more_alike_it_has_to_be(
    editor: Editor, arctic: Path, pieces: list[VoicePiece]
) -> None:
    seconds = np.linspace(0.0, 40.0, 81)
    least = [least_likeness(frames_of(each)) for each in seconds]
    assert least == sorted(least) and len(set(least)) > 10
    assert all(
        np.isclose(least_likeness(frames_of(at)), limit) for at, limit in SAME_VOICE_COSINES.items()
    )
    # A voice learnt from little speech is compared as if as little were heard of the recording.
    plan = editor.plan(arctic, text=ARCTIC, new_text=NEVER)
    vector = speech_vector(load_speaker_encoder(), [pieces[0].spoken])
    model = {"name": editor.name, "sha256": editor.sha256}
    limits = []
    for name, facts in (("brief", {"seconds": 1.5}), ("long", {"seconds": 60.0})):
        save_voice(name, model, facts, {}, speaker=vector)
        found = likeness(plan, load_voice(name))
        assert found is not None
        limits.append(found.least)
    assert limits[0] == least[0] < limits[1]
