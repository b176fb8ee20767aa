"""Make the classifier's material: patches, copies, controls and natural speech of the same clips.

Every sound stays at its clip's own rate, so that what resampling does to it tells as well.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import soundfile
import soxr

from a3t.audio.analysis.mel import log_mel
from a3t.audio.matching.sound_matching import SoundMatcher
from a3t.audio.matching.traits import ALL_TRAITS
from a3t.audio.output.patches import Patch, read_patched, sample_map
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.seams import FADE_MS
from a3t.audio.splicing.splicing import make_patch
from a3t.errors import InputError
from a3t.grid import HOP, SAMPLE_RATE
from a3t.plan.edit_windows import WindowFrames
from a3t.plan.request import EditRequest
from a3t.rendering.renderer import neighbours_of
from a3t.source.records import AlignedRecording
from a3t.spans import Span
from a3t.text.transcript import Transcript
from a3t.vocoder import vocode_span
from evaluation.detector.fine_time import fine_time_features
from evaluation.detector.spectral_statistics import RATE, log_spectrum, stretch_features
from evaluation.edits.conditions import CLEAN, under
from evaluation.edits.experiment import labelled_phones, single_edit
from evaluation.edits.listing import KINDS, ListedEdit, clips_in_turn, draw_edit
from evaluation.edits.segment_metrics import LabelledSound, natural_stretches
from evaluation.harness.declared_tables import Row
from evaluation.harness.measurement import Setting
from training.corpora import Clip
from training.corpora.decoding import decode_floats

Floats = np.ndarray

# A copy is the clip's own mel through the vocoder, a control its own sound to 24 kHz and back; both
# are put into the place of a natural stretch as a patch is.
PATCH, COPY, CONTROL, NATURAL = "patch", "copy", "control", "natural"
FINE_TIME = "fine time"  # a row's features within a period of the voice, None where hardly voiced
MARGIN = 8  # frames of a copy beside its stretch, in which it is joined: 0.1 s
MOST_OF_A_VOICE = 20  # clips


def draw_edits(clips: Sequence[Clip], half: str, count: int) -> list[ListedEdit]:
    """Draw edits of a half of the unseen voices, which take turns, as do the kinds.

    Every clip has one before any has another.
    """
    turns = clips_in_turn(clips, half, MOST_OF_A_VOICE)
    edits = []
    for place in range(min(count, len(turns) * len(KINDS))):
        again, k = divmod(place, len(turns))
        kind = KINDS[(k + again) % len(KINDS)]
        edits.append(draw_edit(f"{half}-{place + 1:03d}", half, kind, turns[k]))
    return edits


def make_stretches(edit: ListedEdit, setting: Setting) -> Iterator[Row]:
    """Make an edit's patch under each condition, a natural stretch as long, its copy and control.

    Raises InputError if the edit can't be made, or the clip has no such stretch.
    """
    folder = setting.folder / "sounds"
    folder.mkdir(parents=True, exist_ok=True)
    clip, editor = setting.known["clips"][edit.clip], setting.editor
    text, new_text = edit.texts(clip)
    if ("aligned", clip.name) not in setting.known:
        clean = write_source(clip, CLEAN, folder)
        setting.known["aligned", clip.name] = editor.align(clean, text)
    alignment = setting.known["aligned", clip.name]
    for condition in setting.options.condition or [CLEAN]:
        path = write_source(clip, condition, folder)
        source = AlignedRecording(Recording.open(path), Transcript.from_text(text), alignment)
        plan = single_edit(editor, source, EditRequest(new_text=new_text, verify=False))
        planned, recording = plan.edits[0], plan.recording
        # Where the natural stretches lie must not depend on the condition.
        frames = recording.frames
        sound = LabelledSound(
            recording.resampled(0, frames * HOP, SAMPLE_RATE), labelled_phones(alignment, frames)
        )
        natural = [
            span
            for span in natural_stretches(sound, planned.frames, planned.remade, 3)
            if span[0] >= MARGIN and span[1] <= frames - 2 * MARGIN
        ]
        if not natural:
            raise InputError("It leaves no natural stretch to compare with.")
        result = editor.render(plan)
        result.save(folder / f"{edit.name} {condition}.wav", provenance=False)
        copy = vocode_span(editor.vocoder, log_mel(sound.samples)[:frames], 0, frames).numpy()
        copied = in_place(recording, copy, natural[0], own=True)
        control = in_place(recording, sound.samples, natural[0], own=False)
        # A joint may lie outside its words, so natural stretches have the samples of a joined one.
        as_it_is = Patch(copied.source, recording.mono(*copied.source)[:, None])
        kinds = {PATCH: result.patches[0], COPY: copied, CONTROL: control, NATURAL: as_it_is}
        for kind, patch in kinds.items():
            yield {
                "edit": edit.name,
                "voice": edit.voice,
                "corpus": edit.voice.partition("-")[0],
                "condition": condition,
                "kind": kind,
                "features": features_of(recording, patch),
                FINE_TIME: fine_time_features(*_in_recording(recording, patch, SAMPLE_RATE)),
            }


def features_of(recording: Recording, patch: Patch) -> Floats:
    """Return the features (160,) of a patch in its recording, cross-fades left out."""
    sound, first, last = _in_recording(recording, patch, RATE)
    return stretch_features(log_spectrum(sound), first, last)


def _in_recording(recording: Recording, patch: Patch, rate: int) -> tuple[Floats, int, int]:
    """Return a recording with a patch, (n,) at a rate, and the patch's first and last samples."""
    own = recording.sample_rate
    sound = read_patched(recording, [patch], 0, recording.samples + patch.growth).mean(axis=1)
    first, last = sample_map(recording, [patch]).changes[0].output
    fade = round(FADE_MS * own / 1000)
    first, last = (round(sample * rate / own) for sample in (first + fade, last - fade))
    if own != rate:
        sound = soxr.resample(sound, own, rate, quality="VHQ")
    return sound, first, last


def write_source(clip: Clip, condition: str, folder: Path) -> Path:
    """Write a clip under a condition, mono at its own rate, as a WAV file.

    Or name the clip's own file, whose coding an edit takes on, if that is clean and mono.
    """
    if condition == CLEAN and soundfile.info(clip.path).channels == 1:
        return clip.path
    path = folder / f"{clip.name} {condition}.wav"
    if not path.exists():
        samples, rate = soundfile.read(clip.path, dtype="float32", always_2d=True)
        mono = samples.mean(axis=1)
        if condition != CLEAN:
            seed = zlib.crc32(f"{clip.name} {condition}".encode())
            mono = under(condition, decode_floats(clip.path)[0], seed)
            mono = soxr.resample(mono, SAMPLE_RATE, rate, quality="VHQ")
        soundfile.write(path, mono, rate, subtype="PCM_16")
    return path


def in_place(recording: Recording, sound: Floats, span: Span, own: bool) -> Patch:
    """Return the recording as it is said at 24 kHz by ``sound`` (300 N,).

    It takes the place of frames [first, last) as a patch does; ``own``: with the recording's own
    sound, as its words show it.
    """
    first, last = span
    frames = len(sound) // HOP
    around = slice((first - MARGIN) * HOP, (last + MARGIN) * HOP)
    matcher = None
    if own:
        masked = np.zeros(frames, bool)
        masked[first - MARGIN : last + MARGIN] = True
        layout = WindowFrames((), np.arange(frames), masked, {})
        matcher = SoundMatcher(ALL_TRAITS, neighbours_of(recording, layout, sound), None, first)
    margins = (MARGIN * HOP, MARGIN * HOP)
    return make_patch(recording, sound[around], (first * HOP, last * HOP), margins, matcher=matcher)
