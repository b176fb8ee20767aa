"""Takes: changes that were each made alone, from their surroundings, and put together afterwards.

The page makes every change while it is typed, and again on request; the download has the
takes that were chosen. So that such an edit can be made again, its edit.json says of each take how
it was made, and `a3t.projects.replay.remake_takes` does that.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from a3t.audio.output.patches import Patch
from a3t.audio.output.provenance import Weights
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, seconds_of
from a3t.plan.edit_limits import Count, Number, check_alignment, shortened
from a3t.plan.edit_plan import EditPlan, PlannedEdit, ReusedSpeech
from a3t.plan.request import EditRequest
from a3t.plan.revision import Revision
from a3t.plan.word_grid import on_grid
from a3t.projects.take_record import Anchor, PatchSpan, Sample, TakeEdit
from a3t.rendering.candidates import VARIATIONS, variant
from a3t.rendering.edited import EditedRecording, ReusedExcerpt, WordScore
from a3t.source.records import AlignedRecording
from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Alignment, Word
from alignment.result import covering, shift_word
from alignment.serialisation import Record, from_json

if TYPE_CHECKING:
    from a3t.editor import Editor

MAX_RECORD_TAKES = 2000  # of one edit.json
PLACES_ENTRY = "words"  # in its entry of a take: the first word of each of its edits, in the text
WORD_EDGE_S = 0.02  # seconds by which a word may stand out of its stretch
RAMP = 0.015  # seconds over which a take is brought to its level
MAX_LEVELLING_DB = 6.0  # dB


@dataclass(frozen=True)
class Take:
    """The order for one change, made alone.

    stretch: the samples of the recording that are looked at, from a whole frame on. request: of
    that stretch; alignment: of its text, None to take it from that of the recording. variation: of
    `a3t.rendering.candidates.VARIATIONS`; 0 for the request as it is. level: dB to which what is
    made is brought, or None. share: which of the plan's edits are the change's, where several
    changes were made as one text; None for all.
    """

    stretch: Span
    request: EditRequest
    alignment: Alignment | None = None
    variation: int = 0
    level: float | None = None
    share: Span | None = None

    def plan(self, editor: Editor, clip: Recording, aligned: Alignment | None = None) -> EditPlan:
        """Plan the request on ``clip``, the stretch (`a3t.audio.output.patches`).

        It is ``aligned`` like this unless the take has its alignment.
        """
        text, own = self.request.transcript, self.alignment or aligned
        if text is None or own is None:
            return editor.plan(clip, self.request)
        return editor.plan(AlignedRecording(clip, text, own), self.request)

    def render(self, editor: Editor, plan: EditPlan) -> EditedRecording:
        """Render the whole plan in this variation and at this level."""
        if self.variation == 0:
            result = editor.make(plan)[0]
        else:
            result = variant(plan, self.variation, editor.renderer).result
        if self.level is None:
            return result
        gain = float(np.clip(self.level - level_of(result), -MAX_LEVELLING_DB, MAX_LEVELLING_DB))
        return replace(result, patches=tuple(_levelled(p, gain, result) for p in result.patches))

    def own_part(self, result: EditedRecording) -> EditedRecording:
        """Return what is the change's own of a result; raise ValueError if it has less."""
        if self.share is None:
            return result
        own = slice(*self.share)
        if self.share[1] > len(result.plan.edits):
            raise ValueError("a take's share")
        return replace(
            result,
            plan=replace(result.plan, edits=result.plan.edits[own], windows=()),
            patches=result.patches[own],
            scores=None if result.scores is None else result.scores[own],
            raised=result.raised[own],
            excerpts=result.excerpts[own],
        )

    def asking(self, **fields: Any) -> Take:
        """Return the take with these fields of its request."""
        return replace(self, request=replace(self.request, **fields))

    def beside(self, folder: Path) -> Take:
        """Return the take whose other recordings lie in a folder, if it has only their names."""
        return replace(self, request=self.request.beside(folder))

    def pinned(self, plan: EditPlan) -> Take:
        """Return the take with what was heard in its other recordings, named without folders."""
        others = tuple(replace(own, path=Path(own.path.name)) for own in plan.other_recordings)
        return self.asking(others=others)

    def to_json(self) -> dict[str, Any]:
        """Return the take as JSON, its request's fields beside its own."""
        made = {"stretch": list(self.stretch), "variation": self.variation, "level": self.level}
        aligned = {"alignment": self.alignment and self.alignment.to_json()}
        made |= {"share": list(self.share)} if self.share else {}
        return made | self.request.to_json() | aligned

    @classmethod
    def from_json(cls, data: object) -> Take:
        """Read a take; raise ValueError if it isn't one."""
        own = from_json(_TakeEntry, data)
        first, last = own.share or (0, 1)
        if not (own.stretch[0] < own.stretch[1] and own.variation < len(VARIATIONS)):
            raise ValueError("a take")
        if not first < last:
            raise ValueError("a take's share")
        request, aligned = EditRequest.from_json(data), check_alignment(own.alignment)
        return cls(own.stretch, request, aligned, own.variation, own.level, own.share)


@dataclass(frozen=True)
class _TakeEntry(Record):
    """A take in an edit.json, beside the entries of its request."""

    stretch: tuple[Sample, Sample]
    variation: Count
    level: Number | None
    alignment: Alignment | None = None
    share: tuple[Count, Count] | None = None


def alignment_within(whole: Alignment, stretch: Span, rate: int) -> Alignment:
    """Return the alignment of the words that lie in a stretch, on its own clock."""
    start, end = stretch[0] / rate, stretch[1] / rate
    first = bisect_left(whole.words, start - WORD_EDGE_S, key=lambda word: word.start)
    last = bisect_right(whole.words, end, key=lambda word: word.start)
    near = whole.words[max(first - 1, 0) : last]
    inside = [
        w for w in near if w.text and w.start >= start - WORD_EDGE_S and w.end <= end + WORD_EDGE_S
    ]
    return aligned_stretch(inside, [w for w in near if w.is_pause], start, end - start)


def aligned_stretch(
    words: Sequence[Word], pauses: Iterable[Word], start: float, seconds: float
) -> Alignment:
    """Return the alignment of a stretch that begins at ``start`` (seconds), on its own clock.

    It has the words in it, and the recording's pauses.
    """
    own = [shift_word(word, -start) for word in words]
    if own:
        own[0] = replace(own[0], start=max(own[0].start, 0.0))
    return covering(own, seconds, 1.0, [shift_word(each, -start) for each in pauses])


def level_of(result: EditedRecording) -> float:
    """Return the level of the samples that were made, all edits together, dB; -100 for none."""
    made = [p.samples for p, e in zip(result.patches, result.plan.edits, strict=True) if e.words]
    total = np.concatenate([np.zeros((1, 1)), *(np.mean(each, 1, keepdims=True) for each in made)])
    return float(10 * np.log10(np.mean(np.square(total)) + 1e-10))


def _levelled(patch: Patch, gain: float, result: EditedRecording) -> Patch:
    """Bring the patch to another level, but for its ends, which are the recording's own."""
    ramp = min(round(RAMP * result.recording.sample_rate), len(patch.samples) // 4)
    shape = np.ones(len(patch.samples))
    if ramp:
        rise = 0.5 - 0.5 * np.cos(np.pi * np.arange(ramp) / ramp)
        shape[:ramp], shape[len(shape) - ramp :] = rise, rise[::-1]
    factor = 1 + (10 ** (gain / 20) - 1) * shape
    return Patch(patch.source, patch.samples * factor[:, None])


@dataclass(frozen=True)
class MadeEdit:
    """An edit of a take with its samples; rate: of the take's plan.

    others: the recordings beside the edited one (origin 0) from which it takes speech (origins 1,
    2, …).
    """

    edit: TakeEdit
    patch: Patch
    scores: tuple[WordScore, ...]
    rate: float
    others: tuple[AlignedRecording, ...] = ()

    def at(
        self, first: int, first_new: int, source: AlignedRecording, origins: Sequence[int]
    ) -> PlannedEdit:
        """Return the edit with its first word counted in the whole texts of a source.

        ``origins``: the number of each origin of its speech there.
        """
        plan, new = self.edit.plan, (first_new, first_new + len(self.edit.new))
        by = first_new - plan.new[0]
        taken = tuple(
            replace(
                speech,
                origin=origin,
                new=(speech.new[0] + by, speech.new[1] + by),
                words=speech.words if speech.origin else _said(speech, inner, source),
            )
            for speech, inner, origin in zip(plan.taken, self.within, origins, strict=True)
        )
        return replace(plan.counted((first, first + self.edit.old), new), taken=taken)

    @property
    def named(self) -> str:
        """The edit as a message names it."""
        words = self.edit.plan.new_words or self.edit.plan.old_words
        return f"“{shortened(words)}”" if words else "a cut pause"

    @property
    def within(self) -> tuple[tuple[TakeEdit, ...], ...]:
        """The edits made first in each of the recorded stretches that the edit takes."""
        return self.edit.within or ((),) * len(self.edit.plan.taken)

    def edited_origin(self, k: int, source: AlignedRecording) -> list[tuple[int, MadeEdit]]:
        """Return the edits made first in its stretch ``k`` of ``source``, each with its first word.

        Their samples are zeros, as many as they have: their sound is in this edit's own patch.
        """
        is_other = self.edit.plan.taken[k].origin > 0
        edits = []
        for inner in self.within[k]:
            first = inner.plan.old[0] if is_other else _words_in(inner.plan.source, source)[0]
            assert inner.span is not None  # (`TakeRecord.check`)
            samples = np.zeros((inner.span.length, source.recording.channels))
            edits.append((first, MadeEdit(inner, Patch(inner.span.source, samples), (), self.rate)))
        return edits

    def excerpts(self, origins: Sequence[int]) -> tuple[ReusedExcerpt, ...]:
        """Return the patch's parts that are recorded elsewhere: in origins of these numbers."""
        return tuple(
            ReusedExcerpt(origin, (first, last), begin, exact)
            for origin, (first, last, begin, exact) in zip(origins, self.edit.excerpts, strict=True)
        )


def made_edits(
    result: EditedRecording, stretch: Span, anchor: Callable[[PlannedEdit], Anchor] | None = None
) -> Iterator[MadeEdit]:
    """Yield the edits of a take's result; ``anchor``: the place of each among a page's tokens."""
    plan, begin = result.plan, stretch[0]
    frames = begin * FRAMES_PER_SECOND // plan.recording.sample_rate
    paths = [plan.recording.path, *(other.recording.path for other in plan.others)]
    origins = [paths.index(each.recording.path) for each in plan.source_edits]

    def later(span: Span, origin: int, by: int) -> Span:
        """Move a span of an origin to the whole recording's clock, if it is of that."""
        return span if origins[origin] else (span[0] + by, span[1] + by)

    def inner(speech: ReusedSpeech) -> Iterator[TakeEdit]:
        """Yield the edits that were made first in recorded speech."""
        origin, source = plan.source_edits[speech.origin], result.source_edits[speech.origin]
        for k in range(*speech.edits):
            edit, patch = origin.edits[k], source.patches[k]
            yield TakeEdit(
                replace(edit, source=later(edit.source, speech.origin, frames)),
                (-1, 0),
                edit.old[1] - edit.old[0],
                origin.new_text.words[slice(*edit.new)],
                origin.pronunciations[slice(*edit.new)],
                span=PatchSpan(later(patch.source, speech.origin, begin), len(patch.samples)),
            )

    for k, (edit, patch) in enumerate(zip(plan.edits, result.patches, strict=True)):
        excerpts, taken, within = [], [], [tuple(inner(speech)) for speech in edit.taken]
        heard = result.excerpts[k] if edit.taken else ()
        for speech, own, made in zip(edit.taken, heard, within, strict=True):
            before = speech.edits[0]  # what was made earlier in this origin is not this edit's
            words = plan.source_edits[own.origin].words.shifts[before]
            samples = result.source_edits[own.origin].map.samples.shifts[before]
            taken.append(
                replace(
                    speech,
                    origin=origins[speech.origin],
                    words=(speech.words[0] - words, speech.words[1] - words),
                    edits=(0, len(made)),
                    frames=later(speech.frames, speech.origin, frames),
                )
            )
            first, last = later(own.source, own.origin, begin)
            excerpts.append((first - samples, last - samples, own.begin, own.exact))
        source = (edit.source[0] + frames, edit.source[1] + frames)
        kept = TakeEdit(
            replace(edit, source=source, taken=tuple(taken)),
            anchor(edit) if anchor else (-1, 0),
            edit.old[1] - edit.old[0],
            plan.new_text.words[slice(*edit.new)],
            plan.pronunciations[slice(*edit.new)],
            tuple(excerpts),
            tuple(within) if any(within) else (),
        )
        moved = Patch((patch.source[0] + begin, patch.source[1] + begin), patch.samples)
        scores = result.scores[k] if result.scores else ()
        yield MadeEdit(kept, moved, scores, plan.rate, plan.others)


def _said(speech: ReusedSpeech, within: Sequence[TakeEdit], source: AlignedRecording) -> Span:
    """Return the words [first, last) that recorded speech is, after the edits within it."""
    before, after = speech.silent
    first, last = _words_in((speech.frames[0] + before, speech.frames[1] - after), source)
    return first, last + sum(len(edit.new) - edit.old for edit in within)


def _words_in(frames: Span, source: AlignedRecording) -> Span:
    """Return the words [first, last) whose middle lies in these frames."""
    start, end = map(seconds_of, frames)
    middle = lambda word: (word.start + word.end) / 2  # noqa: E731
    spoken = source.alignment.spoken
    return bisect_left(spoken, start, key=middle), bisect_right(spoken, end, key=middle)


def merged_takes(
    source: AlignedRecording,
    request: EditRequest,
    edits: Sequence[tuple[int, MadeEdit]],
    takes: Sequence[Mapping[str, Any]],
    model: Weights,
    vocoder: Weights,
    voice: Weights | None = None,
) -> EditedRecording:
    """Put takes in the recording.

    ``request``: of all of them, but for the new text. ``edits``: the takes', in order, each with
    the index of its first word in the text. ``takes``: how each take was made, as an edit.json says
    it; empty if that isn't known of all. ``model``, ``vocoder``, ``voice``: names and sha256.
    Raises InputError, which names them, if two of them change the same samples.
    """
    patches = [made.patch for _, made in edits]
    for (_, left), (_, right) in pairwise(edits):
        if right.patch.source[0] < left.patch.source[1]:
            raise InputError(f"{left.named} and {right.named} overlap: make them one change.")
    text = source.text
    old = list(text.words)
    said = [tuple(phone.symbol for phone in word.phones) for word in source.alignment.spoken]
    new: list[TranscriptWord] = []
    pronunciations: list[tuple[str, ...]] = []
    tokens = len(old)  # more than the text has: those of new words come after them
    planned: list[PlannedEdit] = []
    script: list[WordEdit] = []
    done = 0
    # The recordings that speech is taken from, as they are, or with a take's edits made in them
    # first. Two takes may have heard other parts of one file: its words are counted in each.
    origins: list[EditedRecording] = []
    unedited: dict[int, int] = {}  # the numbers of recordings as they are

    def number_of(made: MadeEdit, k: int) -> int:
        """Return the number of the origin of the stretch ``k`` that an edit takes."""
        origin = (source, *made.others)[made.edit.plan.taken[k].origin]
        inner = made.edited_origin(k, origin)
        if not inner and id(origin) in unedited:
            return unedited[id(origin)]
        if not inner:
            unedited[id(origin)] = len(origins)
        asked = EditRequest(new_text="", text=origin.text.text)
        origins.append(merged_takes(origin, asked, inner, (), model, vocoder, voice))
        return len(origins) - 1

    excerpts: list[tuple[ReusedExcerpt, ...]] = []
    for first, made in edits:
        numbers = [number_of(made, k) for k in range(len(made.edit.plan.taken))]
        excerpts.append(made.excerpts(numbers))
        new += [*old[done:first]]
        pronunciations += said[done:first]
        edit = made.at(first, len(new), source, numbers)
        own = _in_turn(made.edit.new, old[first : edit.old[1]] or old[max(first - 1, 0) : first])
        new += [word.in_token(word.token + tokens) for word in own]
        tokens += 1 + max((word.token for word in made.edit.new), default=0)
        pronunciations += made.edit.phones
        done = edit.old[1]
        planned.append(edit)
        if not edit.is_cut:
            op: Any = edit.op
            script.append(WordEdit(op, edit.old, edit.new))
    new += old[done:]
    pronunciations += said[done:]
    new_text = Transcript.of_tokens(new)
    rate = float(np.mean([made.rate for _, made in edits] or [1.0]))
    source_edits = tuple(origins)
    plan = EditPlan(
        source,
        replace(request, new_text=new_text.text),
        Revision(text, new_text, tuple(script)),
        tuple(pronunciations),
        on_grid(source.alignment, source.recording.frames),
        tuple(planned),
        (),
        rate,
        source_edits=tuple(each.plan for each in source_edits),
    )
    return EditedRecording(
        plan,
        tuple(patches),
        model,
        vocoder,
        voice,
        scores=tuple(made.scores for _, made in edits),
        source_edits=source_edits,
        excerpts=tuple(excerpts) if source_edits else (),
        takes=tuple(takes),
    )


def _in_turn(
    words: Sequence[TranscriptWord], old: Sequence[TranscriptWord]
) -> list[TranscriptWord]:
    """Give new words the speaker of those that they replace, or follow."""
    if not (words and old and old[0].speaker) or words[0].speaker:
        return list(words)
    named = [replace(word, speaker=old[0].speaker) for word in words]
    if old[0].names_speaker:
        written = f"{old[0].speaker}: {words[0].written}"
        same = (word.token == words[0].token for word in words)
        named = [replace(w, written=written) if s else w for w, s in zip(named, same, strict=True)]
    return named
