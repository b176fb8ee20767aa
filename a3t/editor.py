"""The editor: models loaded once, and the whole path from a recording to its edit on one page.

Recording → Transcript → Alignment → EditPlan → filled mel → patch → EditedRecording
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.output.provenance import Weights
from a3t.audio.reading.recording import Recording, opened
from a3t.model.loading import Networks, load_networks
from a3t.model.saved_voices import Voice, load_voice
from a3t.model.threads import Steps
from a3t.plan.cleaning import Cleaning
from a3t.plan.edit_limits import check_spoken_words
from a3t.plan.edit_plan import EditPlan
from a3t.plan.findings import Findings
from a3t.plan.planner import make_plan
from a3t.plan.prompt import Prompt, Prompts, SpeechPlan, speech_plan, with_texts
from a3t.plan.request import RETAKE, EditRequest, Pronunciations, SpeechRequest, identified
from a3t.plan.reuse import align_others, with_sources
from a3t.plan.revision import Revision
from a3t.plan.unheard_words import heard_words
from a3t.rendering.candidates import make_best, make_candidates
from a3t.rendering.edited import EditedRecording
from a3t.rendering.renderer import Renderer
from a3t.rendering.spoken import SpokenRecording
from a3t.source.alignments import AlignmentStore, punctuated, punctuated_by_sound
from a3t.source.change_detection import SpeechComparisons
from a3t.source.differences import (
    Difference,
    UnchangedError,
    choose,
    continued,
    listed,
    require_own_text,
    said_already,
    said_text,
    wanted_text,
)
from a3t.source.proof import as_read
from a3t.source.records import AlignedRecording, FoundTranscript
from a3t.source.transcripts import find_transcript
from a3t.spans import Span
from a3t.text.markup import check_marks
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript, parsed
from a3t.vocoder import Vocoder, load_vocoder
from alignment import Aligner, Alignment
from alignment.aligners.network_aligner import NetworkAligner
from alignment.recognition import whisper_model

MODEL = "small"
MAX_SEARCHED_S = 600.0  # seconds of a recording in which filled pauses are named
Sound = str | Path | Recording
Source = Sound | AlignedRecording


class Editor:
    """Loaded models and the steps of an edit.

    `Editor.load` makes one. Nothing is set on it later: `in_voice` and `with_progress` give another
    editor with the same networks. Not thread-safe: give each thread its own; several can run in
    parallel.

    Parameters
    ----------
    networks : Networks
        The model and its predictor of durations (`a3t.model.loading.load_networks`).
    vocoder : Vocoder
        Turns mels into sound (`a3t.vocoder.load_vocoder`).
    aligner : Aligner
        Times the words of a recording (`alignment.load_aligner`).
    progress : callable, optional
        Called with the name of each step.
    cache_dir : Path, optional
        A folder for the alignments of long recordings.

    Examples
    --------
    >>> editor = Editor.load()
    >>> editor.edit("talk.wav", new_text="We met at ten.").save("out.wav")
    >>> plan = editor.plan("talk.wav", EditRequest(new_text="We met at ten.", candidates=3))
    >>> best, *others = editor.make(plan)
    """

    def __init__(
        self,
        networks: Networks,
        vocoder: Vocoder,
        aligner: Aligner,
        progress: Callable[[str], None] | None = None,
        cache_dir: Path | None = None,
    ) -> None:
        self.model, self.durations = networks.model, networks.durations
        self.name, self.sha256 = networks.name, networks.sha256
        self.vocoder = vocoder
        self.networks = self.base_networks = networks  # the latter without a voice
        self.voice: Weights | None = None  # to which the model is adapted
        self.prompt: Prompt | None = None  # that voice's own
        self.steps = Steps(progress)
        self.renderer = Renderer(networks, vocoder, self.steps)
        self.alignments = AlignmentStore(aligner, cache_dir)
        self.comparisons = SpeechComparisons(remembers=cache_dir is not None)

    @classmethod
    def load(
        cls,
        model: str | Path = MODEL,
        vocoder: str | Path = "builtin",
        device: str = "cpu",
        progress: Callable[[str], None] | None = None,
        cache_dir: Path | None = None,
        voice: str | None = None,
        aligner: Aligner | None = None,
    ) -> Editor:
        """Load a shipped model by name or a model from a folder; InputError if it can't be used.

        ``voice`` names a voice made by `a3t.voice`, to which the model is adapted. ``progress`` is
        called with each step's name; ``cache_dir`` keeps the alignments of long recordings, and
        with it what is heard is remembered;
        ``aligner``: another than the built-in one (`alignment.load_aligner`).
        """
        started = time.perf_counter()
        networks, vocode = load_networks(model, device), load_vocoder(vocoder, device)
        editor = cls(networks, vocode, aligner or NetworkAligner(), progress, cache_dir)
        editor = editor if voice is None else editor.in_voice(load_voice(voice))
        editor.steps.seconds["load"] = time.perf_counter() - started
        return editor

    def in_voice(self, voice: Voice | None) -> Editor:
        """Return this editor with a voice, or without one; InputError for another model's voice."""
        networks = self.base_networks if voice is None else voice.adapted(self.base_networks)
        other = copy(self)
        other.steps = replace(self.steps)
        other.networks, other.model = networks, networks.model
        other.voice = voice.record if voice else None
        other.prompt = Prompt.from_tensors(voice.prompt) if voice and voice.prompt else None
        other.renderer = Renderer(networks, self.vocoder, other.steps, other.voice)
        return other

    @property
    def progress(self) -> Callable[[str], None] | None:
        """Called with the name of each step."""
        return self.steps.progress

    def with_progress(self, progress: Callable[[str], None] | None) -> Editor:
        """Return this editor with another progress."""
        other = copy(self)
        other.steps = replace(self.steps, progress=progress)
        other.renderer = Renderer(self.networks, self.vocoder, other.steps, self.voice)
        return other

    def edit(
        self, recording: Source, request: EditRequest | None = None, **fields: Any
    ) -> EditedRecording:
        """Make the best result, unwritten; the arguments are those of `plan`."""
        return self.make(self.plan(recording, request, **fields))[0]

    def plan(
        self, recording: Source, request: EditRequest | None = None, **fields: Any
    ) -> EditPlan:
        """Decide everything and render nothing.

        Parameters
        ----------
        recording : str, Path, Recording or AlignedRecording
            A file, or one that is open; its words are looked for unless they are known.
        request : EditRequest, optional
            What is asked; ``fields`` override some of it, or are all of it.

        Raises
        ------
        InputError
            If the recording or the text can't be used, or if they don't match; one sentence.
        UnchangedError
            If the text was recognised, and is the new text already.
        UnsureError
            If the text was recognised, some of its `differences` may be misheard words, and
            `EditRequest.changes` doesn't say which to make.

        Examples
        --------
        >>> print(editor.plan("talk.wav", new_text="We met at ten.").describe())
        replace “nine” (0.61–0.98 s) with “ten” (0.35 s)
        """
        request = _request(request, fields)
        pronouncer = request.pronouncer
        self.steps.begin()
        sound, found = self._listen(recording, request, pronouncer)
        request = request.asking(tracks=identified(request.tracks, sound))
        differences = choose(self._listed(sound, found, pronouncer), request.changes, found.warning)
        new_text = request.new_transcript
        if (comparison := found.comparison) is not None:
            ticked = {each.number for each in differences if each.ticked}
            new_text = wanted_text(comparison, ticked)
        check_marks(request.new_transcript.text, found.transcript.text)
        if request.placed is None:
            revision = Revision.of(found.transcript, new_text)
        else:
            texts = [found.transcript, *filter(None, (own.transcript for own in request.others))]
            revision = Revision.placed(texts, new_text, request.placed)
        if found.origin == "recognised" and not (revision.edits or request.cuts):
            aligned = None
            if sound.seconds <= MAX_SEARCHED_S:
                with self.steps("align"):
                    aligned = self.alignments.whole(sound, found, pronouncer)
            raise UnchangedError(said_already(aligned), differences)
        request = request.asking(changes=None, left=())
        with self.steps("align"):

            def align(found: FoundTranscript, own: Revision) -> tuple[Alignment, tuple[Span, ...]]:
                edits = None if request.cuts else with_sources(own, request)
                return self.alignments.around(sound, found, edits, pronouncer)

            is_written = found.origin != "recognised" and found.alignment is None
            heard = heard_words(found, revision, align, search=is_written)
            found, revision = heard.found, heard.revision
            aligned, ranges = heard.alignment, heard.ranges
            others = align_others(
                request.others, revision, self.alignments, pronouncer, request.recogniser
            )
        with self.steps("plan"):
            text = punctuated(
                found.transcript, (aligned, ranges), revision.revised, request.punctuate
            )
            revision = revision.within(ranges, text)
            times = self.alignments.times(sound, found, ranges, pronouncer)
            source = AlignedRecording.of(sound, found, aligned, ranges, text, times)
            spoken = pronouncer.as_recorded(revision.new_text, aligned.spoken)
            plan = make_plan(source, request, revision, spoken, self.durations, others)
            return replace(plan, differences=differences, unheard=heard.unheard)

    def differences(
        self, recording: Source, request: EditRequest | None = None, **fields: Any
    ) -> tuple[Difference, ...]:
        """List where what is heard differs from the new text, for somebody to choose from.

        A plan from the same arguments and `changes` makes those of these numbers, without hearing
        the recording again. A text that is given, or in a file, has no such list. Arguments and
        errors as for `plan`, except UnsureError and UnchangedError.

        Examples
        --------
        >>> for each in editor.differences("talk.wav", new_text="We met at ten."):
        ...     print(each.number, each, each.verdict, each.ticked)
        1 “nine” → “ten” after “We met at” change True
        >>> plan = editor.plan("talk.wav", new_text="We met at ten.", changes=(1,))
        """
        request = _request(request, fields)
        pronouncer = request.pronouncer
        sound, found = self._listen(recording, request, pronouncer)
        return self._listed(sound, found, pronouncer)

    def _listed(
        self,
        sound: Recording,
        found: FoundTranscript,
        pronouncer: Pronouncer,
    ) -> tuple[Difference, ...]:
        """List the differences of a transcript from the new text."""
        if found.comparison is None or not found.comparison.places:
            return ()
        with self.steps("align"):
            aligned = self.alignments.whole(sound, found, pronouncer)
        rate = sound.sample_rate
        spans = [(round(w.start * rate), round(w.end * rate)) for w in aligned.spoken]
        return listed(found.comparison, spans, sound.samples)

    def _listen(
        self, recording: Source, request: EditRequest, pronouncer: Pronouncer
    ) -> tuple[Recording, FoundTranscript]:
        """Open a recording and find its transcript."""
        if isinstance(recording, AlignedRecording):
            known, passages = recording.alignment, recording.passages
            found = FoundTranscript(recording.text, "given", known, passages=passages)
            return recording.recording, found
        with self.steps("read"):
            sound = opened(recording)
        with self.steps("transcribe"):
            new_text = request.new_transcript if request.new_text else None
            options = request.recogniser, request.alignment, self.comparisons
            text = request.transcript
            found = find_transcript(sound, text, new_text, pronouncer, *options)
            if found.comparison is not None:
                require_own_text(found.comparison, found.warning)
            if request.left and text is not None and new_text is not None:
                comparison = continued(text, request.left, new_text)
                said = said_text(comparison)
                found = replace(
                    found,
                    transcript=said.transcript,
                    confidences=said.confidences,
                    times=None,
                    cues=(),
                    comparison=comparison,
                )
            return sound, found

    def findings(
        self, recording: Source, cleaning: Cleaning | None = None, **fields: Any
    ) -> Findings:
        """Find what can be taken out; ``fields`` of a request's text, and errors, as for `plan`."""
        request = EditRequest(new_text="", **fields)
        pronouncer = request.pronouncer
        sound, found = self._listen(recording, request, pronouncer)
        retakes = cleaning is not None and RETAKE in cleaning.kinds
        model = whisper_model(request.recogniser) if retakes else None
        if model is not None and found.origin != "recognised":
            with self.steps("transcribe"):  # a script lacks what is read twice
                said = as_read(sound, found.transcript, model)
            if said.spoken != found.transcript.spoken:
                found = FoundTranscript(said, found.origin)
        with self.steps("align"):
            whole = self.alignments.whole(sound, found, pronouncer)
        source = AlignedRecording(sound, found.transcript, whole)
        tracks = identified(request.tracks, sound)
        return Findings(source, found.transcript, cleaning or Cleaning(), tracks=tracks)

    def clean(
        self, recording: Source, cleaning: Cleaning | None = None, **fields: Any
    ) -> EditedRecording:
        """Remove all that `findings` finds; the arguments are the same."""
        found = self.findings(recording, cleaning, **fields)
        return self.edit(found.source, found.request(found.found))

    def make(self, plan: EditPlan) -> list[EditedRecording]:
        """Make the requested number of candidates, best first.

        If one is requested, recorded words may be taken, and others are tried where a new word is
        inaudible (`a3t.rendering.candidates`).
        """
        if plan.request.candidates > 1:
            return make_candidates(plan, self.renderer)
        if not plan.request.verify:
            return [self.renderer.edited(plan)]
        return [make_best(plan, self.renderer)]

    def render(self, plan: EditPlan) -> EditedRecording:
        """Carry out exactly this plan, and verify the new words if its request says so."""
        return self.renderer.edited(plan)

    def plan_speech(
        self, prompts: Prompts, request: SpeechRequest | str, **fields: Any
    ) -> SpeechPlan:
        """Decide everything about speaking a text; raises the errors of `plan`.

        ``prompts``: a recording of the voice, or several; None for the editor's own voice.
        ``request``: or its text, with other ``fields`` of it.
        """
        own = SpeechRequest(text=request) if isinstance(request, str) else request
        request = replace(own, **fields)
        pronouncer = Pronouncer(dict(request.pronunciations))
        self.steps.begin()
        target = request.transcript
        check_spoken_words(target)
        with self.steps("read"):
            opened_prompts = with_texts(prompts, request.prompt_text)
        with self.steps("align"):
            hear = self.alignments.hear
            heard = [hear(each, said, None, pronouncer) for each, said in opened_prompts]
        with self.steps("plan"):
            recorded = [word for each in heard for word in each.alignment.spoken]
            spoken = pronouncer.as_recorded(target, recorded)
            return speech_plan(heard, self.prompt, target, spoken, self.durations, request)

    def speak(self, plan: SpeechPlan) -> Iterator[np.ndarray]:
        """Yield the plan's speech, (n,) float32 at 24 kHz, each piece as soon as it is made."""
        return self.renderer.speak(plan)

    def tts(self, prompts: Prompts, request: SpeechRequest | str, **fields: Any) -> SpokenRecording:
        """Speak a text in the voice of the prompt; arguments and errors as for `plan_speech`."""
        return self.spoken(self.plan_speech(prompts, request, **fields))

    def spoken(
        self, plan: SpeechPlan, take: Callable[[np.ndarray], object] | None = None
    ) -> SpokenRecording:
        """Return the plan's speech at 24 kHz; ``take`` gets each piece as `speak` does."""
        return self.renderer.spoken(plan, take)

    def transcribe(
        self,
        recording: Sound,
        new_text: str | None = None,
        recogniser: str = "auto",
        text: str | None = None,
        punctuate: bool = True,
        pronunciations: Pronunciations = (),
    ) -> Transcript:
        """Find what the recording says.

        That is ``text``, else its sidecar file, else what is recognised with the new text as a
        prior. ``punctuate`` restores missing punctuation. ``pronunciations`` name words to listen
        for.
        """
        with self.steps("transcribe"):
            recording = opened(recording)
            given, prior = parsed(text), parsed(new_text or None)
            pronouncer = Pronouncer(dict(pronunciations))
            found = find_transcript(
                recording, given, prior, pronouncer, recogniser, None, self.comparisons
            )
            return punctuated_by_sound(recording, found, self.alignments, punctuate)

    def align(self, recording: Sound, text: str | Transcript | None = None) -> Alignment:
        """Time the words and phones of the whole recording; ``text`` and errors as for `plan`."""
        recording, pronouncer = opened(recording), Pronouncer()
        with self.steps("transcribe"):
            found = find_transcript(recording, parsed(text), None, pronouncer)
        with self.steps("align"):
            return self.alignments.whole(recording, found, pronouncer)


def _request(request: EditRequest | None, fields: dict[str, Any]) -> EditRequest:
    """Return the request with some fields replaced, or one of these fields alone."""
    if request is None:
        return EditRequest(**fields)
    return request.asking(**fields)
