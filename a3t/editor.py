"""The editor: models loaded once, and the whole path from a recording to its edit on one page.

Recording → Transcript → Alignment → EditPlan → filled mel → patch → EditedRecording
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.recording import Recording, opened
from a3t.model.loading import Networks, load_networks
from a3t.model.saved_voices import Voice, load_voice
from a3t.model.threads import one_thread
from a3t.plan.cleaning import Findings
from a3t.plan.disfluencies import Cleaning
from a3t.plan.edit_limits import check_characters, check_seed, check_speed
from a3t.plan.edit_plan import EditPlan
from a3t.plan.moves import with_sources
from a3t.plan.other_recordings import OtherRecording, hear_others
from a3t.plan.planner import make_plan
from a3t.plan.prompt import Prompt, Prompts, SpeechPlan, speech_plan, with_texts
from a3t.plan.pronunciations import speaker_pronunciations
from a3t.plan.request import EditRequest
from a3t.plan.revision import Revision
from a3t.rendering.candidates import make_audible, make_candidates
from a3t.rendering.edited import EditedRecording
from a3t.rendering.renderer import Renderer
from a3t.rendering.spoken import SpokenRecording
from a3t.rendering.verification import verify
from a3t.source.alignments import AlignmentStore, HeardRecording
from a3t.source.transcripts import FoundTranscript, aligned_transcript, find_transcript
from a3t.source.unpunctuated import restored, restored_by_sound
from a3t.text.markup import check_marks
from a3t.text.pronunciation.lexicon import Pronunciation
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from a3t.vocoder import Vocoder, load_vocoder
from alignment import Aligner, Alignment
from alignment.aligners.network_aligner import NetworkAligner

MODEL = "small"


class Editor:
    """Loaded models and the steps of an edit. `Editor.load` makes one; see `plan`, `edit`, `tts`.

    An edit is described by an `EditRequest`, or by its fields as keywords:
    ``editor.edit("talk.wav", new_text="…")``.

    Not thread-safe: give each thread its own editor; several can run in parallel.
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
        self.vocoder = vocoder
        self.plain = networks  # without a voice
        self.voice: dict[str, Any] | None = None  # to which the model is adapted
        self.prompt: Prompt | None = None  # that voice's own
        self.renderer = Renderer(self.model, vocoder, self._step)
        self.alignments = AlignmentStore(aligner, memory)
        self.progress = progress
        self.seconds: dict[str, float] = {}  # for each step of the current edit

    @classmethod
    def load(
        cls,
        model: str | Path = MODEL,
        vocoder: str | Path = "builtin",
        device: str = "cpu",
        progress: Callable[[str], None] | None = None,
        memory: Path | None = None,
        voice: str | None = None,
    ) -> Editor:
        """Load a shipped model by name or a model from a folder; InputError if it can't be used.

        ``voice`` names a voice made by `a3t.voice`, to which the model is adapted. ``progress`` is
        called with each step's name; ``memory`` is a folder for alignments of long recordings.
        """
        started = time.perf_counter()
        networks, vocode = load_networks(model, device), load_vocoder(vocoder, device)
        editor = cls(networks, vocode, NetworkAligner(), progress, memory)
        editor = editor if voice is None else editor.in_voice(load_voice(voice))
        editor.seconds["load"] = time.perf_counter() - started
        return editor

    @property
    def aligner(self) -> Aligner:
        """What places the words; another can be set."""
        return self.alignments.aligner

    @aligner.setter
    def aligner(self, aligner: Aligner) -> None:
        self.alignments.aligner = aligner

    def in_voice(self, voice: Voice | None) -> Editor:
        """This editor with a voice, or without one; InputError if it is another model's voice."""
        networks = self.plain if voice is None else voice.adapted(self.plain)
        other = Editor(networks, self.vocoder, self.aligner, self.progress)
        other.plain, other.alignments, other.seconds = self.plain, self.alignments, self.seconds
        if voice is not None:
            other.voice = voice.record
            if voice.prompt:
                other.prompt = Prompt.from_tensors(voice.prompt)
        return other

    def edit(
        self, recording: str | Path | Recording, request: EditRequest | None = None, **fields: Any
    ) -> EditedRecording:
        """The best result of `make`, not yet written, from the arguments of `plan`."""
        return self.make(self.plan(recording, request, **fields))[0]

    def plan(
        self, recording: str | Path | Recording, request: EditRequest | None = None, **fields: Any
    ) -> EditPlan:
        """Decide everything and render nothing.

        ``fields`` are fields of `EditRequest`, in place of a request or to override some of it.
        Raises InputError or AlignmentError, with a one-sentence message, if the recording or the
        text can't be used or if they don't match.
        """
        request = replace(request, **fields) if request else EditRequest(**fields)
        self._begin()
        with self._step("read"):
            recording = opened(recording)
        pronouncer = Pronouncer(dict(request.pronunciations))
        found = self.find_transcript(recording, request, pronouncer)
        check_marks(request.new_text, found.transcript.text)
        revision = Revision.of(found.transcript, request.new_transcript)
        with self._step("align"):
            others = hear_others(request, self.alignments.hear, pronouncer)
            edits = None if request.cuts else with_sources(revision, request.moves)
            aligned = self.alignments.around(recording, found, edits, pronouncer)
        with self._step("plan"):
            text = restored(found.transcript, aligned, revision.revised, request.punctuate)
            resolved = replace(
                request.saying(text.spoken + request.new_transcript.spoken),
                text=text.text,
                alignment=aligned.alignment,
                aligned_words=() if aligned.is_whole(found.transcript) else aligned.words,
                others=tuple(map(OtherRecording.of, others)),
            )
            revision = replace(revision, text=text).within(aligned.words)
            spoken = speaker_pronunciations(revision.new_text, aligned.alignment.spoken, pronouncer)
            plan = make_plan(recording, resolved, revision, spoken, self.durations, others)
            return replace(plan, restored=text is not found.transcript)

    def findings(
        self, recording: str | Path | Recording, cleaning: Cleaning | None = None, **fields: Any
    ) -> Findings:
        """What can be taken out of a recording. ``fields``: text, alignment and
        recogniser of an `EditRequest`; errors as for `plan`."""
        recording, request = opened(recording), EditRequest(new_text="", **fields)
        found = self.find_transcript(recording, request, Pronouncer())
        with self._step("align"):
            whole = self.alignments.whole(recording, found, Pronouncer())
        return Findings.of(recording, whole, found.transcript, cleaning or Cleaning())

    def clean(
        self, recording: str | Path | Recording, cleaning: Cleaning | None = None, **fields: Any
    ) -> EditedRecording:
        """The recording without all that `findings` finds, from the same arguments."""
        found = self.findings(recording, cleaning, **fields)
        return self.edit(recording, found.request(found.found))

    def make(self, plan: EditPlan) -> list[EditedRecording]:
        """As many candidates as the plan's request asks for, the best first; if it asks for one
        and a new word is inaudible in it, others are tried (`a3t.rendering.candidates`)."""
        if plan.request.candidates > 1:
            return self.candidates(plan, plan.request.candidates)
        if not plan.request.verify:
            return [self.render(plan)]
        return [make_audible(plan, self.render, self.durations)]

    def candidates(self, plan: EditPlan, count: int = 3) -> list[EditedRecording]:
        """``count`` deliberately different results (1 to 8), the best first, each with its rank."""
        return make_candidates(plan, count, self.render, self.durations)

    def render(self, plan: EditPlan) -> EditedRecording:
        """Carry out exactly this plan, and verify the new words if its request says so."""
        origins = tuple(map(self.render, plan.origins))
        rendered = self.renderer.render(plan, origins)
        result = EditedRecording(
            plan,
            tuple(each.patch for each in rendered),
            origins=origins,
            excerpts=tuple(each.excerpts for each in rendered),
            model={"name": self.name, "sha256": self.sha256},
            vocoder={"name": self.vocoder.name, "sha256": self.vocoder.sha256},
            voice=self.voice,
            raised=tuple(each.raised for each in rendered),
        )
        if plan.request.verify:
            result = self.verify(result)
        return replace(result, seconds=dict(self.seconds))

    def verify(self, result: EditedRecording) -> EditedRecording:
        """The result with each new word's confidence, found by aligning it again."""
        with self._step("check"):
            return verify(result)

    def plan_speech(
        self,
        prompts: Prompts,
        text: str,
        prompt_text: str | Sequence[str] | None = None,
        seed: int = 0,
        speed: float = 1.0,
        pronunciations: Mapping[str, Sequence[Pronunciation]] | None = None,
    ) -> SpeechPlan:
        """Decide everything about speaking a text; raises the errors of `plan`.

        ``prompts``: a recording of the voice, or several, or None for the prompt of the voice that
        the model is adapted to. ``prompt_text``: what each says. ``pronunciations`` maps words to
        their pronunciations, as in `EditRequest`. The method is that of `a3t.plan.prompt`.
        """
        check_seed(seed)
        check_speed(speed)
        check_characters(text)
        pronouncer = Pronouncer(pronunciations)
        self._begin()
        target = Transcript.from_text(text)
        with self._step("read"):
            opened_prompts = with_texts(prompts, prompt_text)
        with self._step("align"):
            hear = self.alignments.hear
            heard = [hear(each, said, target, pronouncer) for each, said in opened_prompts]
        with self._step("plan"):
            recorded = [word for each in heard for word in each.alignment.spoken]
            spoken = speaker_pronunciations(target, recorded, pronouncer)
            return speech_plan(heard, self.prompt, target, spoken, self.durations, seed, speed)

    def speak(self, plan: SpeechPlan) -> Iterator[np.ndarray]:
        """The plan's speech, (n,) float32 at 24 kHz, each piece as soon as it is made."""
        return self.renderer.speak(plan)

    def tts(self, prompts: Prompts, text: str, *arguments: Any, **fields: Any) -> SpokenRecording:
        """The text in the voice of the prompt; arguments and errors as for `plan_speech`."""
        return self.spoken(self.plan_speech(prompts, text, *arguments, **fields))

    def spoken(self, plan: SpeechPlan) -> SpokenRecording:
        """The plan's speech at 24 kHz: all that `speak` gives."""
        return SpokenRecording(
            np.concatenate(list(self.speak(plan))),
            plan,
            model={"name": self.name, "sha256": self.sha256},
            vocoder={"name": self.vocoder.name, "sha256": self.vocoder.sha256},
            voice=self.voice,
            seconds=dict(self.seconds),
        )

    def hear(
        self, plan: EditPlan, word: str, pronunciation: Pronunciation | None = None
    ) -> SpokenRecording:
        """A word in the voice of a plan's recording, as guessed or said otherwise."""
        own = dict(plan.request.pronunciations)
        own |= {word.lower(): (pronunciation,)} if pronunciation else {}
        heard = HeardRecording(plan.recording, plan.text.text, plan.alignment)
        return self.tts(heard, word, pronunciations=own)

    def transcribe(
        self,
        recording: str | Path | Recording,
        new_text: str | None = None,
        recogniser: str = "auto",
        text: str | None = None,
        punctuate: bool = True,
    ) -> Transcript:
        """What the recording says: ``text``, else that of its sidecar file, else what is recognised
        with the new text as a prior; with ``punctuate`` a text without punctuation gets it."""
        prior = Transcript.from_text(new_text, max_words=None) if new_text else None
        with self._step("transcribe"):
            recording = opened(recording)
            found = find_transcript(recording, text, prior, Pronouncer(), recogniser)
            return restored_by_sound(recording, found, self.alignments, punctuate)

    def align(self, recording: str | Path | Recording, text: str | None = None) -> Alignment:
        """The words and phones of the whole recording; ``text`` and errors as for `plan`."""
        recording, pronouncer = opened(recording), Pronouncer()
        with self._step("transcribe"):
            found = find_transcript(recording, text, None, pronouncer)
        with self._step("align"):
            return self.alignments.whole(recording, found, pronouncer)

    def find_transcript(
        self, recording: Recording, request: EditRequest, pronouncer: Pronouncer
    ) -> FoundTranscript:
        """The transcript that `plan` uses, with whatever times it has; errors as for `plan`."""
        with self._step("transcribe"):
            if request.alignment is not None:
                return aligned_transcript(request.alignment, request.text, request.aligned_words)
            new = request.new_transcript if request.new_text else None
            return find_transcript(recording, request.text, new, pronouncer, request.recogniser)

    def _begin(self) -> None:
        """Reset the timings of the steps, except loading: it counts towards every edit's cost."""
        self.seconds = {"load": self.seconds.get("load", 0.0)}

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        if self.progress is not None:
            self.progress(name)
        started = time.perf_counter()
        with one_thread():  # so that results don't depend on the number of cores
            yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
