"""The systems' tasks: reconstruct, edit and speak, each a gap in a clip.

N frames of the clip with its gap, P phones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from a3t.grid import HOP
from a3t.model.variance.durations import DurationPredictor, whole_frames
from a3t.text.phones import PHONES, phone_ids
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from evaluation.clips import (
    LOW_RATE,
    HeldOutClip,
    Predictor,
    align_clip,
    held_out,
    in_turn,
    open_gap,
)
from evaluation.edits.listing import KINDS as KINDS_OF_EDITS
from evaluation.edits.listing import LEAST_WORDS, LIST, ListedEdit, draw_edit, read_list
from evaluation.systems.interface import Gap, Range, Sound
from evaluation.systems.networks import duration_predictor, mean_ratio
from training.corpora import Clip

GIVEN, PREDICTED, EDIT, PROMPT = "given", "predicted", "edit", "prompt"
PROMPT_SECONDS = (2.0, 6.0)  # of a prompt, and of what is spoken by it


@dataclass(frozen=True)
class GapTask:
    """A gap to fill.

    recording: the clip before, at 24 kHz, of which sample ``resume`` follows the gap. truth: the
    gap's true content within a clip of its own, with the same surroundings as the recording: its
    samples, and the frames [first, last) in it; None for new words. spoken, before: the words that
    the result and the recording say.
    rate: of mel-cepstra. Mels end at 7.6 kHz, and many recordings have nothing above 8 kHz, where
    the distance would be that of the vocoder's guess from an empty band: so it is 16 kHz.
    """

    name: str
    kind: str  # GIVEN, PREDICTED, EDIT or PROMPT
    detail: str  # of an edit, its kind
    voice: str
    seen: bool
    gap: Gap
    recording: Sound
    resume: int
    truth: tuple[Sound, Range] | None
    spoken: tuple[str, ...]
    before: tuple[str, ...] = ()
    rate: int = LOW_RATE

    @cached_property
    def true_mel(self) -> np.ndarray | None:
        """The mel (n, 80) of the gap's true content."""
        from a3t.audio.analysis.mel import log_mel

        if self.truth is None:
            return None
        sound, (first, last) = self.truth
        mel: np.ndarray = log_mel(sound).numpy()[first:last]
        return mel

    @property
    def version(self) -> str:
        """A string that changes with the gap, its phones, words or durations."""
        gap, truth = self.gap, self.truth and (len(self.truth[0]), self.truth[1])
        numbers = (gap.phones, gap.durations, gap.words)
        said = (self.spoken, self.before)
        facts = (len(self.recording), self.resume, truth, gap.frame_span, *said, self.rate)
        return repr(([each.tolist() for each in numbers], facts))


def reconstructions(
    item: HeldOutClip, text: Sequence[str], predict: Predictor | None
) -> Iterator[GapTask]:
    """Yield identity reconstructions of the middle third, with the durations given.

    If there is a predictor, they are predicted too.
    """
    phones = item.region
    own = item.durations[phones[0] : phones[1]]
    timings = {GIVEN: own} | ({PREDICTED: predict(item, phones)} if predict else {})
    for kind, durations in timings.items():
        gap = open_gap(item, phones, np.asarray(durations, dtype=np.int64))
        yield GapTask(
            name=f"{item.name}.{kind}",
            kind=kind,
            detail="",
            voice=item.voice,
            seen=item.seen,
            gap=replace(gap, clip=f"{item.name}.{kind}"),
            recording=item.samples,
            resume=item.frames(phones)[1] * HOP,
            truth=(item.samples, item.frames(phones)),
            spoken=tuple(text),
            before=tuple(text),
        )


def edit_task(
    item: HeldOutClip, name: str, detail: str, words: Range, new: Sequence[str], old: Sequence[str],
    durations: DurationPredictor, pronouncer: Pronouncer,
) -> GapTask:  # fmt: skip
    """Make words [first, last) of a clip ``new``; their durations are predicted.

    They are scaled to the speaker (thesis, section 4.3.5). Pauses beside them stay, those among
    them go.
    """
    first_word, last_word = words
    spoken = np.flatnonzero(item.words >= 0)
    inside = spoken[(item.words[spoken] >= first_word) & (item.words[spoken] < last_word)]
    if len(inside):
        first, last = int(inside[0]), int(inside[-1]) + 1
    else:  # an insertion, before the word that now stands there
        behind = spoken[item.words[spoken] >= first_word]
        first = last = int(behind[0]) if len(behind) else len(item.words)
    symbols = [pronouncer.choices([word])[word][0] for word in new]
    ids = phone_ids([phone for word in symbols for phone in word])
    place = np.repeat(np.arange(len(new)), [len(word) for word in symbols]) + first_word
    after = item.words[last:]
    shifted = np.where(after >= 0, after + len(new) - (last_word - first_word), -1)
    phones = np.concatenate([item.phones[:first], ids, item.phones[last:]]).astype(np.int64)
    owners = np.concatenate([item.words[:first], place, shifted]).astype(np.int64)
    expected = np.array(durations.frames([PHONES[k] for k in phones], owners.tolist()))
    told = durations.frames([PHONES[k] for k in item.phones], item.words.tolist())
    ratio = mean_ratio(
        item.durations[spoken].tolist(), [told[k] for k in spoken.tolist()]
    )  # of all that is spoken
    timing = np.array(whole_frames((expected[first : first + len(ids)] * ratio).tolist()), np.int64)
    gap = replace(open_gap(item, (first, last), timing, (phones, owners)), clip=name)
    said, resume = (*old[:first_word], *new, *old[last_word:]), item.frames((first, last))[1] * HOP
    return GapTask(
        name, EDIT, detail, item.voice, item.seen, gap, item.samples, resume, None, said, tuple(old)
    )


def prompt_task(
    prompt: HeldOutClip, target: HeldOutClip, text: Sequence[str], durations: DurationPredictor
) -> GapTask:
    """Make a task of a prompt's speech, and another sentence by its speaker in a gap behind it.

    The gap has its own phones and pauses and predicted durations (thesis, section 4.3.6). ``text``
    is the target's.
    """
    whole = int(prompt.durations.sum())
    words = np.where(target.words >= 0, target.words + prompt.words.max() + 1, -1)
    told = np.array(durations.frames([PHONES[k] for k in prompt.phones], prompt.words.tolist()))
    spoken = prompt.words >= 0
    ratio = mean_ratio(prompt.durations[spoken].tolist(), told[spoken].tolist())
    expected = np.array(durations.frames([PHONES[k] for k in target.phones], target.words.tolist()))
    timing = np.array(
        whole_frames(np.where(target.words >= 0, expected * ratio, expected).tolist())
    )
    hole = np.zeros((int(timing.sum()), prompt.mel.shape[1]), np.float32)
    name = f"{target.name}.by.{prompt.name}"
    sound = prompt.samples[: whole * HOP]
    sound = np.pad(sound, (0, whole * HOP - len(sound)))
    gap = Gap(
        np.concatenate([prompt.mel[:whole], hole]),
        np.concatenate([prompt.phones, target.phones]),
        np.concatenate([prompt.durations, timing]).astype(np.int64),
        (whole, whole + len(hole)),
        np.concatenate([prompt.words, words]),
        sound,
        name,
    )
    truth = np.concatenate([sound, target.samples])
    span = (whole, whole + len(target.mel))
    return GapTask(
        name, PROMPT, "", prompt.voice, prompt.seen, gap, sound, len(sound),
        (truth, span), tuple(text),
    )  # fmt: skip


class TaskMaker:
    """Makes the tasks of the tables of test clips, each of which is aligned once.

    ``split`` tells a clip's split, "test" or "test_unseen"; ``left_out`` gets clips
    and edits that could not be used, with the reason.
    """

    def __init__(
        self,
        clips: Iterable[Clip],
        split: Callable[[Clip], str],
        predictor: DurationPredictor,
        left_out: list[tuple[Any, str]],
    ) -> None:
        self.clips = {clip.name: clip for clip in clips}
        self.split = split
        self.predictor, self.left_out = predictor, left_out
        self.pronouncer = Pronouncer()
        self._aligned: dict[str, HeldOutClip | None] = {}

    def _item(self, clip: Clip) -> HeldOutClip | None:
        if clip.name not in self._aligned:
            self._aligned[clip.name] = align_clip(clip, self.split(clip) == "test")
            if self._aligned[clip.name] is None:
                self._leave_out(clip.name, "its text and its sound don't match")
        return self._aligned[clip.name]

    def _held_out(self, seen: bool) -> list[Clip]:
        return held_out(self.clips.values(), seen, self.split)

    def _leave_out(self, name: str, reason: str) -> None:
        self.left_out.append((None, f"{name}: {reason}"))

    def reconstruction(self, count: int) -> Iterator[GapTask]:
        """``count`` clips of seen voices and as many of unseen ones, both timings of each."""
        predict = duration_predictor(self.predictor)
        for seen in (True, False):
            items = ((clip, self._item(clip)) for clip in self._held_out(seen))
            usable = ((clip, item) for clip, item in items if item and len(item.phones) >= 6)
            for clip, item in islice(usable, count):
                yield from reconstructions(item, spoken_words(clip), predict)

    def edits(self, count: int, path: Path = LIST) -> Iterator[GapTask]:
        """Make the first edits of the reported list, of six kinds in turn, all of unseen voices.

        Clips of which none is in the list, as a recipe's for one corpus, get edits of the same
        kinds, drawn by their names.
        """
        listed = [edit for edit in read_list(path) if edit.set == "report"]
        if not any(edit.clip in self.clips for edit in listed):
            listed = self._drawn_edits()
        for edit in listed[:count]:
            clip = self.clips.get(edit.clip)
            if clip is None:
                self._leave_out(edit.name, f"its clip {edit.clip} is not in the corpora")
                continue
            item, old = self._item(clip), spoken_words(clip)
            if item is None:
                continue
            if edit.last > len(old):
                self._leave_out(edit.name, f"its clip has {len(old)} words, not {edit.last}")
                continue
            span, new = (edit.first, edit.last), edit.new_words.split()
            known = (self.predictor, self.pronouncer)
            yield edit_task(item, edit.name, edit.kind, span, new, old, *known)

    def _drawn_edits(self) -> list[ListedEdit]:
        clips = [*self._held_out(False), *self._held_out(True)]
        usable = [clip for clip in clips if len(spoken_words(clip)) >= LEAST_WORDS]
        return [
            draw_edit(f"drawn-{number}", "report", kind, clip)
            for number, (kind, clip) in enumerate(zip(cycle(KINDS_OF_EDITS), usable, strict=False))
        ]

    def prompts(self, count: int) -> Iterator[GapTask]:
        """Make ``count`` tasks of seen voices and as many of unseen ones, each by another clip.

        That is of the same speaker: one pair of each voice, then the second of each, and so on.
        """
        low, high = PROMPT_SECONDS
        for seen in (True, False):
            voices: dict[str, list[Clip]] = {}
            for clip in self._held_out(seen):
                if low <= clip.seconds <= high:
                    voices.setdefault(clip.voice, []).append(clip)
            pairs = in_turn([list(pairwise(own)) for own in voices.values()])
            items = ((self._item(prompt), self._item(other), other) for prompt, other in pairs)
            usable = ((one, two, clip) for one, two, clip in items if one and two)
            for one, two, clip in islice(usable, count):
                yield prompt_task(one, two, spoken_words(clip), self.predictor)


def spoken_words(clip: Clip) -> list[str]:
    """Return a clip's text in spoken words."""
    return list(Transcript.from_text(clip.text).spoken)
