"""The editor: models loaded once, and the whole way from a recording to its edit in one page.

Recording → Transcript → Alignment → EditPlan → filled mel → patch → EditedRecording
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch

from a3t.asked import Asked
from a3t.audio.recording import Recording
from a3t.candidates import make_candidates, make_heard
from a3t.grid import SAMPLE_RATE, grid_frames
from a3t.hearing import hear
from a3t.networks import Networks, load_networks
from a3t.plan.plan import make_plan
from a3t.plan.prompt import speech_plan
from a3t.plan.records import EditPlan
from a3t.plan.script import script_of
from a3t.records import EditedRecording, SpokenRecording
from a3t.rendering.renderer import Renderer
from a3t.source.known import Known, pronounced
from a3t.source.passages import Passages, excerpt
from a3t.source.transcripts import Found, aligned_transcript, find_transcript
from a3t.text.markup import check_marks
from a3t.text.pronunciation.lexicon import Pronunciation
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.vocoder import Vocoder, load_vocoder, vocode_chunks
from alignment import Aligner, Alignment
from alignment.aligners.pocketsphinx import PocketSphinxAligner

MODEL = "small"


class Editor:
    """Loaded models and the steps of an edit. `Editor.load` makes one; see `plan`, `edit`, `tts`.

    Not safe to share between threads: it makes one edit at a time. Give each thread an editor of
    its own; several may work side by side. On a GPU too edits are made one after another.
    """

    def __init__(
        self,
        networks: Networks,
        vocoder: Vocoder,
        aligner: Aligner,
        progress: Callable[[str], None] | None = None,
        memory: Path | None = None,
    ) -> None:
        self.model, self.durations = networks.model, networks.durations
        self.name, self.sha256 = networks.name, networks.sha256
        self.vocoder, self.aligner = vocoder, aligner
        self.renderer = Renderer(self.model, vocoder, self._step)
        self.progress = progress
        self.seconds: dict[str, float] = {}
        self.recogniser = "auto"  # of alignment.recognition, where no text is given
        self.known = Known(aligner, memory)

    @classmethod
    def load(
        cls,
        model: str | Path = MODEL,
        vocoder: str | Path = "builtin",
        device: str = "cpu",
        progress: Callable[[str], None] | None = None,
        memory: Path | None = None,
    ) -> Editor:
        """Load a shipped model by name, or a folder's; InputError if it can't be used.

        ``memory`` is a folder in which the alignments of long recordings are kept.
        """
        started = time.perf_counter()
        networks = load_networks(model, device)
        editor = cls(
            networks, load_vocoder(vocoder, device), PocketSphinxAligner(), progress, memory
        )
        editor.seconds["load"] = time.perf_counter() - started
        return editor

    def plan(
        self,
        wav: str | Path | Recording,
        new_text: str,
        text: str | None = None,
        alignment: str | Path | Alignment | Passages | None = None,
        speed: float = 1.0,
        fit: bool = False,
        margin: float = 0.025,
        asked: Asked | None = None,
    ) -> EditPlan:
        """Decide everything and render nothing.

        Without ``text`` the transcript is the sidecar's, the given alignment's, or recognised.
        ``speed`` makes the new words faster (above 1) or slower; with ``fit`` they take the time of
        the words that they replace. ``margin``, in seconds, is how much of their neighbours is
        made anew on either side. ``asked`` says these at once, and more. Raises InputError (or
        AlignmentError) with one sentence if recording or text can't be used, or don't match.
        """
        asked = asked or Asked(speed, fit, margin)
        new = Transcript.from_text(new_text, max_words=None)
        with self._step("read"):
            recording = wav if isinstance(wav, Recording) else Recording.open(wav)
        pronouncer = Pronouncer(dict(asked.pronunciations))
        found = self._transcript(recording, text, new, alignment, pronouncer)
        check_marks(new_text, found.transcript.text)
        script = script_of(found.transcript, new)
        if isinstance(alignment, Passages):
            known = alignment
        else:
            with self._step("align"):
                known = self.known.around(recording, found, script, pronouncer)
        with self._step("plan"):
            part = excerpt(found.transcript, new, script, known.words)
            spoken = pronounced(part.new_text, known.alignment, pronouncer)
            frames = grid_frames(recording.samples, recording.sample_rate)
            plan = make_plan(
                part.text, part.new_text, known.alignment, spoken, self.durations, frames,
                asked.only(found.transcript.spoken + new.spoken), part.script,
            )  # fmt: skip
            everything = known.words == ((0, len(found.transcript.words)),)
            return plan if everything else replace(plan, passages=known.words)

    def edit(
        self,
        wav: str | Path | Recording,
        new_text: str,
        text: str | None = None,
        alignment: str | Path | Alignment | Passages | None = None,
        seed: int = 0,
        speed: float = 1.0,
        fit: bool = False,
        margin: float = 0.025,
        check: bool = True,
        asked: Asked | None = None,
    ) -> EditedRecording:
        """The recording with the new words in it, not yet written; arguments as for `plan`.

        With ``check`` the result is aligned once more, and says which new words are heard in it; if
        one is not, others are made (`a3t.candidates`) and the best of them is the result.
        """
        self.seconds = {"load": self.seconds.get("load", 0.0)}
        recording = wav if isinstance(wav, Recording) else Recording.open(wav)
        plan = self.plan(recording, new_text, text, alignment, speed, fit, margin, asked)
        if not check:
            return self.render(recording, plan, seed)
        return make_heard(self, recording, plan, seed)

    def check(self, result: EditedRecording) -> EditedRecording:
        """The result with each new word's confidence: `EditedRecording.heard`."""
        with self._step("check"):
            heard = hear(result.recording, result.patches, result.plan)
        return replace(result, heard=heard, seconds=dict(self.seconds))

    def render(self, recording: Recording, plan: EditPlan, seed: int = 0) -> EditedRecording:
        """Carry out a plan: fill, vocode and splice window by window, and cut what is deleted."""
        done = self.renderer.render(recording, plan, seed)
        return EditedRecording(
            recording,
            tuple(rendered.patch for rendered in done),
            plan,
            model={"name": self.name, "sha256": self.sha256},
            vocoder={"name": self.vocoder.name, "sha256": self.vocoder.sha256},
            seed=seed,
            seconds=dict(self.seconds),
            raised=tuple(rendered.raised for rendered in done),
        )

    def tts(
        self,
        prompt_wav: str | Path,
        text: str,
        prompt_text: str | None = None,
        seed: int = 0,
        speed: float = 1.0,
        pronunciations: Mapping[str, Sequence[Pronunciation]] | None = None,
    ) -> SpokenRecording:
        """The text in the voice of the prompt (section 4.3.6), at 24 kHz; errors as for `plan`.

        ``pronunciations`` are words with the ways to say them, as in `Asked`.
        """
        pronouncer = Pronouncer(pronunciations)
        self.seconds = {"load": self.seconds.get("load", 0.0)}
        torch.manual_seed(seed)
        target = Transcript.from_text(text)
        with self._step("read"):
            recording = Recording.open(prompt_wav)
        found = self._transcript(recording, prompt_text, target, None, pronouncer)
        with self._step("align"):
            aligned = found.alignment or self.known.whole(recording, found.transcript, pronouncer)
        with self._step("plan"):
            spoken = pronounced(target, aligned, pronouncer)
            frames = grid_frames(recording.samples, recording.sample_rate)
            window, source = speech_plan(aligned, target, spoken, self.durations, frames, speed)
        with self._step("fill"):
            filled = self.renderer.fill(recording, window, source)[source[1] - source[0] :]
        with self._step("vocode"):
            samples = torch.cat(list(vocode_chunks(self.vocoder, filled)))
        return SpokenRecording(
            samples.numpy(),
            SAMPLE_RATE,
            text,
            recording,
            found.transcript.text,
            tuple(phone for phone in window.phones if phone.source is None),
            model={"name": self.name, "sha256": self.sha256},
            vocoder={"name": self.vocoder.name, "sha256": self.vocoder.sha256},
            seed=seed,
            seconds=dict(self.seconds),
        )

    def transcribe(self, wav: str | Path | Recording, new_text: str | None = None) -> Transcript:
        """What the recording says: its sidecar's text, else as far as it can be told, for which a
        new text helps."""
        recording = wav if isinstance(wav, Recording) else Recording.open(wav)
        prior = Transcript.from_text(new_text, max_words=None) if new_text else None
        return self._transcript(recording, None, prior, None, Pronouncer()).transcript

    def align(self, wav: str | Path | Recording, text: str | None = None) -> Alignment:
        """Where each word and phone of all the recording is; ``text`` and errors as for `plan`."""
        recording = wav if isinstance(wav, Recording) else Recording.open(wav)
        pronouncer = Pronouncer()
        found = self._transcript(recording, text, None, None, pronouncer)
        with self._step("align"):
            return found.alignment or self.known.whole(recording, found.transcript, pronouncer)

    def candidates(
        self,
        wav: str | Path | Recording,
        new_text: str,
        count: int = 3,
        text: str | None = None,
        alignment: str | Path | Alignment | Passages | None = None,
        seed: int = 0,
        asked: Asked | None = None,
    ) -> list[EditedRecording]:
        """``count`` results that differ on purpose, the best first (`a3t.candidates`); each one's
        ``candidate`` says why. Arguments and errors as for `plan`; ``count`` is 1 to 8."""
        recording = wav if isinstance(wav, Recording) else Recording.open(wav)
        plan = self.plan(recording, new_text, text, alignment, asked=asked)
        return make_candidates(self, recording, plan, count, seed)

    def _transcript(
        self,
        recording: Recording,
        text: str | None,
        new: Transcript | None,
        alignment: str | Path | Alignment | Passages | None,
        pronouncer: Pronouncer,
    ) -> Found:
        with self._step("transcribe"):
            if alignment is not None:
                return aligned_transcript(alignment, text)
            return find_transcript(recording, text, new, pronouncer, self.recogniser)

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        if self.progress is not None:
            self.progress(name)
        started = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
