"""Speech by a prompt, compared with what its speaker recorded: unseen voices.

Each voice speaks the text of another of its recordings.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import torch
from tqdm import tqdm

from a3t.audio.reading.recording import Recording
from a3t.commands.options import add_adapt_option
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE, grid_frames
from a3t.plan.phone_grid import on_grid
from alignment import AlignmentError
from evaluation import metrics
from evaluation.edits.listing import set_of
from evaluation.edits.segment_metrics import LabelledPhone, LabelledSound
from evaluation.harness.estimates import Interval
from evaluation.harness.programs import (
    add_counts,
    add_model_arguments,
    add_set_argument,
    clips_of,
    markdown_table,
    rows_to_tsv,
    write_report,
)
from evaluation.speech_quality import speech_mos
from training.corpora import Clip, is_unseen
from training.corpora.decoding import decode_floats

SECONDS = (4.0, 11.0)  # of a prompt
HEARD = 0.5  # least confidence of a word that was heard
MODEL, LEARNT, NATURAL, COPY = "A3T", "A3T, voice learnt", "natural", "copy-synthesis"


@dataclass(frozen=True)
class SpokenRow:
    """A sentence as spoken by one system. similarity: cosine of its speaker to that of the prompt;
    f0_range: 90th minus 10th percentile in semitones; f0_offset: median minus the prompt's; level:
    dB of its speech over the prompt's; heard: share of the words that the aligner hears; dnsmos:
    OVRL, 1 to 5; pace: seconds a word over the prompt's; seconds: of sound."""

    voice: str
    prompt: str
    system: str
    similarity: float
    f0_range: float
    f0_offset: float
    level: float
    heard: float
    dnsmos: float
    pace: float
    seconds: float


FIGURES = {
    "similarity": "similarity", "f0_range": "F0 range, st", "f0_offset": "F0 offset, st",
    "level": "level, dB", "heard": "words heard", "dnsmos": "DNSMOS", "pace": "pace",
}  # fmt: skip


def prompts(clips: Iterable[Clip], half: str, count: int) -> list[tuple[Clip, Clip]]:
    """The prompt and another recording of each of ``count`` unseen voices of a set, always the
    same. Raises InputError if there are fewer voices."""
    own: dict[str, list[Clip]] = {}
    for clip in sorted(clips, key=lambda clip: hashlib.sha256(clip.name.encode()).hexdigest()):
        fits = SECONDS[0] <= clip.seconds <= SECONDS[1]
        if fits and is_unseen(clip.voice) and set_of(clip.voice) == half:
            own.setdefault(clip.voice, []).append(clip)
    found = [(each[0], each[1]) for each in own.values() if len(each) > 1]
    if len(found) < count:
        raise InputError(
            f"The corpora have only {len(found)} unseen voices with two fitting recordings, not"
            f" {count}: choose fewer or add a corpus."
        )
    return found[:count]


def evaluate_prompt(
    editor: Editor, prompt: Clip, other: Clip, out: Path, adapt: str | float = "never"
) -> Iterator[SpokenRow]:
    """A voice speaks the other recording's text; sounds go to ``out``. ``adapt``: whether its
    prompt is learnt first (`a3t.plan.request`).

    Raises InputError or AlignmentError if the prompt or the recording can't be used.
    """
    folder = out / prompt.voice.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    path = _written(prompt, folder / "prompt.wav")
    source = labelled(editor, path, prompt.text)

    def row(system: str, spoken: LabelledSound, heard: float) -> SpokenRow:
        return compared(prompt, source[0], system, spoken, heard)

    natural = labelled(editor, _written(other, folder / "natural.wav"), other.text)
    yield row(NATURAL, *natural)
    copied = editor.vocoder(torch.from_numpy(natural[0].mel)).numpy()
    yield row(COPY, LabelledSound(copied, natural[0].phones), natural[1])
    plan = editor.plan_speech(path, other.text, prompt_text=prompt.text, adapt=adapt)
    own, _ = editor.voiced(plan)
    result = own.tts(path, other.text, prompt_text=prompt.text)
    made = result.save(folder / "sentence.wav", provenance=False)
    try:
        spoken = labelled(editor, made, other.text)
    except AlignmentError:
        spoken = LabelledSound(_read(made), ()), 0.0
    yield row(MODEL if own is editor else LEARNT, *spoken)


def labelled(editor: Editor, path: Path, text: str) -> tuple[LabelledSound, float]:
    """A sound with its phones, and the share of its words that were heard."""
    recording = Recording.open(path)
    alignment = editor.align(recording, text)
    grid = on_grid(alignment, grid_frames(recording.samples, recording.sample_rate))
    phones = [LabelledPhone(p.symbol, p.first, p.last, p.word) for p in grid]
    heard = float(np.mean([word.score >= HEARD for word in alignment.spoken]))
    return LabelledSound(_read(path), phones), heard


def compared(
    prompt: Clip, source: LabelledSound, system: str, sound: LabelledSound, heard: float
) -> SpokenRow:
    """A sound's figures beside its prompt's."""
    voiced, own = (f0[f0 > 0] for f0 in (sound.f0, source.f0))
    return SpokenRow(
        voice=prompt.voice,
        prompt=prompt.name,
        system=system,
        similarity=metrics.figure_or_nan(
            metrics.speaker_similarity, source.samples, sound.samples, SAMPLE_RATE
        ),
        f0_range=12 * float(np.ptp(np.percentile(voiced, [10, 90]))) if len(voiced) else np.nan,
        f0_offset=12 * float(np.median(voiced) - np.median(own)) if len(voiced) else np.nan,
        level=_level(sound) - _level(source),
        heard=heard,
        dnsmos=speech_mos(sound.samples, SAMPLE_RATE)["dnsmos"],
        pace=_pace(sound) / _pace(source),
        seconds=len(sound.samples) / SAMPLE_RATE,
    )


def measure_prompts(
    editor: Editor, pairs: Sequence[tuple[Clip, Clip]], out: Path, adapt: str | float = "never"
) -> tuple[list[SpokenRow], list[str]]:
    """The rows of all voices, and those that failed, with their reasons; InputError if all did."""
    rows: list[SpokenRow] = []
    failures: list[str] = []
    for prompt, other in tqdm(pairs, unit="voice", disable=None):
        try:
            rows += evaluate_prompt(editor, prompt, other, out, adapt)
        except (InputError, AlignmentError) as error:
            failures.append(f"{other.voice}: {error}")
    if not rows:
        raise InputError(f"No voice could be measured ({failures[0]})")
    return rows, failures


def _written(clip: Clip, path: Path) -> Path:
    samples, _ = decode_floats(clip.path)
    soundfile.write(path, samples, SAMPLE_RATE, subtype="PCM_16")
    return path


def _read(path: Path) -> np.ndarray:
    samples, _ = soundfile.read(path, dtype="float32")
    return np.asarray(samples)


def _level(sound: LabelledSound) -> float:
    """dB of the mean power of what is spoken; of everything where no phone is known."""
    speech = sound.kinds != "pause" if sound.phones else np.ones(len(sound.mel), bool)
    return 10 * float(np.log10(sound.power[speech].mean() + 1e-10))


def _pace(sound: LabelledSound) -> float:
    """Seconds of speech, without the pauses, a word; NaN where no phone is known."""
    words = len({phone.word for phone in sound.phones} - {-1})
    return float((sound.kinds != "pause").sum() or np.nan) / max(1, words)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_set_argument(parser)
    add_counts(parser, voices=8)
    add_adapt_option(parser, "never")
    add_model_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Speak, measure and report; raises InputError."""
    pairs = prompts(clips_of(options), options.set, options.voices)
    editor = Editor.load(options.model, options.vocoder)
    rows, failures = measure_prompts(editor, pairs, options.out, options.adapt)
    lines = []
    for system in dict.fromkeys(row.system for row in rows):
        own = [row for row in rows if row.system == system]
        cells = [Interval.of(getattr(row, name) for row in own).shown() for name in FIGURES]
        lines.append([system, *cells, len(own)])
    table = markdown_table(["system", *FIGURES.values(), "voices"], lines)
    model = f"{editor.name} {str(editor.sha256)[:12]}"
    failed = "".join(f"\n- failed: {failure}" for failure in failures)
    facts = f"Model: {model}; vocoder: {editor.vocoder.name}."
    page = f"# Speech by a prompt\n\n{facts}\n\n{table}{failed}"
    write_report(options.out, "speech", page, rows_to_tsv(rows))
