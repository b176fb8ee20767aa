"""Rendering of a plan: each window is filled and vocoded, each edit joined to the recording.

The melody of the new words departs from the predicted one as the seed draws it, so that takes of
one edit differ as a speaker's would. The network predicts the middle of what could have been said.
How far recorded pitch lies from that was measured on held-out clips (docs/log.md): a few words as a
whole are 1.2 semitones off, and within them it wanders by 1.7 semitones, slowly. A drawn melody
departs in the same way, but by 0.7 times as much, and not at its ends, where it has to meet the
recording. Words that end a question rise: the network sees phones and no punctuation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from a3t.audio.analysis.background import find_steady_tones
from a3t.audio.analysis.mel import mel_window
from a3t.audio.analysis.pitch_modulation import pitch_modulation
from a3t.audio.analysis.room_tone import find_room_tone
from a3t.audio.matching.reverberation import find_reverberation
from a3t.audio.matching.sound_matching import Neighbour, SoundMatcher
from a3t.audio.output.patches import Patch
from a3t.audio.output.provenance import Weights
from a3t.audio.output.watermark import pieces_with_watermark, with_watermark
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.channels import on_channels, speaking_channels
from a3t.audio.splicing.emphasis import Raised, emphasise, require_world
from a3t.audio.splicing.seams import resample_patch
from a3t.audio.splicing.splicing import cut_out, make_patch, put_pause, quieted, with_bleep
from a3t.grid import HOP, SAMPLE_RATE, grid_samples, samples_of, seconds_of
from a3t.model.loading import Networks
from a3t.model.masking import MaskedMel, fill, fill_in_pieces
from a3t.model.threads import Steps, one_thread
from a3t.plan.edit_plan import EditPlan, PlannedEdit, PlannedPhone, Window
from a3t.plan.edit_windows import WindowFrames, lay_out
from a3t.plan.prompt import SpeechPlan
from a3t.plan.request import BLEEP
from a3t.rendering.edited import EditedRecording, ReusedExcerpt
from a3t.rendering.mel_corrections import SpectralBias, SpeechLevel, levelled, unbiased
from a3t.rendering.moving import moved_patch
from a3t.rendering.patch_level import relevelled
from a3t.rendering.spoken import SpokenRecording
from a3t.rendering.verification import hiding, verify
from a3t.spans import Span
from a3t.text.phones import PAUSE, is_vowel, phone_ids
from a3t.text.transcript import Transcript, question_ends
from a3t.vocoder import Vocoder, vocode_span
from a3t.vocoder.pulses import pulse_gain
from alignment.boolean_runs import runs_of

SENTENCE_ENDS = (".", "?")  # the marks that end a sentence
INFLUENCED_FRAMES = 2  # frames beside an edit whose vocoder output the edit still influences
DEVIATION_SHARE = 0.7  # of the deviations measured
# Octaves, standard deviations: of a run of frames, and within it.
RUN_OCTAVES, FRAME_OCTAVES = 0.10, 0.14
# Frames, the deviation of the Gaussian by which pitches within a run correlate.
CORRELATED_FRAMES = 9
MELODY_END_FRAMES = 5  # frames over which a run's ends return to the predicted melody
PREDICTED = 0  # the seed that leaves the melody as it is
# Octaves requested at the end of the last word; the result has a quarter to a third of them.
RISE_OCTAVES = 0.44


def edit_frames(edit: PlannedEdit, first: int, last: int) -> Span:
    """Return an edit's new frames [first, last) with its margins and the space for its joints."""
    return first - edit.margin[0] - edit.overlap[0], last + edit.margin[1] + edit.overlap[1]


def neighbours_of(
    recording: Recording, frames: WindowFrames, copy: np.ndarray
) -> tuple[Neighbour, ...]:
    """Return the kept parts of a window, each as recorded and as resynthesised by the vocoder.

    copy: (300 N,) the resynthesis of the whole window, at 24 kHz.
    """
    kept = np.flatnonzero(~frames.masked & (frames.source >= 0))
    breaks = np.flatnonzero((np.diff(kept) != 1) | (np.diff(frames.source[kept]) != 1)) + 1
    neighbours = []
    for run in np.split(kept, breaks):
        run = run[INFLUENCED_FRAMES : len(run) - INFLUENCED_FRAMES]
        if len(run):
            vocoded = copy[run[0] * HOP : (run[-1] + 1) * HOP]
            first = int(frames.source[run[0]]) * HOP
            vocoded, start = resample_patch(vocoded, first, recording.sample_rate)
            real = recording.mono(start, min(start + len(vocoded), recording.samples))
            neighbours.append(Neighbour(real.astype(np.float64), vocoded[: len(real)]))
    return tuple(neighbours)


def sound_matcher(
    plan: EditPlan, edit: PlannedEdit, neighbours: Sequence[Neighbour]
) -> SoundMatcher:
    """Make a matcher of an edit's patch to the recording around it."""
    recording, match = plan.recording, plan.request.match
    tone = steady = reverberation = None
    if match.room_tone:
        first, last = recording.samples_in(edit.remade)
        tone = find_room_tone(recording, plan.alignment, (first + last) // 2)
        steady = find_steady_tones(recording, first, last)
        reverberation = find_reverberation(recording, first, last, tone)
    seed = plan.request.seed + edit.source[0]
    return SoundMatcher(match, neighbours, tone, seed, steady, reverberation)


def patch_of(
    recording: Recording, edit: PlannedEdit, samples: np.ndarray, matcher: SoundMatcher
) -> Patch:
    """Make the patch of new words from the 24 kHz samples (n,) of the frames of `edit_frames`."""
    # The last frame may be cut short by the end of the recording.
    length = grid_samples(recording.samples, recording.sample_rate)
    begin, stop = edit.remade[0] * HOP, min(edit.remade[1] * HOP, length)
    before = edit.overlap[0] * HOP
    after = min((edit.remade[1] + edit.overlap[1]) * HOP, length) - stop
    made = edit.frames + sum(edit.margin)
    cut = before + made * HOP - (edit.remade[1] * HOP - stop) + after
    return make_patch(recording, samples[:cut], (begin, stop), (before, after), matcher=matcher)


def edited_channels(plan: EditPlan, edit: PlannedEdit) -> tuple[int, ...]:
    """Return the recording's channels that an edit changes.

    They are those that the request names, or those in which its speaker is heard, and those of what
    it moves.
    """
    if own := tuple(c for c in plan.request.channels if c < plan.recording.channels):
        return own
    words, (first, last) = plan.alignment.spoken, edit.old
    if edit.is_cut:
        said = [(seconds_of(edit.source[0]), seconds_of(edit.source[1]))]
    elif first < last:
        said = [(word.start, word.end) for word in words[first:last]]
    else:  # what is new goes on with the sentence before it, or begins the next
        ended = first > 0 and plan.text.words[first - 1].mark in SENTENCE_ENDS
        new = plan.new_text.words[slice(*edit.new)]
        begins = not first or (ended and new and new[-1].mark not in SENTENCE_ENDS)
        beside = words[min(first if begins else first - 1, len(words) - 1)]
        said = [(beside.start, beside.end)]
    channels = set(speaking_channels(plan.recording, plan.alignment, said))
    if moved := [each.frames for each in edit.taken if each.origin == 0]:
        times = [(seconds_of(start), seconds_of(end)) for start, end in moved]
        channels |= set(speaking_channels(plan.recording, plan.alignment, times))
    return tuple(sorted(channels))


def as_heard(plan: EditPlan, channels: Collection[tuple[int, ...]]) -> EditPlan:
    """Return the plan of the one channel in which all of some edits are heard, if there is one."""
    only = next(iter(channels), ())
    if len(channels) != 1 or len(only) != 1 or plan.recording.channels == 1:
        return plan
    alone = replace(plan.source, recording=plan.recording.one_channel(only[0]))
    return replace(plan, source=alone)


def deletion_of(recording: Recording, edit: PlannedEdit) -> Patch:
    """Make the patch that joins both sides of deleted frames, at the quietest points nearby."""
    first, last = recording.samples_in(edit.source)
    room = [
        side
        for side, at_end in zip(edit.overlap, (first == 0, last == recording.samples), strict=True)
        if not at_end
    ]
    return cut_out(recording, first, last, samples_of(min(room, default=0), recording.sample_rate))


def pause_of(plan: EditPlan, edit: PlannedEdit) -> Patch:
    """Make the patch of an edit that consists of a pause alone."""
    recording, rate = plan.recording, plan.recording.sample_rate
    first, last = recording.samples_in(edit.source)
    same = edit.frames == edit.source[1] - edit.source[0]
    length = last - first if same else samples_of(edit.frames, rate)
    patch = put_pause(recording, plan.alignment, (first, last), length, plan.request.seed)
    hidden = hiding(plan, edit)
    bleep = hidden is not None and hidden.action == BLEEP
    return with_bleep(patch, recording, (first, last)) if bleep else patch


def with_room_tone(plan: EditPlan, edit: PlannedEdit, patch: Patch) -> Patch:
    """Put room tone in the pauses between a patch's new words."""
    rate = plan.recording.sample_rate
    spans, frame = [], edit.source[0]
    for phone in edit.phones:
        if phone.symbol == PAUSE:
            first, last = samples_of(frame, rate), samples_of(frame + phone.frames, rate)
            spans.append((first - patch.source[0], last - patch.source[0]))
        frame += phone.frames
    if not spans:
        return patch
    return quieted(patch, spans, plan.recording, plan.alignment, plan.request.seed)


def melody(text: Transcript, window: WindowFrames, seed: int) -> np.ndarray | None:
    """Return octaves (N,) to add to the predicted pitch of a window's new words, None for none."""
    shifts = rises(text, window), drawn_melody(window.masked, seed)
    known = [shift for shift in shifts if shift is not None]
    return np.sum(known, axis=0) if known else None


def drawn_melody(masked: np.ndarray, seed: int) -> np.ndarray | None:
    """Draw octaves (N,) to add to the predicted pitch of the masked frames (N,) bool.

    None for the seed that draws none; the same for a seed.
    """
    if seed == PREDICTED:
        return None
    result = np.zeros(len(masked))
    for first, last in runs_of(masked):
        draw = np.random.default_rng([seed, first])
        length = last - first
        # Noise smoothed to a correlation of that deviation, and of variance 1.
        kernel = np.exp(
            -np.square(
                np.arange(-3 * CORRELATED_FRAMES, 3 * CORRELATED_FRAMES + 1) / CORRELATED_FRAMES
            )
        )
        kernel /= np.sqrt(np.square(kernel).sum())
        noise = draw.standard_normal(length + len(kernel) - 1)
        melody_noise = RUN_OCTAVES * draw.standard_normal() + FRAME_OCTAVES * np.convolve(
            noise, kernel, "valid"
        )
        place = np.arange(length)
        near = np.minimum(place + 1, length - place) / MELODY_END_FRAMES
        result[first:last] = DEVIATION_SHARE * melody_noise * np.minimum(near, 1.0)
    return result


def rises(text: Transcript, window: WindowFrames) -> np.ndarray | None:
    """Return octaves (N,) by which a window's new words rise; None where none ends a question.

    A question rises from its last stressed vowel on to its end.
    """
    ends = question_ends(text)
    if not ends:
        return None
    result = np.zeros(len(window.masked))
    starts = np.cumsum([0, *(phone.frames for phone in window.phones)])
    for word in ends:
        word_phones = [
            k
            for k, phone in enumerate(window.phones)
            if isinstance(phone, PlannedPhone) and phone.word == word
        ]
        if word_phones:
            nucleus = _nucleus([window.phones[k].symbol for k in word_phones])
            first, last = int(starts[word_phones[nucleus]]), int(starts[word_phones[-1] + 1])
            result[first:last] = RISE_OCTAVES * (np.arange(last - first) + 1) / (last - first)
    return result if result.any() else None


def _nucleus(symbols: list[str]) -> int:
    """Return the place of the last stressed vowel, or else of the last one, or 0."""
    vowels = [k for k, symbol in enumerate(symbols) if is_vowel(symbol)]
    stressed = [k for k in vowels if symbols[k][-1] in "12"]
    return (stressed or vowels or [0])[-1]


@dataclass(frozen=True)
class Rendered:
    """The patch of an edit, how its emphasised words were raised, what it takes from elsewhere."""

    patch: Patch
    raised: tuple[Raised, ...] = ()
    excerpts: tuple[ReusedExcerpt, ...] = ()


@dataclass(frozen=True)
class Renderer:
    """The networks that render, and the entry of the voice that they are adapted to, if any."""

    networks: Networks
    vocoder: Vocoder
    step: Steps
    voice: Weights | None = None

    def edited(self, plan: EditPlan) -> EditedRecording:
        """Carry out exactly this plan, and verify the new words if its request says so.

        The same seed gives the same samples.
        """
        origins = tuple(map(self.edited, plan.source_edits))
        rendered = self._rendered(plan, origins)
        result = EditedRecording(
            plan,
            tuple(each.patch for each in rendered),
            **self._models,
            raised=tuple(each.raised for each in rendered),
            source_edits=origins,
            excerpts=tuple(each.excerpts for each in rendered),
        )
        if plan.request.verify:
            with self.step("check"):
                result = verify(result)
        return replace(result, seconds=dict(self.step.seconds))

    def spoken(
        self, plan: SpeechPlan, take: Callable[[np.ndarray], object] | None = None
    ) -> SpokenRecording:
        """Return the plan's speech at 24 kHz; ``take`` gets each piece once it is made."""
        pieces = []
        for piece in self.speak(plan):
            pieces.append(piece)
            if take is not None:
                take(piece)
        seconds = dict(self.step.seconds)
        return SpokenRecording(np.concatenate(pieces), plan, **self._models, seconds=seconds)

    @property
    def _models(self) -> dict[str, Any]:
        model = Weights(self.networks.name, self.networks.sha256)
        vocoder = Weights(self.vocoder.name, self.vocoder.sha256)
        return {"model": model, "vocoder": vocoder, "voice": self.voice}

    def _rendered(self, plan: EditPlan, origins: Sequence[EditedRecording]) -> list[Rendered]:
        """Render each edit of the plan; ``origins``: what its origins were rendered to."""
        rendered: dict[int, Rendered] = {}
        if any(word.emphasis for edit in plan.edits for word in edit.words):
            require_world()  # fail before the work, not after it
        channels = [edited_channels(plan, edit) for edit in plan.edits]
        with one_thread():
            for window in plan.windows:
                speaking = {channels[k] for k in window.edits if plan.edits[k].is_spoken}
                rendered |= self._window(as_heard(plan, speaking), window)
        for k, edit in enumerate(plan.edits):
            if k in rendered:
                continue
            with self.step("splice"):
                heard = as_heard(plan, {channels[k]})
                if edit.taken:
                    patch, excerpts = moved_patch(plan, edit, origins)
                    rendered[k] = Rendered(patch, excerpts=excerpts)
                elif edit.phones:
                    rendered[k] = Rendered(pause_of(heard, edit))
                else:
                    rendered[k] = Rendered(deletion_of(heard.recording, edit))
        result = []
        for k, spoken in enumerate(channels):
            patch = on_channels(plan.recording, rendered[k].patch, spoken, plan.request.seed)
            result.append(replace(rendered[k], patch=patch))
        return result

    def fill(
        self,
        recording: Recording,
        window: WindowFrames,
        source: Span,
        rise: np.ndarray | None = None,
    ) -> torch.Tensor:
        """Return the window's mel (N, 80), its masked frames filled, at the recording's level.

        ``rise``: (N,) octaves by which the pitch is raised.
        """
        model = self.networks.model
        symbols = [phone.symbol for phone in window.phones]
        item = masked_mel(recording, window, source, rise)
        filled = fill(model, item)
        mel = unbiased(model, item, symbols, filled)
        return levelled(mel, window.masked, symbols, window.phone_of_frame)

    def speak(self, plan: SpeechPlan) -> Iterator[np.ndarray]:
        """Speak the plan at 24 kHz, float32, piece by piece; the same seed gives the same."""
        pieces = pieces_with_watermark(self._speech(plan), SAMPLE_RATE)
        while True:
            with one_thread():  # only while it computes: what is done in between has its own
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    def _speech(self, plan: SpeechPlan) -> Iterator[np.ndarray]:
        window, start = plan.window, len(plan.prompt.mel)
        symbols = [phone.symbol for phone in window.phones]
        mel = torch.zeros(len(window.masked), plan.prompt.mel.shape[1])
        mel[:start] = torch.from_numpy(plan.prompt.mel)
        ids = phone_ids(symbols)
        rise = melody(plan.target, window, plan.request.seed)
        item = MaskedMel(mel, window.masked, ids, window.phone_of_frame, rise)
        phone_numbers = window.phone_of_frame[:start]
        heard = replace(
            item,
            mel=mel[:start],
            masked=window.masked[:start],
            phone_of_frame=phone_numbers,
            rise=None,
        )
        with self.step("fill"):
            bias = SpectralBias(self.networks.model, heard, symbols)
        level = SpeechLevel(mel[:start], symbols, window.phone_of_frame)
        speech = torch.zeros(len(mel) - start, mel.shape[1])
        made = vocoded = 0  # frames of it
        pieces = fill_in_pieces(self.networks.model, item)
        while made < len(speech):
            with self.step("fill"):
                end, filled = next(pieces)
                phone_numbers = window.phone_of_frame[start + made : end]
                right = bias.taken_off(filled[start + made : end], phone_numbers)
                speech[made : end - start] = level.levelled(right, start + made)
                made = end - start
            # The last frames sound as they should only once those after them are known.
            sure = made - (self.vocoder.receptive_frames if made < len(speech) else 0)
            if sure > vocoded:
                with self.step("vocode"):
                    seed = plan.request.seed
                    span = vocode_span(self.vocoder, speech[:made], vocoded, sure, seed)
                    yield span.numpy()
                vocoded = sure

    def _window(self, plan: EditPlan, window: Window) -> dict[int, Rendered]:
        """Render the edits of a window that have new words."""
        recording = plan.recording
        frames = lay_out(plan, window)
        texture_seed = plan.request.seed + window.source[0]  # no two windows have the same noise
        with self.step("fill"):
            rise = melody(plan.new_text, frames, plan.request.seed)
            filled = self.fill(recording, frames, window.source, rise)
        spoken = {k: edit_frames(plan.edits[k], *span) for k, span in frames.spans.items()}
        spoken = {k: span for k, span in spoken.items() if plan.edits[k].is_spoken}
        with self.step("vocode"):
            first, last = (frame * HOP for frame in window.source)
            heard = recording.resampled(first, last, SAMPLE_RATE)
            gain = pulse_gain(pitch_modulation(heard), frames.masked)
            sound = self.vocoder(filled, 0, texture_seed, [*spoken.values()], gain).numpy()
            learns = plan.request.match.learns
            neighbours = neighbours_of(recording, frames, sound) if learns else ()
        rendered = {}
        for k, (first, last) in spoken.items():
            edit, samples = plan.edits[k], sound[first * HOP : last * HOP]
            raised: tuple[Raised, ...] = ()
            if spans := emphasised_spans(edit, frames.spans[k][0] - first):
                with self.step("emphasise"):
                    samples, raised = emphasise(samples, spans, _voice(plan, window))
            with self.step("splice"):
                matcher = sound_matcher(plan, edit, neighbours)
                patch = patch_of(recording, edit, samples, matcher)
                rendered[k] = Rendered(with_room_tone(plan, edit, patch), raised)
        with self.step("splice"):
            patches = {k: made.patch for k, made in rendered.items()}
            if len(patches) == len(window.edits):
                patches = relevelled(recording, window, frames, patches)
            for k, patch in patches.items():
                marked = with_watermark(patch.samples, recording.sample_rate)
                rendered[k] = replace(rendered[k], patch=Patch(patch.source, marked))
        return rendered


def masked_mel(
    recording: Recording, window: WindowFrames, source: Span, rise: np.ndarray | None = None
) -> MaskedMel:
    """Return a window's mel (N, 80) as the network gets it; ``rise``: (N,) octaves."""
    place = torch.from_numpy(window.source - source[0]).clamp(min=0)
    ids = phone_ids([phone.symbol for phone in window.phones])
    mel = mel_window(recording, *source)[place]
    return MaskedMel(mel, window.masked, ids, window.phone_of_frame, rise)


def emphasised_spans(edit: PlannedEdit, before: int) -> Sequence[Span]:
    """Return sample ranges at 24 kHz of the emphasised words of a patch.

    Its words begin after ``before`` frames.
    """
    spans, frame = [], before
    for word in edit.words:
        if word.emphasis:
            spans.append((frame * HOP, (frame + word.frames) * HOP))
        frame += word.frames
    return spans


def _voice(plan: EditPlan, window: Window) -> np.ndarray:
    """Return the speaker's aligned speech within 5 s of a window's middle: (n,) at 24 kHz."""
    middle = sum(window.source) // 2
    kept = [p for p in plan.phones if p.word >= 0 and abs(p.first - middle) <= 400]
    first, last = (kept[0].first, kept[-1].last) if kept else window.source
    return plan.recording.resampled(first * HOP, last * HOP, SAMPLE_RATE)
