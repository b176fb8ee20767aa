"""New words that the speaker has recorded for an edit, found in their recording and put in."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from a3t.audio.matching.sound_matching import SpeechSound, in_sound_of
from a3t.audio.matching.spectra import band_power, spectra, thirds_of_octaves
from a3t.audio.matching.traits import MatchedTraits
from a3t.audio.output.provenance import provenance_of
from a3t.commands.editing.edit_options import parser, project_edit
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.punch_in import reading_of
from a3t.plan.request import EditRequest, OtherRecording
from a3t.projects.replay import replay
from a3t.text.pronunciation.pronouncer import Pronouncer
from tests.conftest import ARCTIC, assert_untouched

WITHOUT = ARCTIC.replace("always ", "")
QUIETER, NOISE = 0.4, 1e-3


@pytest.fixture(scope="module")
def talk(arctic: Path, editor: Editor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sentence without "always"; beside it whole.npy, and where the word stood there."""
    path = tmp_path_factory.mktemp("punch") / "talk.wav"
    sound, rate = soundfile.read(arctic)
    word = editor.align(arctic, ARCTIC).spoken[2]
    first, last = round(word.start * rate), round(word.end * rate)
    soundfile.write(path, np.concatenate([sound[:first], sound[last:]]), rate)
    np.save(path.with_name("word.npy"), [first, last])
    return path


def retake(arctic: Path, talk: Path, which: str) -> tuple[np.ndarray, int]:
    """A reading of the word: alone, or broken off and then in its sentence;
    quieter, noisier, and at another rate."""
    sound, rate = soundfile.read(arctic)
    first, last = np.load(talk.with_name("word.npy"))
    beside, silence = round(0.04 * rate), np.zeros(round(0.3 * rate))
    parts = {
        "alone": [silence, sound[first - beside : last + beside], silence],
        "twice": [silence, sound[: (first + last) // 2], silence, sound, silence],
    }[which]
    whole = soxr.resample(np.concatenate(parts), rate, 24_000) * QUIETER
    return whole + np.random.default_rng(0).normal(0, NOISE, len(whole)), 24_000


@pytest.mark.parametrize("which", ["alone", "twice"])
def test_read_words_are_found_matched_and_marked(
    editor: Editor, arctic: Path, talk: Path, tmp_path: Path, which: str
) -> None:
    sound, rate = retake(arctic, talk, which)
    soundfile.write(tmp_path / "retake.wav", sound, rate)
    others = (OtherRecording(tmp_path / "retake.wav", punch_in=True),)
    result = editor.edit(talk, EditRequest(text=WITHOUT, new_text=ARCTIC, others=others))
    out = result.save(tmp_path / "out.wav")
    record = json.loads((tmp_path / "out.edit.json").read_text())
    (entry,) = record["edits"]
    (part,) = entry["taken"]
    assert part["path"].endswith("retake.wav") and part["punch_in"]
    assert provenance_of(out).synthetic_seconds == 0 and not result.plan.windows
    assert [trace.words for trace in provenance_of(out).traces if trace.moved] == ["always"]
    (source, own), (made, _) = (soundfile.read(path, dtype="int16") for path in (talk, out))
    assert_untouched(record["edits"], source, made)
    # The word itself, at its own level again, and no noisier than the recording.
    first, last = np.load(talk.with_name("word.npy"))
    word = soundfile.read(arctic)[0][first:last]
    taken = soundfile.read(out)[0][slice(*part["output"])]
    assert len(taken) == pytest.approx(len(word), abs=0.06 * own)
    level = 20 * np.log10(np.std(taken) / np.std(word))
    assert abs(level) < (6 if which == "alone" else 3)  # alone, its stress isn't known
    assert editor.align(out, ARCTIC).spoken[2].score > 0.7
    again = replay(tmp_path / "out.edit.json").save(tmp_path / "again.wav")
    assert again.read_bytes() == out.read_bytes()


def test_noise_becomes_the_recordings() -> None:
    """Noise alone is as loud as the room then, in all bands, and as loud as the gain makes
    it without the match."""
    rate, bands = 16_000, thirds_of_octaves(16_000)
    noise = np.random.default_rng(0).normal(0, 0.01, (rate, 1))
    power = band_power(np.square(np.abs(spectra(noise[:, 0], rate)))[4:-4], bands).mean(axis=0)
    own = SpeechSound(rate, 1.0, 1e4 * power, power)
    room = SpeechSound(rate, 4.0, 4e4 * power, power / 100)
    for match, expected in ((MatchedTraits(), power / 100), (MatchedTraits.of(()), 4 * power)):
        made = in_sound_of(noise, own, room, None, match, 0)
        found = band_power(np.square(np.abs(spectra(made[:, 0], rate)))[4:-4], bands).mean(axis=0)
        assert np.abs(10 * np.log10(found / expected)).max() < 4


def test_what_is_not_read_is_refused_or_made(
    editor: Editor, arctic: Path, talk: Path, tmp_path: Path
) -> None:
    sound, rate = retake(arctic, talk, "alone")
    rest = np.load(talk.with_name("word.npy"))[1] + 1600
    soundfile.write(tmp_path / "wrong.wav", soundfile.read(arctic)[0][rest:], 16_000)
    soundfile.write(tmp_path / "retake.wav", sound, rate)
    wrong, right = (
        OtherRecording(tmp_path / f"{x}.wav", punch_in=True) for x in ("wrong", "retake")
    )
    request = EditRequest(text=WITHOUT, new_text=ARCTIC, others=(wrong,))
    with pytest.raises(InputError, match="“always” isn't heard in wrong"):
        editor.plan(talk, request)
    options = [str(talk), "--new-text", ARCTIC, "--said", str(tmp_path / "missing.wav")]
    with pytest.raises(InputError, match=r"missing.wav does not exist"):  # before models load
        project_edit(parser().parse_args(options))
    two = ARCTIC.replace("degree", "grade")
    plan = editor.plan(talk, request, new_text=two, others=(right,))
    assert [bool(edit.taken) for edit in plan.edits] == [True, False]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("we meet on fry day at noon", ((0, 6), (0, 7))),
        ("friday", ((3, 4), (0, 1))),
        ("we meet on friday oh we meet on friday at noon", ((0, 6), (5, 11))),
        ("so the thing is at noon", None),
    ],
)
def test_a_reading_is_found_by_its_phones(said: str, found: object) -> None:
    new = "we meet on friday at noon".split()
    reading = reading_of((3, 4), new, said.split(), Pronouncer())
    assert (reading.new, reading.said) == found if found else reading.alike < 0.5
