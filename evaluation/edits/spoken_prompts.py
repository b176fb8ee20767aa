"""Speech by a prompt, compared with what its speaker recorded: unseen voices.

Each voice speaks the text of another of its recordings. Similarity: cosine of its speaker to that
of the prompt. F0: 90th minus 10th percentile, median minus the prompt's, semitones. Level: dB of
the speech over the prompt's. Heard: share of the words that the aligner hears. DNSMOS: OVRL, 1 to
5. Pace: seconds a word over the prompt's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import soundfile
import torch

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.plan.word_grid import on_grid
from alignment import AlignmentError
from evaluation import metrics
from evaluation.clips import by_hash
from evaluation.edits.listing import set_of
from evaluation.edits.segment_metrics import LabelledPhone, LabelledSound
from evaluation.harness.declared_tables import Figures, Row, Rows, Table, count, mean
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CORPORA, HALF, MODEL, Measurement, Setting
from training.corpora import Clip, is_unseen
from training.corpora.decoding import decode_floats
from training.programs import counts

SECONDS = (4.0, 11.0)  # of a prompt
HEARD = 0.5  # least confidence of a word that was heard
A3T, NATURAL, COPY = "A3T", "natural", "copy-synthesis"


class PromptPair(NamedTuple):
    """A prompt, and another recording of its voice."""

    name: str
    prompt: Clip
    other: Clip


def prompts(clips: Iterable[Clip], half: str, count: int) -> list[PromptPair]:
    """Return the prompt and another recording of each of ``count`` unseen voices of a set.

    They are always the same. Raises InputError if there are fewer voices.
    """
    own: dict[str, list[Clip]] = {}
    for clip in by_hash(clips):
        fits = SECONDS[0] <= clip.seconds <= SECONDS[1]
        if fits and is_unseen(clip.voice) and set_of(clip.voice) == half:
            own.setdefault(clip.voice, []).append(clip)
    found = [PromptPair(each[1].name, *each[:2]) for each in own.values() if len(each) > 1]
    if len(found) < count:
        raise InputError(
            f"The corpora have only {len(found)} unseen voices with two fitting recordings, not"
            f" {count}: choose fewer or add a corpus."
        )
    return found[:count]


def speak(pair: PromptPair, setting: Setting) -> Iterator[Row]:
    """Have a voice speak the other recording's text."""
    editor = setting.editor
    prompt, other = pair.prompt, pair.other
    folder = setting.folder / prompt.voice.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    path = _written(prompt, folder / "prompt.wav")
    source, _ = labelled(editor, path, prompt.text)
    natural, heard = labelled(editor, _written(other, folder / "natural.wav"), other.text)
    copied = editor.vocoder(torch.from_numpy(natural.mel)).numpy()
    copy = LabelledSound(copied, natural.phones)
    result = editor.tts(path, other.text, prompt_text=prompt.text)
    made = result.save(folder / "sentence.wav", provenance=False)
    try:
        spoken, understood = labelled(editor, made, other.text)
    except AlignmentError:
        spoken, understood = LabelledSound(_read(made), ()), 0.0
    for system, sound, share in (
        (NATURAL, natural, heard),
        (COPY, copy, heard),
        (A3T, spoken, understood),
    ):
        yield {"voice": prompt.voice, "system": system, **compared(source, sound), "heard": share}


def labelled(editor: Editor, path: Path, text: str) -> tuple[LabelledSound, float]:
    """Return a sound with its phones, and the share of its words that were heard."""
    recording = Recording.open(path)
    alignment = editor.align(recording, text)
    grid = on_grid(alignment, recording.frames)
    phones = [LabelledPhone(p.symbol, p.first, p.last, p.word) for p in grid]
    heard = float(np.mean([word.score >= HEARD for word in alignment.spoken]))
    return LabelledSound(_read(path), phones), heard


def compared(source: LabelledSound, sound: LabelledSound) -> dict[str, float]:
    """Return a sound's figures beside its prompt's."""
    voiced, own = (f0[f0 > 0] for f0 in (sound.f0, source.f0))
    return {
        "similarity": metrics.figure_or_nan(
            metrics.speaker_similarity, source.samples, sound.samples, SAMPLE_RATE
        ),
        "f0_range": 12 * float(np.ptp(np.percentile(voiced, [10, 90]))) if len(voiced) else np.nan,
        "f0_offset": 12 * float(np.median(voiced) - np.median(own)) if len(voiced) else np.nan,
        "level": _level(sound) - _level(source),
        "dnsmos": metrics.speech_mos(sound.samples, SAMPLE_RATE)["dnsmos"],
        "pace": _pace(sound) / _pace(source),
    }


def _written(clip: Clip, path: Path) -> Path:
    samples, _ = decode_floats(clip.path)
    soundfile.write(path, samples, SAMPLE_RATE, subtype="PCM_16")
    return path


def _read(path: Path) -> np.ndarray:
    samples, _ = soundfile.read(path, dtype="float32")
    return np.asarray(samples)


def _level(sound: LabelledSound) -> float:
    """Return the dB of the mean power of what is spoken; of everything where no phone is known."""
    speech = sound.kinds != "pause" if sound.phones else np.ones(len(sound.mel), bool)
    return 10 * float(np.log10(sound.power[speech].mean() + 1e-10))


def _pace(sound: LabelledSound) -> float:
    """Return the seconds of speech, without the pauses, a word; NaN where no phone is known."""
    words = len({phone.word for phone in sound.phones} - {-1})
    return float((sound.kinds != "pause").sum() or np.nan) / max(1, words)


MEASURES = ("similarity", "f0_range", "f0_offset", "level", "heard", "dnsmos", "pace")
TABLE = Table((*(mean(name, name) for name in MEASURES), count("voices")), ("system",))


def figures(rows: Rows) -> Figures:
    """Report the table's, and the differences of ours from natural speech, voice by voice."""
    found = TABLE.figures(rows)
    natural = {row["voice"]: row for row in rows if row["system"] == NATURAL}
    ours = [row for row in rows if row["system"] == A3T]
    for name in MEASURES:
        values = (row[name] - natural[row["voice"]][name] for row in ours)
        found[f"difference.{name}"] = Interval.of(values)
    return found


MEASUREMENT = Measurement(
    lambda setting: prompts(setting.clips, setting.options.set, setting.options.voices),
    speak,
    [TABLE],
    (HALF, *counts(voices=8), *MODEL, CORPORA),
    unit="voice",
    figured=figures,
)
