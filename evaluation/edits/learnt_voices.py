"""Edits of long recordings, before and after learning their voice (`a3t voice make`).

Successive clips of one voice are joined; the same edits are made by the model as it ships and in
the voice learnt from the recording, and compared edit by edit. Most recordings that are edited are
longer than the list's sentences, and teach their own voice.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.model.a3t import A3T
from a3t.model.saved_voices import Voice
from a3t.text.transcript import Transcript
from a3t.voice.adaptation import VoicePiece, adapt, pieces_of
from a3t.voice.making import of_one_speaker
from evaluation.clips import by_hash
from evaluation.edits.conditions import CLEAN
from evaluation.edits.edits_command import PairedEdits
from evaluation.edits.experiment import measure_edit
from evaluation.edits.listing import (
    KINDS,
    LEAST_WORDS,
    ListedEdit,
    draw_edit,
    set_of,
)
from evaluation.harness.declared_tables import Figures, Row, Rows
from evaluation.harness.estimates import Interval
from evaluation.harness.measurement import CORPORA, HALF, MODEL, Measurement, Setting
from training.corpora import Clip, is_unseen
from training.corpora.decoding import decode_floats
from training.programs import counts, option

MOST_RECORDINGS = 2  # of a voice, so that no voice is most of the table
EDITS = 8  # of a voice
FADE = SAMPLE_RATE // 100  # samples at a clip's ends, where rooms may differ


@dataclass(frozen=True)
class LongRecording:
    """Successive clips of one voice."""

    name: str
    clips: tuple[Clip, ...]

    @property
    def text(self) -> str:
        """The words of all clips."""
        return " ".join(word for clip in self.clips for word in _spoken(clip))

    def write(self, folder: Path) -> Clip:
        """Write the clips one after another into a file, their own silence at both ends of each."""
        path = folder / f"{self.name}.wav"
        sound = np.concatenate([_faded(decode_floats(clip.path)[0]) for clip in self.clips])
        folder.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, sound, SAMPLE_RATE, subtype="PCM_16")
        first = self.clips[0]
        return Clip(first.corpus, first.speaker, path, self.text, len(sound) / SAMPLE_RATE)


def long_recordings(
    clips: Iterable[Clip], half: str, seconds: float, most: int = MOST_RECORDINGS
) -> list[LongRecording]:
    """Return the recordings of so many seconds that the unseen voices of a half have clips for.

    The voices with most clips are first; each has at most ``most``.
    """
    voices: dict[str, list[Clip]] = {}
    for clip in sorted(clips, key=lambda clip: clip.name):
        if is_unseen(clip.voice) and set_of(clip.voice) == half:
            voices.setdefault(clip.voice, []).append(clip)
    found: list[LongRecording] = []
    for voice, own in sorted(voices.items(), key=lambda item: (-len(item[1]), item[0])):
        groups: list[list[Clip]] = [[]]
        for clip in own:
            if sum(one.seconds for one in groups[-1]) >= seconds:
                groups.append([])
            groups[-1].append(clip)
        full = [group for group in groups if sum(one.seconds for one in group) >= seconds]
        found += [
            LongRecording(f"{voice}-{number + 1}", tuple(group))
            for number, group in enumerate(full[:most])
        ]
    return found


def draw_long_edits(
    recordings: Sequence[LongRecording], half: str, edits_of_voice: int = EDITS
) -> list[ListedEdit]:
    """Draw edits of each voice, in different clips of its recordings; the kinds take turns."""
    of_voice: dict[str, list[LongRecording]] = {}
    for recording in recordings:
        of_voice.setdefault(recording.clips[0].voice, []).append(recording)
    edits: list[ListedEdit] = []
    for voice, own in of_voice.items():
        for number, recording in enumerate(own):
            count = max(1, edits_of_voice // len(own))
            for clip in _spread(recording.clips, count):
                place = len(edits)
                before = recording.clips[: recording.clips.index(clip)]
                offset = sum(len(_spoken(one)) for one in before)
                name = f"{voice}-{number + 1}-{clip.path.stem}"
                drawn = draw_edit(name, half, KINDS[place % len(KINDS)], clip)
                edits.append(
                    replace(
                        drawn,
                        clip=recording.name,
                        first=drawn.first + offset,
                        last=drawn.last + offset,
                    )
                )
    return edits


def _spread(clips: Sequence[Clip], count: int) -> list[Clip]:
    """Choose a number of the clips that have enough words, by their names' hashes, in order."""
    usable = [clip for clip in clips if len(_spoken(clip)) >= LEAST_WORDS]
    chosen = by_hash(usable)[:count]
    return [clip for clip in usable if clip in chosen]


def write_long(
    clips: Iterable[Clip],
    half: str,
    minutes: float,
    folder: Path,
    voices: int | None = None,
    most: int = MOST_RECORDINGS,
    edits: int = EDITS,
) -> tuple[list[ListedEdit], Mapping[str, Clip]]:
    """Write the long recordings of a half's first ``voices``; return their edits, and them by name.

    Each voice has ``most`` recordings and ``edits`` of each. Raises InputError if no voice has
    clips for one.
    """
    recordings = long_recordings(clips, half, 60 * minutes, most)
    if not recordings:
        raise InputError(f"No unseen voice has {minutes:g} minutes of speech: ask for fewer.")
    chosen = list(dict.fromkeys(recording.clips[0].voice for recording in recordings))[:voices]
    recordings = [recording for recording in recordings if recording.clips[0].voice in chosen]
    written = {recording.name: recording.write(folder) for recording in recordings}
    return draw_long_edits(recordings, half, edits), written


def _spoken(clip: Clip) -> tuple[str, ...]:
    return tuple(Transcript.from_text(clip.text).spoken)


def _faded(samples: np.ndarray) -> np.ndarray:
    samples = samples.copy()
    ramp = np.linspace(0.0, 1.0, min(FADE, len(samples)), dtype=np.float32)
    samples[: len(ramp)] *= ramp
    samples[len(samples) - len(ramp) :] *= ramp[::-1]
    return samples


def long_edits(setting: Setting) -> list[ListedEdit]:
    """List the edits of so many voices, recordings of each and edits of a voice."""
    options = setting.options
    if not 0.1 <= options.minutes <= 60:
        raise InputError("--minutes goes from 0.1 to 60.")
    edits, setting.known["clips"] = write_long(
        setting.clips,
        options.set,
        options.minutes,
        setting.folder / "recordings",
        options.voices,
        options.recordings,
        options.edits,
    )
    return edits


def measure(edit: ListedEdit, setting: Setting) -> Iterator[Row]:
    """Measure an edit, and the same with the recording's voice learnt."""
    clip = setting.known["clips"][edit.clip]
    before = [row | {"learnt": False} for row in measure_edit(edit, clip, [CLEAN], setting)]
    yield from before
    begun = time.process_time()
    if ("voice", clip.name) not in setting.known:
        setting.known["voice", clip.name] = learn(clip, setting)
    own = setting.known["voice", clip.name]
    cost = {"learning": time.process_time() - begun}  # of the recording's first edit
    for row in measure_edit(edit, clip, [CLEAN], setting, before, own):
        yield row | {"learnt": True, "recording": edit.clip} | cost
        cost = {}


def learn(clip: Clip, setting: Setting) -> Editor:
    """Return the editor in the voice of a recording; InputError if it has too little speech."""
    editor, recording = setting.editor, Recording.open(clip.path)
    found = [*pieces_of(recording, editor.align(recording, clip.text))]
    pieces, _ = of_one_speaker([piece for piece in found if isinstance(piece, VoicePiece)])
    folder = setting.folder / "voices" / clip.path.stem
    network = editor.base_networks.model
    assert isinstance(network, A3T)
    made = adapt(network, pieces, folder)
    model = {"name": editor.name, "sha256": editor.sha256}
    return editor.in_voice(Voice(clip.path.stem, model, {}, made.changes, ""))


def halves(rows: Rows) -> tuple[list[Row], list[Row]]:
    """Return the rows after learning, and those before."""
    learnt = [row for row in rows if row["learnt"]]
    return learnt, [row for row in rows if not row["learnt"]]


def figures(rows: Rows) -> Figures:
    """Report the effect of learning, and its cost."""
    after, before = halves(rows)
    spent = sum(row.get("learning", 0.0) for row in after)
    recordings = len({row["recording"] for row in after})
    found: Figures = {"seconds": spent / recordings, "recordings": recordings}
    for measure in ("similarity", "dnsmos"):
        values = PairedEdits(after).changes(PairedEdits(before), measure)
        found[measure] = Interval.of(values)
        found[f"{measure}.higher"] = Interval.share(sum(v > 0 for v in values), len(values))
    return found


MEASUREMENT = Measurement(
    long_edits,
    measure,
    options=(
        HALF,
        option("--minutes", type=float, default=1.0, metavar="M", help="length of each recording"),
        option("--voices", type=int, metavar="N", help="default: all with enough speech"),
        *counts(recordings=MOST_RECORDINGS, edits=EDITS),
        *MODEL,
        CORPORA,
    ),
    unit="edit",
    figured=figures,
)
