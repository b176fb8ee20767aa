"""Edits against natural speech: the list, the conditions, the measures, the report."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.editor import Editor
from a3t.errors import InputError
from a3t.example import RECORDING
from a3t.grid import HOP, SAMPLE_RATE
from evaluation.edits import conditions, edits_command, experiment, learnt_voices, listing
from evaluation.edits import segment_metrics as stretches
from evaluation.edits.edits_command import MEASUREMENT
from evaluation.edits.experiment import PATCH, STRETCH
from evaluation.edits.segment_metrics import LabelledPhone, LabelledSound
from evaluation.edits.spoken_prompts import prompts
from evaluation.harness.estimates import Interval
from tests.conftest import ARCTIC
from training.corpora import Clip, is_unseen
from training.corpora.decoding import decode_floats

# The list.


def test_the_list_is_of_unseen_voices_and_its_halves_share_none() -> None:
    edits = listing.read_list()
    assert len(edits) >= 60 and len({edit.name for edit in edits}) == len(edits)
    assert all(is_unseen(edit.voice) for edit in edits)
    halves = [{edit.voice for edit in edits if edit.set == name} for name in ("choose", "report")]
    assert not halves[0] & halves[1] and all(len(half) >= 5 for half in halves)
    assert {edit.kind for edit in edits} == set(listing.KINDS)
    assert {word for edit in edits for word in edit.new_words.split()} <= {
        *listing.CONTENT,
        *listing.FUNCTION,
    }


def make_listed(**changed: object) -> listing.ListedEdit:
    edit = listing.ListedEdit("choose-01", "choose", "replace", "v", "c", 2, 3, "river of")
    return replace(edit, **changed)  # type: ignore[arg-type]


def test_an_edit_is_one_change_of_the_words() -> None:
    clip = Clip("c", "v", Path("x.wav"), "One two, three four.", 2.0)
    assert make_listed().texts(clip) == ("one two three four", "one two river of four")
    assert make_listed(last=2).texts(clip)[1] == "one two river of three four"


def test_missing_clips_are_named() -> None:
    with pytest.raises(InputError, match="such as c: it needs"):
        listing.find_clips([make_listed()], [])


def test_long_recordings_are_successive_clips_of_one_voice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = "librispeech-3947"
    clips = [
        Clip("librispeech", "3947", Path(f"{k:02}.wav"), f"{'word ' * 8}number {k}.", 6.0)
        for k in range(25)
    ]
    monkeypatch.setattr(
        learnt_voices, "decode_floats", lambda path: (np.ones(6 * SAMPLE_RATE, np.float32), 0)
    )
    (one, two) = learnt_voices.long_recordings([*clips[::-1]], "report", 60.0)
    assert one.clips == tuple(clips[:10]) and two.clips == tuple(clips[10:20])
    assert learnt_voices.long_recordings(clips, "choose", 60.0) == []
    edits, written = learnt_voices.write_long(clips, "report", 1.0, tmp_path)
    assert len(edits) == learnt_voices.EDITS and {edit.voice for edit in edits} == {voice}
    assert len({edit.name for edit in edits}) == len(edits)
    for edit in edits:
        text, new_text = edit.texts(written[edit.clip])
        assert text == written[edit.clip].text and new_text != text
        number = int(edit.name.rpartition("-")[2])
        assert 10 * (number % 10) <= edit.first <= edit.last <= 10 * (number % 10) + 10
    sound, rate = soundfile.read(written[one.name].path)
    assert len(sound) == 60 * rate == 60 * SAMPLE_RATE
    assert sound[0] == 0.0 and sound[6 * rate] == 0.0 and sound[3 * rate] > 0.9
    with pytest.raises(InputError, match="fewer"):
        learnt_voices.write_long(clips, "report", 3.0, tmp_path)


# The conditions.


@pytest.mark.parametrize("condition", conditions.CONDITIONS)
def test_a_condition_is_the_same_each_time_and_shifts_nothing(condition: str) -> None:
    speech = np.zeros(SAMPLE_RATE, np.float32)
    speech[8000:16000] = np.random.default_rng(0).standard_normal(8000) * 0.1
    one, same = (conditions.under(condition, speech, 5) for _ in range(2))
    np.testing.assert_array_equal(one, same)
    assert one.shape == speech.shape and np.abs(one).max() <= 1.0
    power = np.convolve(np.square(one), np.ones(240), "same")
    assert power[:7800].mean() < 0.2 * power[8200:15800].mean()
    lags = range(-5, 6)
    match = [float(np.dot(np.roll(one, -lag)[9000:15000], speech[9000:15000])) for lag in lags]
    assert lags[int(np.argmax(match))] == 0


# The stretches: a recording in which every word is the same buzz.


def make_sound(gain: np.ndarray | float = 1.0, hertz: float = 125.0) -> LabelledSound:
    """Twelve words of 20 frames, each a vowel of one pitch."""
    frames = 240
    time = np.arange(frames * HOP) / SAMPLE_RATE
    buzz = sum(np.sin(2 * np.pi * hertz * k * time) / k for k in range(1, 50))
    loudness = np.repeat(np.broadcast_to(gain, frames), HOP)
    noise = np.random.default_rng(0).standard_normal(len(time)) * 1e-4
    samples = (0.1 * buzz * loudness + noise).astype(np.float32)
    phones = [LabelledPhone("AA1", 20 * k, 20 * k + 20, k) for k in range(12)]
    return LabelledSound(samples, phones)


SPAN = (100, 140)


@pytest.fixture(autouse=True)
def no_listeners(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """The networks that judge are measured elsewhere, and are slow."""
    if "real" in request.keywords:
        return
    monkeypatch.setattr(stretches.metrics, "speech_mos", lambda *_: {"dnsmos": 3.0})
    monkeypatch.setattr(stretches.metrics, "speaker_similarity", lambda *_: 0.5)


def test_a_stretch_like_the_rest_differs_from_it_in_nothing() -> None:
    sound = make_sound()
    found = stretches.measure_stretch(sound, SPAN, sound, SPAN)
    for name in ("level", "level_at_phones", "f0_offset", "voiced", "middle", "high"):
        assert found[name] == pytest.approx(0.0, abs=0.3), name
    assert found["detail"] == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize("decibels", [-8.0, 5.0])
def test_a_louder_stretch_is_as_much_louder(decibels: float) -> None:
    gain = np.ones(240)
    gain[slice(*SPAN)] = 10 ** (decibels / 20)
    found = stretches.measure_stretch(make_sound(gain), SPAN, make_sound(), SPAN)
    assert found["level"] == pytest.approx(decibels, abs=0.2)
    assert found["level_at_phones"] == pytest.approx(decibels, abs=1.0)


def test_a_raised_voice_has_the_f0_offset_in_semitones() -> None:
    source = make_sound()
    high = make_sound(hertz=125.0 * 2 ** (3 / 12)).samples
    samples = source.samples.copy()
    samples[SPAN[0] * HOP : SPAN[1] * HOP] = high[SPAN[0] * HOP : SPAN[1] * HOP]
    found = stretches.measure_stretch(LabelledSound(samples, source.phones), SPAN, source, SPAN)
    assert found["f0_offset"] == pytest.approx(3.0, abs=0.2)


def test_the_mains_hum_hardly_changes_the_range_of_pitch() -> None:
    """As people record it at home: a tracker that follows the hum would measure another voice."""
    samples, _ = decode_floats(RECORDING)
    hum = 0.5 * samples.std() * np.sin(2 * np.pi * 50 * np.arange(len(samples)) / SAMPLE_RATE)

    def range_of(samples: np.ndarray) -> float:
        f0 = LabelledSound(samples.astype(np.float32), ()).f0
        return 12 * float(np.ptp(np.percentile(f0[f0 > 0], [10, 90])))

    assert range_of(samples + hum) == pytest.approx(range_of(samples), abs=1.0)


def test_natural_stretches_begin_with_words_and_avoid_the_edit() -> None:
    sound = make_sound()
    found = stretches.natural_stretches(sound, 40, SPAN, 3)
    assert len(found) == 3
    for first, last in found:
        assert first % 20 == 0 and last - first == 40
        assert last <= SPAN[0] or first >= SPAN[1]
    assert all(a[1] <= b[0] for a, b in zip(found, found[1:], strict=False))


def test_natural_stretches_are_neither_silent_nor_doubtful_nor_vowelless() -> None:
    sound = make_sound()
    whole = stretches.natural_stretches(sound, 20, (0, 20), 99)
    phones = list(sound.phones)
    phones[3] = replace(phones[3], sure=False)
    phones[5] = replace(phones[5], symbol="S")
    phones[7] = replace(phones[7], symbol="sp", word=-1)
    found = stretches.natural_stretches(LabelledSound(sound.samples, phones), 20, (0, 20), 99)
    assert set(whole) - set(found) == {(60, 80), (100, 120), (140, 160)}


# What is said.


def make_row(edit: str, stretch: str, condition: str, level: float) -> dict[str, object]:
    figures = dict.fromkeys(stretches.MEASURES, math.nan) | {"level": level}
    return {"edit": edit, "condition": condition, "voice": "v", "stretch": stretch, **figures}


def test_patches_are_paired_with_their_own_natural_stretches() -> None:
    rows = [
        make_row("a", PATCH, "clean", 3.0),
        make_row("a", STRETCH, "clean", 1.0),
        make_row("a", STRETCH, "clean", 0.0),
        make_row("b", PATCH, "clean", 5.0),
        make_row("b", STRETCH, "clean", 3.5),
        make_row("a", PATCH, "room", 9.0),
        make_row("a", STRETCH, "room", 1.5),
    ]
    figures = edits_command.edit_figures(rows)
    assert (figures["clean.level.ours"], figures["clean.level.natural"]) == (4.0, 2.0)
    assert figures["clean.worst.ours"] == 5.0 and figures["room.edits"] == 1


def test_similarity_is_figured_by_corpus() -> None:
    rows = [
        make_row(voice, stretch, "clean", 0.0) | {"voice": voice, "similarity": value}
        for voice, ours in (("librispeech-1", 0.5), ("librispeech-2", 0.7), ("commonvoice-1", 0.8))
        for stretch, value in ((PATCH, ours), (STRETCH, 0.9))
    ]
    figures = edits_command.edit_figures(rows)
    found = [figures[f"clean.similarity.{name}"] for name in ("librispeech", "commonvoice")]
    assert [round(value.value, 6) for value in found if isinstance(value, Interval)] == [-0.3, -0.1]


def test_patches_are_compared_with_those_of_another_run() -> None:
    now = [make_row(name, PATCH, "clean", level) for name, level in (("a", 3.0), ("b", 2.0))]
    before = [make_row("a", PATCH, "clean", 1.0), make_row("c", PATCH, "clean", 9.0)]
    pairs = (edits_command.PairedEdits(rows) for rows in (now, before))
    assert next(pairs).changes(next(pairs), "level") == [2.0]


# All of it, on a real recording.


def test_an_edit_is_made_and_measured(arctic: Path, shallow_editor: Editor, tmp_path: Path) -> None:
    clip = Clip("c", "v", arctic, ARCTIC, 4.0)
    edit = make_listed(first=4, last=5, new_words="yellow river")
    setting = MEASUREMENT.setting(tmp_path)
    setting.__dict__["editor"] = shallow_editor
    rows = list(experiment.measure_edit(edit, clip, ["8 kHz"], setting))
    (patch,) = (row for row in rows if row["stretch"] == PATCH)
    assert patch["condition"] == "8 kHz" and math.isfinite(patch["level"])
    assert {"detail", "high", "joint_flux"} <= patch.keys()
    natural = [row for row in rows if row["stretch"] == STRETCH]
    assert natural and {row["seconds"] for row in natural} == {patch["seconds"]}
    assert soundfile.info(tmp_path / "edited" / "choose-01 8 kHz.wav").samplerate == 8_000
    # Natural stretches are the same for every model, and are measured once.
    again = list(experiment.measure_edit(edit, clip, ["8 kHz"], setting, natural))
    assert again[1:] == natural and again[0]["detail"] == patch["detail"]


UNSEEN = "3947"  # of LibriSpeech, among the voices that are reported


def test_a_prompt_and_its_text_are_of_one_unseen_voice() -> None:
    clips = [Clip("librispeech", UNSEEN, Path(f"{k}.flac"), "x", 5.0) for k in range(6)]
    ((name, one, other),) = prompts(clips, "report", 1)
    assert (
        name == other.name
        and one != other
        and {one.voice, other.voice} == {f"librispeech-{UNSEEN}"}
    )
    assert prompts(clips[::-1], "report", 1) == [(name, one, other)]
    with pytest.raises(InputError, match="choose fewer"):
        prompts(clips, "report", 2)
    with pytest.raises(InputError, match="choose fewer"):
        prompts(clips, "choose", 1)
