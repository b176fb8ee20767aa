"""Marks in the new text: pauses have their length, emphasis stays in the speaker's range."""

import builtins
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.splicing.emphasis import BOUND_PERCENT, MAX_DB, MAX_SEMITONES, emphasise
from a3t.editor import Editor
from a3t.errors import InputError
from tests.conftest import ARCTIC, NEVER, assert_untouched

PLACES = {
    "between words": ARCTIC.replace("want", "want [pause 0.4]"),
    "first": f"[pause 0.4] {ARCTIC}",
    "last": f"{ARCTIC} [pause 0.4]",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_pause_lengthens_the_recording_by_itself(
    place: str, editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    result = editor.edit(arctic, new_text=PLACES[place], text=ARCTIC)
    out = soundfile.read(result.save(tmp_path / "out.wav"))[0]
    source = soundfile.read(arctic)[0]
    assert len(out) - len(source) == round(0.4 * 16000)
    (edit,) = result.record["edits"]
    first, last = edit["output"]
    assert_untouched([edit], source, out)
    tone = out[first + 320 : last - 320]
    power = np.square(source).reshape(-1, 160)[: len(source) // 160].mean(1)
    assert 0 < np.sqrt(np.square(tone).mean()) < 4 * np.sqrt(np.quantile(power, 0.1))


def test_a_pause_among_new_words_is_quiet(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    new = ARCTIC.replace("always", "never [pause 0.5] ever")
    result = editor.edit(arctic, new_text=new, text=ARCTIC)
    out = soundfile.read(result.save(tmp_path / "out.wav"))[0]
    (edit,) = result.record["edits"]
    words = [(word["word"], word["seconds"]) for word in edit["words"]]
    assert [word for word, _ in words] == ["never", "[pause]", "ever"] and words[1][1] == 0.5
    made = np.square(out[slice(*edit["output"])])
    quiet = np.convolve(made, np.ones(6400) / 6400, "valid").min()  # 0.4 s of it
    assert quiet < made.mean() / 30


RATE = 24_000


def voice(hertz: np.ndarray, loudness: float) -> np.ndarray:
    """Pulses at a pitch that follows `hertz` (n,), through a vowel's two resonances."""
    phase = np.cumsum(hertz / RATE)
    pulses = np.diff(np.floor(phase), prepend=0.0)
    time = np.arange(600) / RATE
    vowel = sum(np.exp(-200 * time) * np.sin(2 * np.pi * f * time) for f in (600, 1200))
    sound = np.convolve(pulses, vowel)[: len(hertz)]
    return loudness * sound / np.abs(sound).max()


def pitch_of(sound: np.ndarray) -> float:
    import pyworld

    hertz, times = pyworld.dio(sound.astype(np.float64), RATE)
    hertz = pyworld.stonemask(sound.astype(np.float64), hertz, times, RATE)
    return float(np.median(hertz[hertz > 0]))


def test_a_word_is_raised_within_the_speakers_range() -> None:
    pytest.importorskip("pyworld", reason="emphasis needs pyworld")
    speaker = voice(np.linspace(90, 180, 2 * RATE), 0.5)
    word = voice(np.full(RATE, 120.0), 0.2)
    made, (raised,) = emphasise(word, [(8_000, 16_000)], speaker)
    assert 0 < raised.semitones <= MAX_SEMITONES and 0 < raised.decibels <= MAX_DB
    expected = 120 * 2 ** (raised.semitones / 12)
    assert pitch_of(made[8_500:15_500]) == pytest.approx(expected, rel=0.02)
    level = np.std(made[9_000:15_000]) / np.std(word[9_000:15_000])
    assert 20 * np.log10(level) == pytest.approx(raised.decibels, abs=0.7)
    assert np.array_equal(made[:7_000], word[:7_000].astype(np.float32))
    assert np.array_equal(made[17_000:], word[17_000:].astype(np.float32))


def test_nothing_goes_beyond_the_speakers_own() -> None:
    pytest.importorskip("pyworld", reason="emphasis needs pyworld")
    speaker = voice(np.full(2 * RATE, 120.0), 0.2)
    word = voice(np.full(RATE, 121.0), 0.4)
    made, (raised,) = emphasise(word, [(8_000, 16_000)], speaker)
    assert raised.semitones < 0.2 and raised.decibels == 0.0
    assert np.percentile(np.abs(made), BOUND_PERCENT) <= 1.05 * np.percentile(
        np.abs(word), BOUND_PERCENT
    )


def test_an_emphasised_word_is_in_the_record(editor: Editor, arctic: Path) -> None:
    pytest.importorskip("pyworld", reason="emphasis needs pyworld")
    plain = editor.edit(arctic, new_text=NEVER, text=ARCTIC, verify=False)
    result = editor.edit(
        arctic, new_text=ARCTIC.replace("always", "*never*"), text=ARCTIC, verify=False
    )
    (edit,) = result.record["edits"]
    (told,) = edit["emphasis"]
    assert told["word"] == "never" and told["semitones"] >= 0 and told["dB"] >= 0
    assert edit["words"][0]["emphasis"] is True
    if told["semitones"] or told["dB"]:
        assert not np.array_equal(result.patches[0].samples, plain.patches[0].samples)


def test_without_pyworld_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "pyworld":
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match="needs pyworld, which is not installed"):
        emphasise(np.zeros(100), [(0, 50)], np.zeros(100))
