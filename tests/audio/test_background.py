"""The background under an edit: steady tones continue, and music is noticed."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from a3t.audio.analysis.background import find_steady_tones, music_under
from a3t.audio.reading.recording import Recording
from a3t.commands.editing.edit_doubts import music_doubt
from a3t.editor import Editor
from a3t.plan.cleaning import Cleaning
from a3t.plan.request import KINDS
from a3t.source.records import AlignedRecording
from a3t.text.transcript import Transcript
from alignment import Alignment
from tests.conftest import ARCTIC

HUM = [50.0 * k for k in (1, 2, 3, 4, 6)]
PAD = [220.0, 277.2, 329.6, 440.3]


GAP = (95_000, 101_000)  # samples within the second sentence
TEXT = f"{ARCTIC} {ARCTIC} {ARCTIC}"
TALKER = Path(__file__).parents[1] / "alignment" / "labels" / "02.opus"


@pytest.fixture(scope="module")
def talk(arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sentence three times, half a second apart."""
    speech, rate = soundfile.read(arctic)
    pause = np.random.default_rng(1).normal(0, 1e-4, rate // 2)
    path = tmp_path_factory.mktemp("talk") / "talk.wav"
    soundfile.write(path, np.concatenate([speech, pause, speech, pause, speech]), rate)
    return path


@pytest.fixture(scope="module")
def aligned(talk: Path, editor: Editor) -> Alignment:
    return editor.align(talk, TEXT)


def mixed(talk: Path, out: Path, added: np.ndarray, decibels: float) -> tuple[Path, np.ndarray]:
    """The speech with a sound under it, so many dB below; and that sound."""
    speech, rate = soundfile.read(talk)
    added = np.resize(added, len(speech))
    added = added * np.sqrt(np.mean(speech**2) / np.mean(added**2)) * 10 ** (decibels / 20)
    soundfile.write(out, (speech + added) / 2, rate)
    return out, added / 2


def tones(frequencies: list[float], rate: int = 16_000, seconds: float = 20.0) -> np.ndarray:
    time = np.arange(round(rate * seconds)) / rate
    return np.sum([np.sin(2 * np.pi * f * time + f) for f in frequencies], axis=0)


def chords(rate: int = 16_000) -> np.ndarray:
    """Another chord every half second."""
    draw = np.random.default_rng(4)
    roots = [110 * 2 ** (draw.integers(0, 12) / 12) for _ in range(40)]
    return np.concatenate([tones([r, 1.5 * r, 2.52 * r, 4 * r], rate, 0.5) for r in roots])


def motor() -> np.ndarray:
    """A hum whose frequency wavers by three per cent, with an overtone."""
    time = np.arange(300_000) / 16_000
    phase = 2 * np.pi * 118 * time + 3.5 / 0.7 * np.sin(2 * np.pi * 0.7 * time)
    return np.asarray(np.sin(phase) + 0.3 * np.sin(2 * phase))


def strength(sound: np.ndarray, frequencies: list[float], rate: int) -> float:
    """The power at these frequencies, dB."""
    time, window = np.arange(len(sound)) / rate, np.hanning(len(sound))
    found = [np.abs(np.sum(sound * window * np.exp(-2j * np.pi * f * time))) for f in frequencies]
    return float(10 * np.log10(np.sum(np.square(found))))


def known(path: Path, aligned: Alignment, text: str = TEXT) -> AlignedRecording:
    return AlignedRecording(Recording.open(path), Transcript.from_text(text), aligned)


@pytest.mark.parametrize(
    ("frequencies", "decibels"), [(HUM, -20.0), pytest.param(PAD, -10.0, marks=pytest.mark.slow)]
)
def test_steady_tones_go_on_through_new_words(
    talk: Path,
    aligned: Alignment,
    tmp_path: Path,
    whole_editor: Editor,
    frequencies: list[float],
    decibels: float,
) -> None:
    path, added = mixed(talk, tmp_path / "a.wav", tones(frequencies), decibels)
    new = f"{ARCTIC} {ARCTIC.replace('want to see', 'hope to find')} {ARCTIC}"
    result = whole_editor.edit(known(path, aligned), new_text=new, verify=False)
    rate, piece = 16_000, 3200
    wanted = strength(added[:piece], frequencies, rate)
    made = result.patches[0].samples[:, 0]
    assert len(made) > 2 * piece
    for start in range(0, len(made) - piece, piece // 2):
        level = strength(made[start : start + piece], frequencies, rate)
        assert level > wanted - 6  # without them it falls by 10 to 20 dB


def test_tones_are_found_where_they_are(talk: Path, tmp_path: Path) -> None:
    path, added = mixed(talk, tmp_path / "a.wav", tones(PAD), -10)
    recording, gap = Recording.open(path), GAP
    found = find_steady_tones(recording, *gap)
    assert all(np.abs(found.frequencies - f).min() < 0.1 for f in PAD)
    across = found.across(6000, -gap[0], -gap[0])[:, 0]
    wrong = across - added[slice(*gap)]
    assert 10 * np.log10(np.mean(wrong**2) / np.mean(added**2)) < -12
    bare = found.without(added[slice(*gap), None])
    assert np.mean(bare**2) < 0.03 * np.mean(added**2)


@pytest.mark.parametrize("span", [(0, 4000), (60_000, 64_000), (0, 0)])
def test_beside_too_little_sound_nothing_is_found(arctic: Path, span: tuple[int, int]) -> None:
    assert len(find_steady_tones(Recording.open(arctic), *span)) == 0


def test_music_is_noticed_and_noise_and_hum_are_not(
    talk: Path, aligned: Alignment, tmp_path: Path
) -> None:
    noise = np.random.default_rng(0).standard_normal(300_000)
    for name, sound, noticed in (
        ("music", chords(), True), ("noise", noise, False), ("hum", tones(HUM), False),
        ("motor", motor(), False),
    ):  # fmt: skip
        path, _ = mixed(talk, tmp_path / f"{name}.wav", sound, -15)
        found = music_under(Recording.open(path), aligned, *GAP)
        assert (found is not None) == noticed, name
    assert music_under(Recording.open(talk), aligned, *GAP) is None


def test_two_talkers_at_once_are_not_called_music(
    talk: Path, aligned: Alignment, tmp_path: Path, editor: Editor
) -> None:
    other, rate = soundfile.read(TALKER)
    other = soxr.resample(other, rate, 16_000)
    path, _ = mixed(talk, tmp_path / "two.wav", other, -10)
    new = f"{ARCTIC} {ARCTIC.replace('want to see', 'hope to find')} {ARCTIC}"
    doubt = music_doubt(editor.plan(known(path, aligned), new_text=new))
    assert doubt is not None and "another voice" in doubt


RATE = 16_000
SHORT, SHORT_S = "And you always want to see it.", 1.9  # the sentence's first words


@pytest.fixture
def breathing(arctic: Path, tmp_path: Path) -> tuple[Path, dict[str, tuple[float, float]]]:
    """The words three times; a breath in the first pause between, a click in the second."""
    draw = np.random.default_rng(2)
    speech = soundfile.read(arctic)[0][: round(SHORT_S * RATE)]
    level = float(np.sqrt(np.mean(speech**2)))
    parts, places = [speech], {}
    for kind in ("breath", "click"):
        pause = draw.normal(0, level / 1000, round(0.9 * RATE))
        size = round((0.3 if kind == "breath" else 0.008) * RATE)
        noise = draw.standard_normal(size) * np.hanning(size)
        noise *= level * (0.15 if kind == "breath" else 0.4)
        start = round(0.3 * RATE)
        pause[start : start + size] += noise
        begin = (sum(map(len, parts)) + start) / RATE
        places[kind] = (begin, begin + size / RATE)
        parts += [pause, speech]
    soundfile.write(tmp_path / "talk.wav", np.concatenate(parts), RATE)
    return tmp_path / "talk.wav", places


def test_they_are_found_on_request_and_muted_in_place(
    breathing: tuple[Path, dict[str, tuple[float, float]]], editor: Editor
) -> None:
    path, places = breathing
    text = f"{SHORT} {SHORT} {SHORT}"
    aligned = editor.align(path, text)
    assert not {"breath", "click"} & {*Cleaning().kinds}
    want = Cleaning(kinds=("breath", "click"), longest=2.0)
    found = editor.findings(known(path, aligned, text), want)
    by_kind = {each.kind: each for each in found.found}
    assert set(by_kind) <= set(places) and by_kind
    for kind, each in by_kind.items():
        start, end = places[kind]
        assert start - 0.05 < each.start < start + 0.12 and end - 0.12 < each.end < end + 0.05
    result = editor.edit(path, found.request(found.found), verify=False)
    recording = Recording.open(path)
    assert result.map.samples.output_length == recording.samples  # nothing has moved
    for patch in result.patches:
        before = recording.mono(*patch.source)
        assert np.abs(patch.samples).max() < np.abs(before).max() / 3


def test_kinds_that_are_not_asked_for_are_what_they_were() -> None:
    assert Cleaning().kinds == KINDS and "breath" not in KINDS


@pytest.mark.parametrize("said", [False, True])
def test_an_hour_without_words_is_a_pause_unless_something_is_said_in_it(
    arctic: Path, tmp_path: Path, editor: Editor, said: bool
) -> None:
    """In one minute of it, of which the aligner is a little unsure throughout."""
    speech, rate = soundfile.read(arctic)
    draw = np.random.default_rng(3)
    silence = draw.normal(0, 3e-4, 60 * rate)
    if said:
        silence[25 * rate : 25 * rate + len(speech)] += speech / 4
    path = tmp_path / "talk.wav"
    soundfile.write(path, np.concatenate([speech, silence, speech]), rate)
    found = editor.findings(path, Cleaning(kinds=("pause",)), text=f"{ARCTIC} {ARCTIC}").found
    longest = max((each.end - each.start for each in found), default=0.0)
    assert (longest > 59) is not said
