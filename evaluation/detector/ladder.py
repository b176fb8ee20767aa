"""The cost of each step: the same word in the same place, from recorded to made.

A recorded word is taken out and said again by every rung of a ladder: its own sound put in its
place as a patch is (splice), through the vocoder (copy), filled by the network with the recorded
durations and pitch (both given), with the recorded durations (durations given), as an edit has it
(shipped). A rung's distance from the one before is the cost of what it adds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import soxr
import torch

from a3t.audio.analysis.mel import log_mel
from a3t.audio.output.patches import Patch, read_patched
from a3t.audio.reading.recording import Recording, opened
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.model.a3t import A3T
from a3t.plan.edit_plan import EditPlan, PlannedPhone
from a3t.plan.edit_windows import WindowFrames
from a3t.plan.request import EditRequest
from a3t.rendering.renderer import Renderer, masked_mel
from a3t.source.records import AlignedRecording
from a3t.spans import Span
from a3t.text.phones import is_vowel
from a3t.text.transcript import Transcript
from a3t.vocoder import vocode_span
from alignment import Alignment
from evaluation import metrics
from evaluation.detector.detector_material import MARGIN, features_of, in_place, write_source
from evaluation.detector.spectral_statistics import FEATURES
from evaluation.detector.telling_apart import told_apart
from evaluation.edits.conditions import CLEAN
from evaluation.edits.experiment import labelled_phones, single_edit
from evaluation.edits.listing import clips_in_turn
from evaluation.edits.segment_metrics import LabelledSound
from evaluation.harness.declared_tables import Figures, Row, Rows, figure_name
from evaluation.harness.estimates import RESAMPLES, Interval
from evaluation.harness.measurement import CORPORA, HALF, MODEL, Measurement, Setting
from training.corpora import Clip
from training.programs import counts

Floats = np.ndarray

NATURAL, SPLICE, COPY = "natural", "splice", "copy"
BOTH, DURATIONS, SHIPPED = "both given", "durations given", "shipped"
RUNGS = (SPLICE, COPY, BOTH, DURATIONS, SHIPPED)
STAND_INS = ("that", "this")  # the word that the text has in place of the one that is said again
LEAST = 20  # frames of a word: 0.25 s
BESIDE = 12  # frames of the clip before and after a word
TURNS = 4  # words of a clip at most
MOST_OF_A_VOICE = 20  # clips
VOWELS, NASALS = "vowels", "nasals"
BANDS = tuple((low, low + 500) for low in range(500, 7500, 500))  # Hz
TOLD_BANDS = 1000, 7000  # Hz, the bands by which the fill is judged
BELOW = {"below 7 kHz": 7000, "below 2.5 kHz": 2500}


@dataclass(frozen=True)
class Place:
    """A clip, and the how-manieth of its usable words is said again."""

    clip: Clip
    turn: int

    @property
    def name(self) -> str:
        """The place's name among the rows."""
        return f"{self.clip.name} {self.turn + 1}"


@dataclass(frozen=True)
class GivenPitch(Renderer):
    """A renderer of words of recorded durations that is also given their recorded pitch.

    ``pitch``: (T,) log2 Hz of the recording's frames, 0 where unvoiced.
    """

    pitch: Floats | None = None

    def fill(
        self,
        recording: Recording,
        window: WindowFrames,
        source: Span,
        rise: Floats | None = None,
    ) -> torch.Tensor:
        """Fill the window with the recorded pitch."""
        model = self.networks.model
        assert self.pitch is not None and isinstance(model, A3T)
        batch = masked_mel(recording, window, source).batch(np.arange(len(window.masked)))
        with torch.inference_mode():
            contour = model.told_pitch(batch, model(batch).pitch)[0].numpy()
        true = self.pitch[source[0] : source[0] + len(contour)]
        both = (contour > 0) & (true > 0) & window.masked
        return super().fill(recording, window, source, np.where(both, true - contour, 0.0))


def places(setting: Setting) -> list[Place]:
    """Take one word of every clip to be said again before any has another."""
    options = setting.options
    clips = clips_in_turn(setting.clips, options.set, MOST_OF_A_VOICE)
    found = [Place(clip, turn) for turn in range(TURNS) for clip in clips]
    return found[: options.places]


def usable_words(sound: LabelledSound, alignment: Alignment) -> list[int]:
    """Return the numbers of the words that are sure, long enough, have a vowel and lie inside."""
    found = []
    for k in range(1, len(alignment.spoken) - 1):
        own = [phone for phone in sound.phones if phone.word == k]
        inside = own[0].first >= BESIDE and own[-1].last <= len(sound.mel) - BESIDE
        long = own[-1].last - own[0].first >= LEAST
        if inside and long and own[0].sure and any(is_vowel(phone.symbol) for phone in own):
            found.append(k)
    return found


def plan_again(setting: Setting, place: Place) -> tuple[EditPlan, LabelledSound]:
    """Plan to say a word of the clip again as if it were new, and return the clip too.

    Raises InputError if it has no such word.
    """
    folder = setting.folder / "sounds"
    folder.mkdir(parents=True, exist_ok=True)
    path, editor = write_source(place.clip, CLEAN, folder), setting.editor
    words = list(Transcript.from_text(place.clip.text).spoken)
    if ("aligned", place.clip.name) not in setting.known:
        setting.known["aligned", place.clip.name] = editor.align(path, " ".join(words))
    alignment: Alignment = setting.known["aligned", place.clip.name]
    recording = opened(path)
    frames = recording.frames
    sound = LabelledSound(
        recording.resampled(0, frames * HOP, SAMPLE_RATE), labelled_phones(alignment, frames)
    )
    usable = usable_words(sound, alignment)
    random.Random(place.clip.name).shuffle(usable)
    if place.turn >= len(usable):
        raise InputError("It has no such word.")
    k = usable[place.turn]
    stand_in = next(word for word in STAND_INS if word != words[k])
    spoken = alignment.spoken
    ways = {spoken[k].text.lower(): (tuple(phone.symbol for phone in spoken[k].phones),)}
    stood_in = replace(
        alignment,
        words=tuple(
            replace(word, text=stand_in) if word is spoken[k] else word for word in alignment.words
        ),
    )
    text = Transcript.from_text(" ".join([*words[:k], stand_in, *words[k + 1 :]]))
    request = EditRequest(
        new_text=" ".join(words),
        pronunciations=tuple(ways.items()),
        moves=False,
        verify=False,
    )
    return single_edit(editor, AlignedRecording(recording, text, stood_in), request), sound


def as_recorded(plan: EditPlan) -> EditPlan:
    """Give the plan the recorded durations."""
    edit = plan.edits[0]
    phones = tuple(
        PlannedPhone(phone.symbol, phone.frames, phone.word)
        for phone in plan.phones
        if edit.source[0] <= phone.first and phone.last <= edit.source[1]
    )
    made = replace(edit, phones=phones)
    if made.frames != edit.source[1] - edit.source[0]:
        raise InputError("Its word doesn't begin and end with its phones.")
    return replace(plan, edits=(made,))


def climb(place: Place, setting: Setting) -> Iterator[Row]:
    """Measure the recorded word and every rung, a row each.

    Raises InputError or AlignmentError if the place can't be used.
    """
    plan, sound = plan_again(setting, place)
    recording, edit, renderer = plan.recording, plan.edits[0], setting.editor.renderer
    given = as_recorded(plan)
    pitched = GivenPitch(renderer.networks, renderer.vocoder, renderer.step, pitch=sound.f0)
    frames = recording.frames
    copy = vocode_span(renderer.vocoder, log_mel(sound.samples)[:frames], 0, frames).numpy()
    span = edit.remade
    if span[0] < MARGIN or span[1] > frames - MARGIN:
        raise InputError("Its word is too near the clip's ends.")
    copied = in_place(recording, copy, span, own=True)
    patches = {
        NATURAL: Patch(copied.source, recording.mono(*copied.source)[:, None]),
        SPLICE: in_place(recording, sound.samples, span, own=False),
        COPY: copied,
        BOTH: pitched.edited(given).patches[0],
        DURATIONS: renderer.edited(given).patches[0],
        SHIPPED: renderer.edited(plan).patches[0],
    }
    for rung, patch in patches.items():
        phones = plan.edits[0].phones if rung == SHIPPED else given.edits[0].phones
        yield {
            "place": place.name,
            "voice": place.clip.voice,
            "corpus": place.clip.corpus,
            "rung": rung,
            "features": features_of(recording, patch).tolist(),
            **figures_of(plan, patch, phones, sound),
        }


def figures_of(
    plan: EditPlan, patch: Patch, phones: Sequence[PlannedPhone], sound: LabelledSound
) -> Row:
    """Compare a patch's word with the recorded one.

    By similarity to the rest of the clip, F0's error in semitones, level in dB, and by phone class
    the sums of dB above the recorded in ``BANDS``.
    """
    recording, edit = plan.recording, plan.edits[0]
    patched = read_patched(recording, [patch], 0, recording.samples + patch.growth).mean(axis=1)
    if recording.sample_rate != SAMPLE_RATE:
        patched = soxr.resample(patched, recording.sample_rate, SAMPLE_RATE, quality="VHQ")
    made = LabelledSound(patched.astype(np.float32), ())
    first, last = edit.source
    span = first, first + sum(phone.frames for phone in phones)
    true = [p for p in plan.phones if first <= p.first and p.last <= last and p.word >= 0]
    own: list[Span] = []
    pairs: list[tuple[int, int]] = []
    begin = first
    for phone in phones:
        if phone.word >= 0:
            own.append((begin, begin + phone.frames))
        begin += phone.frames
    for (start, end), there in zip(own, true, strict=True):  # each frame and the one it stands for
        middles = (np.arange(there.first, there.last) + 0.5 - there.first) / there.frames
        pairs += zip(
            start + (middles * (end - start)).astype(int),
            range(there.first, there.last),
            strict=True,
        )
    here, were = np.array(pairs).T
    f0 = np.where(
        (made.f0[here] > 0) & (sound.f0[were] > 0), made.f0[here] - sound.f0[were], np.nan
    )
    rest = np.concatenate([sound.samples[: first * HOP], sound.samples[last * HOP :]])
    levels = _band_levels(made.samples)[here] - _band_levels(sound.samples)[were]
    kinds = np.concatenate([[_kind(p.symbol)] * p.frames for p in true])
    power = made.power[slice(*span)].mean() / max(sound.power[first:last].mean(), 1e-12)
    return {
        "similarity": metrics.figure_or_nan(
            metrics.speaker_similarity, rest, made.cut(span), SAMPLE_RATE
        ),
        "f0_error": 12 * float(np.nanmedian(np.abs(f0))) if np.isfinite(f0).any() else np.nan,
        "level": 10 * float(np.log10(max(power, 1e-9))),
        "bands": {
            kind: [int((kinds == kind).sum()), *levels[kinds == kind].sum(axis=0).tolist()]
            for kind in set(kinds.tolist()) - {""}
        },
    }


def _kind(symbol: str) -> str:
    return VOWELS if is_vowel(symbol) else NASALS if symbol in ("M", "N", "NG") else ""


def _band_levels(samples: Floats) -> Floats:
    """Return the dB of the grid's frames in ``BANDS``, (T, bands)."""
    size, half = 1024, 512
    padded = np.pad(samples.astype(np.float64), (half, half + HOP))
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[HOP // 2 :: HOP]
    power = np.square(np.abs(np.fft.rfft(frames * np.hanning(size))))
    hertz = np.fft.rfftfreq(size, 1 / SAMPLE_RATE)
    sums = [power[:, (low <= hertz) & (hertz < high)].sum(axis=1) for low, high in BANDS]
    return np.asarray(10 * np.log10(np.stack(sums, axis=1) + 1e-8))


def figures(rows: Rows) -> Figures:
    """Report every rung's area, F0's error, level and similarity; of what ships the worst bands."""
    natural = {row["place"]: row["similarity"] for row in rows if row["rung"] == NATURAL}
    found: Figures = {"places": len(natural)}
    for rung in RUNGS:
        own = [row for row in rows if row["rung"] == rung]
        measures: Figures = {head: _told(rows, rung, head) for head in BELOW}
        measures |= {
            "f0": float(np.nanmedian([row["f0_error"] for row in own])),
            "level": Interval.of(row["level"] for row in own),
            "similarity": Interval.of(row["similarity"] - natural[row["place"]] for row in own),
        }
        found |= {figure_name(rung, head): value for head, value in measures.items()}
    for kind in (VOWELS, NASALS):
        worst, chance = _worst_band(rows, SHIPPED, kind)
        found[figure_name(SHIPPED, kind)] = worst
        found[figure_name(SHIPPED, f"{kind} by chance")] = chance
    return found


def _told(rows: Rows, rung: str, band: str) -> Interval:
    """Return how well a rung is told from the recorded by the statistics below a band's end."""
    own = [row for row in rows if row["rung"] in (rung, NATURAL)]
    columns = [k for k, feature in enumerate(FEATURES) if feature.band[1] <= BELOW[band]]
    features = np.array([row["features"] for row in own])[:, columns]
    made = np.array([row["rung"] == rung for row in own])
    return told_apart(features, made, [row["voice"] for row in own])


def _worst_band(rows: Rows, rung: str, kind: str) -> tuple[Interval, float]:
    """Return the worst judged band of a phone class, dB above the recorded, and what chance gives.

    That is how far off the worst one of as few voices would be (median) if every band were right;
    voices are drawn anew.
    """
    voices: dict[str, list[list[float]]] = {}
    for row in rows:
        if row["rung"] == rung and kind in row["bands"]:
            voices.setdefault(row["voice"], []).append(row["bands"][kind])
    if not voices:
        return Interval(np.nan, np.nan, np.nan, 0), np.nan
    judged_bands = [False, *(low in range(*TOLD_BANDS) for low, _ in BANDS)]
    sums = np.array([np.sum(own, axis=0) for own in voices.values()])
    draws = np.random.default_rng(0).integers(0, len(sums), (RESAMPLES, len(sums)))
    drawn = sums[draws].sum(axis=1)
    levels = sums.sum(axis=0)[judged_bands] / sums[:, 0].sum()
    varied = drawn[:, judged_bands] / drawn[:, :1]
    worst = int(np.abs(levels).argmax())
    low, high = np.quantile(varied[:, worst], (0.025, 0.975))
    chance = float(np.median(np.abs(varied - levels).max(axis=1)))
    return Interval(float(levels[worst]), float(low), float(high), len(sums)), chance


LEGEND = """\
Splice: the word's own sound, put back as a patch is. Copy: through the vocoder. Both given: filled
by the network with the recorded durations and pitch. Durations given: the pitch predicted. Shipped:
as an edit makes it. Below 7 and 2.5 kHz: the area by which the detector's classifier, taught by the
other voices, tells the rung from the recorded words (0.5 not at all, 1 always; 95 % intervals).
F0: the median error in semitones where both are voiced. Level: dB. Similarity: the shift of the
cosine to the rest of the clip. Vowels and nasals: the worst band of 500 Hz, dB above the recorded
word, and by chance of as few voices.
"""

MEASUREMENT = Measurement(
    places,
    climb,
    options=(HALF, *counts(places=100), *MODEL, CORPORA),
    unit="place",
    figured=figures,
    legend=LEGEND,
)
