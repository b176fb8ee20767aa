"""The detector finds planted faults, and where they are; where nothing is, it finds nothing."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.output.patches import Patch
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.example import RECORDING
from evaluation.detector import ladder, telling_apart
from evaluation.detector.detector_command import MEASUREMENT
from evaluation.detector.fine_time import STATISTICS, fine_time_features
from evaluation.detector.spectral_statistics import FEATURES, RATE, log_spectrum, stretch_features
from evaluation.detector.telling_apart import told_apart
from evaluation.harness.declared_tables import figure_name
from evaluation.results.pages import PLACE, TEMPLATE
from tests.conftest import ARCTIC
from training.corpora import Clip

SPAN = (8_000, 14_000)  # samples of the stretch
VOICES, CLIPS = 8, 8
VOICE = np.repeat(np.arange(VOICES), CLIPS).astype(str)


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling_apart, "RESAMPLES", 60)


def made_clip(seed: int) -> np.ndarray:
    """1.4 s of noise whose spectrum and level change as a voice's do: (n,) at 16 kHz."""
    draw = np.random.default_rng(seed)
    samples = np.fft.rfft(draw.standard_normal(int(1.4 * RATE)))
    samples *= 10 ** (-np.linspace(0, draw.uniform(1, 3), len(samples)))
    levels = 0.3 + np.abs(draw.standard_normal(20))
    sound = np.fft.irfft(samples)
    return sound * np.interp(np.arange(len(sound)), np.linspace(0, len(sound), 20), levels)


def changed(sound: np.ndarray, shape: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """The sound with its stretch's spectrum, 512 bins at a time, changed."""
    out, window = sound.copy(), np.hanning(513)[:-1]
    hertz = np.fft.rfftfreq(512, 1 / RATE)
    out[SPAN[0] : SPAN[1]] = 0
    for start in range(SPAN[0] - 256, SPAN[1], 256):
        frame = np.fft.irfft(shape(np.fft.rfft(sound[start : start + 512]), hertz)) * window
        out[start : start + 512] += frame
    out[: SPAN[0]], out[SPAN[1] :] = sound[: SPAN[0]], sound[SPAN[1] :]
    return out


def smoothed(spectrum: np.ndarray, hertz: np.ndarray) -> np.ndarray:
    even = np.sqrt(np.convolve(np.abs(spectrum) ** 2, np.ones(9) / 9, "same"))
    inside = (hertz > 4000) & (hertz < 5600)
    return np.where(inside, even * np.exp(1j * np.angle(spectrum)), spectrum)


def clicked(sound: np.ndarray) -> np.ndarray:
    out = sound.copy()
    out[sum(SPAN) // 2] += 20 * sound.std()
    return out


FAULTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "hole": lambda s: changed(s, lambda spectrum, hertz: spectrum * (hertz < 7650)),
    "smooth band": lambda s: changed(s, smoothed),
    "click": clicked,
    "nothing": lambda s: s,
}


@pytest.fixture(scope="module")
def features() -> dict[str, np.ndarray]:
    """(clips, 160) of the same stretches by what was planted in them."""
    clips = [made_clip(seed) for seed in range(VOICES * CLIPS)]
    return {
        name: np.stack([stretch_features(log_spectrum(plant(clip)), *SPAN) for clip in clips])
        for name, plant in FAULTS.items()
    }


@pytest.mark.parametrize(
    ("fault", "band"), [("hole", (7600, 8000)), ("smooth band", (4100, 5600)), ("click", None)]
)
def test_a_planted_fault_is_found_where_it_is(
    features: dict[str, np.ndarray], fault: str, band: tuple[int, int] | None
) -> None:
    both = np.concatenate([features[fault], features["nothing"]])
    made = np.arange(len(both)) < len(both) // 2
    assert told_apart(both, made, [*VOICE, *VOICE]).low > 0.95
    elsewhere = [k for k, feature in enumerate(FEATURES) if feature.band != band]
    if band is not None:
        assert told_apart(both[:, elsewhere], made, [*VOICE, *VOICE]).value < 0.9


def test_natural_stretches_are_not_told_apart(features: dict[str, np.ndarray]) -> None:
    draw = np.random.default_rng(0)
    half = np.arange(CLIPS) % 2 == 0
    divisions = [np.concatenate([draw.permuted(half) for _ in range(VOICES)]) for _ in range(8)]
    areas = [told_apart(features["nothing"], made, VOICE) for made in divisions]
    assert np.mean([area.value for area in areas]) == pytest.approx(0.5, abs=0.03)
    assert np.mean([area.low < 0.5 < area.high for area in areas]) > 0.6


def test_a_voice_is_judged_by_the_others(features: dict[str, np.ndarray]) -> None:
    # Of each voice alone one number tells, but upside down for every other voice.
    made = np.tile([True, False], VOICES * CLIPS // 2)
    sign = np.where(VOICE.astype(int) % 2, 1.0, -1.0)
    own = features["nothing"].copy()
    own[:, 0] = 50 * sign * made
    assert told_apart(own, made, VOICE).low < 0.6


def test_too_short_a_stretch_is_refused() -> None:
    spectrum = log_spectrum(made_clip(0))
    for first, last in ((0, 600), (0, len(made_clip(0)))):
        with pytest.raises(InputError, match="too few"):
            stretch_features(spectrum, first, last)


def voiced(share: float, pitch: float = 120.0) -> np.ndarray:
    """Return 2 s at 24 kHz of a voice whose harmonics have random phases, in a share of a turn."""
    time = np.arange(2 * 24_000) / 24_000
    draw = np.random.default_rng(0)
    turns = 2 * np.pi * share * draw.random(80)
    wave = sum(np.cos(2 * np.pi * k * pitch * time + turns[k]) for k in range(1, 80))
    return 0.02 * np.asarray(wave) + 1e-4 * draw.standard_normal(len(time))


def test_fine_time_of_a_train_of_pulses_is_what_its_cosines_give() -> None:
    """A band of n equal cosines has Dirichlet's envelope, whose first harmonic is known."""
    found = fine_time_features(voiced(0.0), 16_000, 32_000)
    spread = fine_time_features(voiced(1.0), 16_000, 32_000)
    assert found is not None and spread is not None
    for value, count in zip(found, (8, 17, 29), strict=False):  # harmonics of 120 Hz in each band
        turn = np.linspace(0, 2 * np.pi, 20_000, endpoint=False)
        envelope = np.abs(np.exp(1j * np.outer(np.arange(count), turn)).sum(axis=0))
        known = 2 * (envelope * np.cos(turn)).mean() / envelope.mean()
        assert value == pytest.approx(known, abs=0.03)
    assert found[3] == pytest.approx(np.log(np.sqrt(2 * 79)), abs=0.05)  # peak 79, power 79 / 2
    assert (spread[:4] < found[:4] - 0.2).all()
    assert (found[4:6] > 0.99).all()  # harmonics that keep together
    assert np.abs(found[6:]).max() < 0.03  # and nothing differs from what is outside


def test_fine_time_of_what_is_hardly_voiced_is_none() -> None:
    noise = 0.1 * np.random.default_rng(0).standard_normal(48_000)
    assert fine_time_features(noise, 10_000, 20_000) is None


def test_the_level_of_a_recording_tells_nothing() -> None:
    one = made_clip(0)
    assert np.allclose(*(stretch_features(log_spectrum(k * one), *SPAN) for k in (1, 0.1)))


@pytest.mark.slow
def test_the_figures_say_who_is_told_apart(features: dict[str, np.ndarray], tmp_path: Path) -> None:
    kinds = {"patch": "hole", "copy": "nothing", "control": "nothing", "natural": "nothing"}
    rows = [
        {
            "voice": VOICE[k],
            "kind": kind,
            "features": features[name][k],
            "fine time": features[name][k, :12] if k else None,
        }
        for (kind, name), k in itertools.product(kinds.items(), range(0, len(VOICE), CLIPS))
    ]
    figures = MEASUREMENT.figures(rows)
    every, below = (figures[f"patch.natural.{band}"] for band in ("all-bands", "below-7-kHz"))
    assert every.value > 0.95 > below.value
    assert figures["copy.natural.fine-time"].count == 2 * (VOICES - 1)
    voice = figures[figure_name("patch", STATISTICS[0])]
    assert voice.count == VOICES - 1
    assert voice.value == pytest.approx(features["hole"][CLIPS::CLIPS, 0].mean())
    page = MEASUREMENT.page(rows, MEASUREMENT.setting(tmp_path, model="small"))
    assert f"| patch.natural.all-bands | {every:.3g} |" in page
    with pytest.raises(InputError, match="voices"):
        MEASUREMENT.figures(rows[:2])


@pytest.mark.slow
def test_the_ladder_finds_a_recorded_word_unchanged_and_a_louder_one_louder(
    editor: Editor, tmp_path: Path
) -> None:
    """Every rung of one word; the recorded one is no different from itself."""
    clip = Clip("arctic", "awb", RECORDING, ARCTIC, soundfile.info(RECORDING).duration)
    setting = ladder.MEASUREMENT.setting(tmp_path)
    setting.__dict__["editor"] = editor
    rows = {row["rung"]: row for row in ladder.climb(ladder.Place(clip, 0), setting)}
    assert set(rows) == {ladder.NATURAL, *ladder.RUNGS}
    natural, splice = rows[ladder.NATURAL], rows[ladder.SPLICE]
    assert abs(natural["level"]) < 0.01 and natural["f0_error"] < 0.01
    assert all(np.abs(sums[1:]).max() < 0.1 * sums[0] for sums in natural["bands"].values())
    assert abs(splice["level"]) < 0.1 and splice["f0_error"] < 0.05
    assert rows[ladder.BOTH]["f0_error"] < rows[ladder.DURATIONS]["f0_error"]
    assert len(splice["features"]) == len(FEATURES)
    plan, sound = ladder.plan_again(setting, ladder.Place(clip, 0))
    louder = plan.recording.mono(0, plan.recording.samples)[:, None] * 2.0
    patch = Patch((0, plan.recording.samples), louder)
    figures = ladder.figures_of(plan, patch, ladder.as_recorded(plan).edits[0].phones, sound)
    assert figures["level"] == pytest.approx(6.02, abs=0.1)
    draw = np.random.default_rng(0)
    several = [
        row | {"place": str(k), "voice": str(k), "features": draw.normal(row["features"], 0.1)}
        for k in range(4)
        for row in rows.values()
    ]
    found = ladder.figures(several)
    wanted = [key for _, part, key, *_ in PLACE.findall(TEMPLATE.read_text()) if part == "ladder"]
    assert set(wanted) <= found.keys() and found["places"] == 4
    assert found["splice.level"].value == pytest.approx(splice["level"])
    worst, chance = found["shipped.vowels"], found["shipped.vowels-by-chance"]
    vowels = np.array(rows[ladder.SHIPPED]["bands"][ladder.VOWELS])
    judged = [1 + k for k, (low, _) in enumerate(ladder.BANDS) if 1000 <= low < 7000]
    assert worst.value == pytest.approx(max(vowels[judged] / vowels[0], key=abs))
    assert worst.count == 4 and chance == pytest.approx(0)  # the voices are alike
