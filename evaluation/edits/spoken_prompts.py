"""Speech by a prompt, compared with what its speaker recorded: unseen voices.

Each voice speaks the text of another of its recordings, and a passage of some 300 words.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
import torch
from tqdm import tqdm

from a3t.audio.reading.recording import Recording
from a3t.commands.options import add_adapt_argument
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE, grid_frames
from a3t.plan.phone_grid import on_grid
from a3t.text.transcript import Transcript
from alignment import AlignmentError
from evaluation import metrics
from evaluation.edits.listing import set_of
from evaluation.edits.segment_metrics import LabelledPhone, LabelledSound
from evaluation.harness.estimates import Mean
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
SENTENCE, PASSAGE = "sentence", "passage"

# Our own words, so that it can be given to anyone; every kind of sentence is in it.
LONG_TEXT = """\
The ferry left an hour late that morning, and nobody seemed to mind. Who would? The sun was out,
the coffee was hot, and a small dog had climbed onto the captain's chair and fallen asleep there.
We stood at the rail and watched the harbour grow thin behind us: first the cranes, then the
church, and at last the long grey wall that keeps the winter out.

Anna had brought a map. She spread it over two crates and put a stone on every corner. "Here," she
said, "is where the old road ends, and here is where we begin to walk." It looked easy on paper.
Five miles along the coast, a bridge, a wood, and then the house. I asked her whether anybody
lived in it now. She thought for a while before she answered. "My uncle did, until he was ninety.
After that, only the owls."

By noon the wind had changed. Clouds came over the hills, low and quick, and the water turned the
colour of slate. The captain took his chair back, and the dog moved to a coil of rope without
opening its eyes. Could we still land on the north side? He shook his head. We would have to go
round the point, he told us, and that meant another forty minutes, perhaps more. So we played
cards, ate our bread too early, and listened to the engine.

It was nearly three when we stepped onto the stones. Rain fell, but softly. There was the road,
just as the map had promised, and beside it a post with a yellow arrow. Somebody had painted a
word under it in careful letters: welcome. Anna laughed, pulled up her hood, and set off. I picked
up both bags, looked once more at the sea, and followed her.
"""


@dataclass(frozen=True)
class SpokenRow:
    """One text as spoken by one system. similarity: cosine of its speaker to that of the prompts,
    joined; f0_range: 90th minus 10th percentile in semitones; f0_offset: median minus the first
    prompt's; level: dB of its speech over the first prompt's; heard: share of the words that the
    aligner hears; dnsmos: OVRL, 1 to 5; pace: seconds a word over the first prompt's; seconds: of
    sound; waited: seconds until all of it was there, the voice being learnt."""

    voice: str
    prompt: str
    text: str
    system: str
    similarity: float
    f0_range: float
    f0_offset: float
    level: float
    heard: float
    dnsmos: float
    pace: float
    seconds: float
    waited: float = float("nan")


FIGURES = (
    "similarity", "f0_range", "f0_offset", "level", "heard", "dnsmos", "pace",
)  # fmt: skip


def prompts(
    clips: Iterable[Clip], half: str, count: int, seconds: float = 0.0
) -> list[tuple[list[Clip], Clip]]:
    """The prompts and another recording of each of ``count`` unseen voices of a set, always the
    same: one prompt, or as many as have so many seconds, as far as there are recordings.

    Raises InputError if there are fewer voices.
    """
    own: dict[str, list[Clip]] = {}
    for clip in sorted(clips, key=lambda clip: hashlib.sha256(clip.name.encode()).hexdigest()):
        fits = SECONDS[0] <= clip.seconds <= SECONDS[1]
        if fits and is_unseen(clip.voice) and set_of(clip.voice) == half:
            own.setdefault(clip.voice, []).append(clip)
    found = [
        ([first, *_first_of(further, seconds - first.seconds)], other)
        for first, other, *further in (each for each in own.values() if len(each) > 1)
    ]
    if len(found) < count:
        raise InputError(
            f"The corpora have only {len(found)} unseen voices with two fitting recordings, not"
            f" {count}: choose fewer or add a corpus."
        )
    return found[:count]


def _first_of(clips: Iterable[Clip], seconds: float) -> Iterator[Clip]:
    """As many as have so many seconds."""
    for clip in clips:
        if seconds <= 0:
            return
        yield clip
        seconds -= clip.seconds


def evaluate_prompt(
    editor: Editor,
    prompts: Sequence[Clip],
    other: Clip,
    out: Path,
    passage: bool,
    adapt: str | float = "never",
) -> Iterator[SpokenRow]:
    """A voice speaks the other recording's text, and the passage; sounds go to ``out``. ``adapt``:
    whether its prompts are learnt first (`a3t.plan.request`).

    Raises InputError or AlignmentError if a prompt or the recording can't be used.
    """
    first, *further = prompts
    folder = out / first.voice.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    source, heard = _aligned(editor, first, folder / "prompt.wav")
    paths = [folder / "prompt.wav"]
    for number, clip in enumerate(further, start=2):
        paths.append(_written(clip, folder / f"prompt-{number}.wav"))
    reference = _Reference(source, heard, np.concatenate([_read(path) for path in paths]))
    key = (first.voice, first.name)
    natural, words = _aligned(editor, other, folder / "natural.wav")
    yield reference.row(key, SENTENCE, NATURAL, natural, words)
    copied = editor.vocoder(torch.from_numpy(natural.mel)).numpy()
    yield reference.row(key, SENTENCE, COPY, LabelledSound(copied, natural.phones), words)
    said = [clip.text for clip in prompts]
    own, _ = editor.voiced(editor.plan_speech(paths, other.text, prompt_text=said, adapt=adapt))
    system = MODEL if own is editor else LEARNT
    texts = {SENTENCE: other.text} | ({PASSAGE: LONG_TEXT} if passage else {})
    for name, text in texts.items():
        begun = time.perf_counter()
        result = own.tts(paths, text, prompt_text=said)
        waited = time.perf_counter() - begun
        path = result.save(folder / f"{name}.wav", provenance=False)
        try:
            sound, words = labelled(editor, path, text)
        except AlignmentError:
            sound, words = (
                LabelledSound(_read(path), ()),
                (0, len(Transcript.from_text(text).words)),
            )
        yield reference.row(key, name, system, sound, words, waited)


def labelled(editor: Editor, path: Path, text: str) -> tuple[LabelledSound, tuple[int, int]]:
    """A sound with its phones, and how many of its words were heard, out of all."""
    recording = Recording.open(path)
    alignment = editor.align(recording, text)
    grid = on_grid(alignment, grid_frames(recording.samples, recording.sample_rate))
    phones = [LabelledPhone(p.symbol, p.first, p.last, p.word) for p in grid]
    heard = sum(word.score >= HEARD for word in alignment.spoken)
    return LabelledSound(_read(path), phones), (heard, len(alignment.spoken))


def measure_prompts(
    editor: Editor,
    pairs: Sequence[tuple[list[Clip], Clip]],
    out: Path,
    passages: int = 0,
    adapt: str | float = "never",
) -> tuple[list[SpokenRow], list[str]]:
    """The rows of all voices, of which the first ``passages`` speak the passage as well, and those
    that failed, with their reasons. InputError if all did."""
    rows: list[SpokenRow] = []
    failures: list[str] = []
    for k, (given, other) in enumerate(tqdm(pairs, unit="voice", disable=None)):
        try:
            rows += evaluate_prompt(editor, given, other, out, k < passages, adapt)
        except (InputError, AlignmentError) as error:
            failures.append(f"{other.voice}: {error}")
    if not rows:
        raise InputError(f"No voice could be measured ({failures[0]})")
    return rows, failures


def speech_table(rows: Sequence[SpokenRow]) -> str:
    """Means with standard errors over voices, by text and system, as Markdown."""
    heads = [
        "text", "system", "similarity", "F0 range, st", "F0 offset, st", "level, dB", "words heard",
        "DNSMOS", "pace", "voices",
    ]  # fmt: skip
    lines = []
    for text, system in dict.fromkeys((row.text, row.system) for row in rows):
        own = [row for row in rows if (row.text, row.system) == (text, system)]
        cells = [Mean.of(getattr(row, name) for row in own).shown() for name in FIGURES]
        lines.append([text, system, *cells, len(own)])
    return markdown_table(heads, lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_set_argument(parser)
    add_counts(parser, voices=8, passages=8)
    parser.add_argument(
        "--seconds", type=float, default=0.0, metavar="S",
        help="give as many prompts of a voice as have so many seconds (default: one)",
    )  # fmt: skip
    add_adapt_argument(parser, "never")
    add_model_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Speak, measure and report; raises InputError."""
    pairs = prompts(clips_of(options), options.set, options.voices, options.seconds)
    editor = Editor.load(options.model, options.vocoder)
    rows, failures = measure_prompts(editor, pairs, options.out, options.passages, options.adapt)
    seconds = sum(clip.seconds for given, _ in pairs for clip in given) / len(pairs)
    model = f"{editor.name} {str(editor.sha256)[:12]}"
    facts = f"{seconds:.1f} s of prompts a voice. Model: {model}; vocoder: {editor.vocoder.name}."
    failed = "".join(f"\n- failed: {failure}" for failure in failures)
    page = f"# Speech by a prompt\n\n{facts}\n\n{speech_table(rows)}{failed}"
    write_report(options.out, "speech", page, rows_to_tsv(rows))


class _Reference:
    """What everything is compared with: the first prompt, and, by its voice, all of them, joined,
    (n,) at 24 kHz."""

    def __init__(self, sound: LabelledSound, words: tuple[int, int], prompts: np.ndarray) -> None:
        self.sound, self.words, self.prompts = sound, words, prompts

    def row(
        self,
        key: tuple[str, str],
        text: str,
        system: str,
        sound: LabelledSound,
        words: tuple[int, int],
        waited: float = float("nan"),
    ) -> SpokenRow:
        similarity = metrics.figure_or_nan(
            metrics.speaker_similarity, self.prompts, sound.samples, SAMPLE_RATE
        )
        voiced, own = (f0[f0 > 0] for f0 in (sound.f0, self.sound.f0))
        spread = 12 * float(np.ptp(np.percentile(voiced, [10, 90]))) if len(voiced) else np.nan
        offset = 12 * float(np.median(voiced) - np.median(own)) if len(voiced) else np.nan
        seconds = len(sound.samples) / SAMPLE_RATE
        return SpokenRow(
            *key,
            text,
            system,
            similarity,
            spread,
            offset,
            _level(sound) - _level(self.sound),
            words[0] / max(1, words[1]),
            speech_mos(sound.samples, SAMPLE_RATE)["dnsmos"],
            _pace(sound, words[1]) / _pace(self.sound, self.words[1]),
            seconds,
            waited,
        )


def _aligned(editor: Editor, clip: Clip, path: Path) -> tuple[LabelledSound, tuple[int, int]]:
    return labelled(editor, _written(clip, path), clip.text)


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


def _pace(sound: LabelledSound, words: int) -> float:
    """Seconds of speech, without the pauses, a word."""
    return float((sound.kinds != "pause").sum() or np.nan) / max(1, words)
