"""Renders a plan: each window is filled and vocoded, each edit joined to the recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from a3t.audio.analysis.mel import mel_window
from a3t.audio.output.patches import Patch
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.emphasis import Raised, emphasise, require_world
from a3t.grid import HOP, SAMPLE_RATE
from a3t.model.filling import MaskedMel, fill, fill_in_pieces
from a3t.model.loading import Networks
from a3t.model.threads import one_thread
from a3t.plan.edit_plan import EditPlan, PlannedEdit, Window
from a3t.plan.prompt import SpeechPlan
from a3t.plan.windows import WindowFrames, lay_out
from a3t.rendering.edited import EditedRecording, Excerpt
from a3t.rendering.joining import (
    deletion_of,
    edit_frames,
    neighbours_of,
    patch_of,
    pause_of,
    sound_matcher,
    with_room_tone,
)
from a3t.rendering.mel_level import SpeechLevel, levelled
from a3t.rendering.melody import melody
from a3t.rendering.moving import moved_patch
from a3t.rendering.spectral_bias import SpectralBias, unbiased
from a3t.rendering.spoken import SpokenRecording
from a3t.rendering.steps import Steps
from a3t.rendering.verification import verify
from a3t.spans import Span
from a3t.text.phones import phone_ids
from a3t.vocoder import Vocoder, vocode_span


@dataclass(frozen=True)
class Rendered:
    """The patch of an edit, how its emphasised words were raised, what it takes from elsewhere."""

    patch: Patch
    raised: tuple[Raised, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()


@dataclass(frozen=True)
class Renderer:
    """The networks that render, and the entry of the voice that they are adapted to, if any."""

    networks: Networks
    vocoder: Vocoder
    step: Steps
    voice: dict[str, Any] | None = None

    def edited(self, plan: EditPlan) -> EditedRecording:
        """Carry out exactly this plan, and verify the new words if its request says so; the same
        seed gives the same samples."""
        origins = tuple(map(self.edited, plan.origins))
        rendered = self._rendered(plan, origins)
        result = EditedRecording(
            plan,
            tuple(each.patch for each in rendered),
            **self._models,
            raised=tuple(each.raised for each in rendered),
            origins=origins,
            excerpts=tuple(each.excerpts for each in rendered),
        )
        if plan.request.verify:
            with self.step("check"):
                result = verify(result)
        return replace(result, seconds=dict(self.step.seconds))

    def spoken(self, plan: SpeechPlan) -> SpokenRecording:
        """The plan's speech at 24 kHz: all that `speak` gives."""
        samples = np.concatenate(list(self.speak(plan)))
        return SpokenRecording(samples, plan, **self._models, seconds=dict(self.step.seconds))

    @property
    def _models(self) -> dict[str, Any]:
        model = {"name": self.networks.name, "sha256": self.networks.sha256}
        vocoder = {"name": self.vocoder.name, "sha256": self.vocoder.sha256}
        return {"model": model, "vocoder": vocoder, "voice": self.voice}

    def _rendered(self, plan: EditPlan, origins: Sequence[EditedRecording]) -> list[Rendered]:
        """One result per edit of the plan; ``origins``: what its origins were rendered to."""
        torch.manual_seed(plan.request.seed)
        rendered: dict[int, Rendered] = {}
        if any(word.emphasis for edit in plan.edits for word in edit.words):
            require_world()  # fail before the work, not after it
        with one_thread():
            for window in plan.windows:
                rendered |= self._window(plan, window)
        for k, edit in enumerate(plan.edits):
            if k in rendered:
                continue
            with self.step("splice"):
                if edit.taken:
                    patch, excerpts = moved_patch(plan, edit, origins)
                    rendered[k] = Rendered(patch, excerpts=excerpts)
                elif edit.phones:
                    rendered[k] = Rendered(pause_of(plan, edit))
                else:
                    rendered[k] = Rendered(deletion_of(plan.recording, edit))
        return [rendered[k] for k in range(len(plan.edits))]

    def fill(
        self,
        recording: Recording,
        window: WindowFrames,
        source: Span,
        rise: np.ndarray | None = None,
    ) -> torch.Tensor:
        """The window's mel (N, 80): the recording's own, the masked frames filled and levelled.
        ``rise``: (N,) octaves by which the pitch is raised."""
        model = self.networks.model
        symbols = [phone.symbol for phone in window.phones]
        item = masked_mel(recording, window, source, rise)
        filled = unbiased(model, item, symbols, fill(model, item))
        return levelled(filled, window.masked, symbols, window.phone_of_frame)

    def speak(self, plan: SpeechPlan) -> Iterator[np.ndarray]:
        """The plan's speech at 24 kHz, float32, piece by piece; the same seed gives the same."""
        torch.manual_seed(plan.request.seed)
        pieces = self._speech(plan)
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
        own = window.phone_of_frame[:start]
        heard = replace(
            item, mel=mel[:start], masked=window.masked[:start], phone_of_frame=own, rise=None
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
                own = window.phone_of_frame[start + made : end]
                right = bias.taken_off(filled[start + made : end], own)
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
        """The edits of a window that have new words."""
        recording = plan.recording
        frames = lay_out(plan, window)
        texture_seed = plan.request.seed + window.source[0]  # no two windows have the same noise
        with self.step("fill"):
            rise = melody(plan.new_text, frames, plan.request.seed)
            filled = self.fill(recording, frames, window.source, rise)
        spoken = {k: edit_frames(plan.edits[k], *span) for k, span in frames.spans.items()}
        spoken = {k: span for k, span in spoken.items() if plan.edits[k].is_spoken}
        with self.step("vocode"):
            sound = self.vocoder(filled, 0, texture_seed, [*spoken.values()]).numpy()
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
                patch = with_room_tone(plan, edit, patch)
            rendered[k] = Rendered(patch, raised)
        return rendered


def masked_mel(
    recording: Recording, window: WindowFrames, source: Span, rise: np.ndarray | None = None
) -> MaskedMel:
    """A window's mel (N, 80) as the network gets it; ``rise``: (N,) octaves."""
    place = torch.from_numpy(window.source - source[0]).clamp(min=0)
    ids = phone_ids([phone.symbol for phone in window.phones])
    mel = mel_window(recording, *source)[place]
    return MaskedMel(mel, window.masked, ids, window.phone_of_frame, rise)


def emphasised_spans(edit: PlannedEdit, before: int) -> Sequence[Span]:
    """Sample ranges at 24 kHz of the emphasised words, in a patch whose words begin after
    ``before`` frames."""
    spans, frame = [], before
    for word in edit.words:
        if word.emphasis:
            spans.append((frame * HOP, (frame + word.frames) * HOP))
        frame += word.frames
    return spans


def _voice(plan: EditPlan, window: Window) -> np.ndarray:
    """The speaker's own speech within 5 s of a window's middle, as far as it is aligned: (n,) at
    24 kHz."""
    middle = sum(window.source) // 2
    kept = [p for p in plan.phones if p.word >= 0 and abs(p.first - middle) <= 400]
    first, last = (kept[0].first, kept[-1].last) if kept else window.source
    return plan.recording.resampled(first * HOP, last * HOP, SAMPLE_RATE)
